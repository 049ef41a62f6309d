import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  filledIn,
  variableLabel,
  variablesIn,
} from '../../static/js/playground/examples/variables.js'

test('the variables of a task are found once each, in their order', () => {
  assert.deepEqual(
    variablesIn('Write {{ length }} lines on {{topic}}, and {{topic}} again, for {{due date}}.'),
    ['length', 'topic', 'due date'],
  )
  assert.deepEqual(variablesIn('No {topic}, no {{}}, no {{1}} and no {{a.b}}.'), [])
})

test('values take the place of variables and are not looked into', () => {
  const values = new Map([
    ['a', '{{b}} $& \\'],
    ['b', 'B'],
  ])
  assert.equal(filledIn('{{a}}, {{ b }}, {{c}}', values), '{{b}} $& \\, B, {{c}}')
})

test('a form calls a variable by words', () => {
  assert.equal(variableLabel('due_date'), 'Due date')
  assert.equal(variableLabel('_'), '_')
})
