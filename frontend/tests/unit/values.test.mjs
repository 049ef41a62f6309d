import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseComponent } from '../../static/js/builder/panels/json-tab.js'
import { readValue } from '../../static/js/builder/document/values.js'
import { chord } from '../../static/js/core/shortcuts.js'

test('the text of a control becomes the value of its kind', () => {
  assert.deepEqual(readValue('string', ''), { value: '' })
  assert.deepEqual(readValue('null-string', ''), { value: null })
  assert.deepEqual(readValue('integer', '12'), { value: 12 })
  assert.deepEqual(readValue('number', '0.5'), { value: 0.5 })
  assert.deepEqual(readValue('null-boolean', 'true'), { value: true })
  assert.deepEqual(readValue('json', '{"a": 1}'), { value: { a: 1 } })
})

test('text that is no value is a problem and no change', () => {
  for (const [kind, text] of [['integer', '1.5'], ['integer', ''], ['number', 'many'], ['json', '{']]) assert.ok('problem' in readValue(kind, text))
})

test('only a whole component passes from the JSON editor into the team', () => {
  for (const text of ['{', '[]', '{"config": {}}', '{"provider": "x", "config": []}']) assert.ok('problem' in parseComponent(text))
  assert.deepEqual(parseComponent('{"provider": "x", "config": {}}'), { value: { provider: 'x', config: {} } })
})

test('chords name the modifiers in one order, and a symbol without its shift', () => {
  const key = { key: 'Z', ctrlKey: true, metaKey: false, altKey: false, shiftKey: true }
  assert.equal(chord(key, false), 'mod+shift+z')
  assert.equal(chord({ ...key, key: '?', ctrlKey: false }, false), '?')
})
