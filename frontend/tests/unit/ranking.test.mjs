import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitness, ranked } from '../../static/js/core/ranking.js'

const order = (query, ...labels) => ranked(query, labels, (label) => ({ label }))

test('the very name comes first, then what begins with it, a word that does, a part of a word', () => {
  assert.deepEqual(order('move', 'remove', 'Then move', 'Move later', 'move', 'Save'), [
    'move',
    'Move later',
    'Then move',
    'remove',
  ])
})

test('every word must be found, in any order', () => {
  assert.deepEqual(order('later move', 'Move later', 'Move earlier'), ['Move later'])
})

test('initials find a name of several words', () => {
  assert.deepEqual(order('ml', 'Move later', 'Zoom to fit'), ['Move later'])
  assert.ok(fitness('sw', 'search_web') > 0)
})

test('words beside the label lead to it, behind those in labels', () => {
  const items = [{ label: 'Duplicate', aside: 'Edit' }, { label: 'Edit' }]
  assert.deepEqual(
    ranked('edit', items, (each) => each).map((each) => each.label),
    ['Edit', 'Duplicate'],
  )
})

test('no query keeps all in their order, and a query that fits nothing finds nothing', () => {
  assert.deepEqual(order('', 'b', 'a'), ['b', 'a'])
  assert.deepEqual(order('zzz', 'b', 'a'), [])
})
