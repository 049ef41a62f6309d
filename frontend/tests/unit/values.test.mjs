import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parseComponent } from '../../static/js/builder/panels/json-tab.js'
import {
  rangeProblem,
  readValue,
  reshaped,
  isSameValue,
  stepped,
} from '../../static/js/builder/document/values.js'
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
  for (const [kind, text] of [
    ['integer', '1.5'],
    ['integer', ''],
    ['number', 'many'],
    ['json', '{'],
  ])
    assert.ok('problem' in readValue(kind, text))
})

// The server's tests of every example type from the same table.
const typed = JSON.parse(readFileSync(new URL('./form-values.json', import.meta.url), 'utf8'))

test('what the tests of the examples type becomes what they expect, also where the field may be empty', () => {
  for (const { kind, text, value } of typed) {
    for (const each of text === '' ? [kind] : [kind, `null-${kind}`, `absent-${kind}`])
      assert.deepEqual(readValue(each, text), { value }, each)
  }
})

test('an empty control means null where null is a value, and else that the field is left out', () => {
  for (const kind of ['string', 'integer', 'number', 'boolean', 'secret']) {
    assert.deepEqual(readValue(`null-${kind}`, ''), { value: null })
    assert.deepEqual(readValue(`absent-${kind}`, ''), { value: undefined })
  }
})

test('a key in the open never becomes the value of a secret', () => {
  for (const text of ['sk-1234567890', 'env:', 'env:A B', '**********'])
    assert.ok('problem' in readValue('secret', text), text)
  assert.deepEqual(readValue('secret', ' env:KEY '), { value: 'env:KEY' })
})

test('two texts of a number say the same when the numbers are the same', () => {
  assert.ok(isSameValue('number', '1.50', '1.5'))
  assert.ok(!isSameValue('string', '1.50', '1.5'))
  assert.ok(!isSameValue('integer', '1.', '1'))
})

test('a number out of its range is told', () => {
  assert.equal(rangeProblem(3, { min: 1, max: 3 }), '')
  assert.equal(rangeProblem(0, { min: 1 }), 'Must be at least 1.')
  assert.equal(rangeProblem(0, { min: 0, isAboveMin: true }), 'Must be greater than 0.')
  assert.equal(rangeProblem(4, { max: 3 }), 'Must be at most 3.')
})

test('the arrow keys step a number in its last digit and stop at the ends of the range', () => {
  assert.equal(stepped('1', 1, {}), '2')
  assert.equal(stepped('0.1', 1, {}), '0.2')
  assert.equal(stepped('0.30', -1, {}), '0.29')
  assert.equal(stepped('2', 1, { max: 2 }), '2')
  assert.equal(stepped('1', -1, { min: 0, isAboveMin: true }), '1')
  assert.equal(stepped('', 1, { min: 5 }), '5')
  assert.equal(stepped('', 1, {}), '1')
  assert.equal(stepped('', -1, {}), '-1')
})

test('a value that changes its shape keeps what both shapes have', () => {
  const full = { target: 'user', description: 'When asked' }
  assert.deepEqual(reshaped('editor', { target: 'user' }, [], 'target'), { target: 'editor' })
  assert.deepEqual(reshaped(full, 'user', [], 'target'), 'user')
  assert.deepEqual(
    reshaped({ type: 'a', url: 'u', gone: 1 }, { type: 'b', url: '' }, ['url'], ''),
    { type: 'b', url: 'u' },
  )
  assert.deepEqual(reshaped('END', [], [], ''), ['END'])
  assert.deepEqual(reshaped(null, 'x', [], ''), 'x')
})

test('only a whole component passes from the JSON editor into the team', () => {
  for (const text of ['{', '[]', '{"config": {}}', '{"provider": "x", "config": []}'])
    assert.ok('problem' in parseComponent(text))
  assert.deepEqual(parseComponent('{"provider": "x", "config": {}}'), {
    value: { provider: 'x', config: {} },
  })
})

test('chords name the modifiers in one order, and a symbol without its shift', () => {
  const key = { key: 'Z', ctrlKey: true, metaKey: false, altKey: false, shiftKey: true }
  assert.equal(chord(key, false), 'mod+shift+z')
  assert.equal(chord({ ...key, key: '?', ctrlKey: false }, false), '?')
})
