import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shapeOf } from '../../static/js/builder/canvas/draw/card-heights.js'

const widthOf = (text) => text.length * 6
const chip = (title, more = {}) => ({
  pointer: `/${title}`,
  title,
  kind: 'tool',
  type: 'Function',
  inner: [],
  innerSlot: '',
  opens: '',
  ...more,
})
const slot = (chips, more = {}) => ({
  pointer: '/s',
  field: 's',
  kind: 'tool',
  accepts: [],
  many: true,
  isRequired: false,
  isOptional: false,
  chips,
  ...more,
})
const card = (text, slots = [], more = {}) => ({
  pointer: '/c',
  name: 'c',
  text,
  slots,
  isKnown: true,
  opening: null,
  ...more,
})
const shape = (...parts) => shapeOf(card(...parts), widthOf)

test('cards whose texts take as many lines have one shape', () => {
  assert.equal(shape('Short.'), shape('Also short.'))
  const long = 'A description that does not fit into one line of a card.'
  assert.equal(shape(long), shape(`${long} Nor does it fit into two, and so is cut off.`))
  assert.notEqual(shape('Short.'), shape(long))
  assert.notEqual(shape('Short.'), shape(''))
})

test('a text that may or may not fit is measured itself', () => {
  assert.notEqual(
    shape(`${'a'.repeat(17)} ${'b'.repeat(17)}`),
    shape(`${'c'.repeat(17)} ${'d'.repeat(17)}`),
  )
  assert.notEqual(shape('x'.repeat(90)), shape('y'.repeat(90)), 'one word may break nowhere')
})

test('chips in one row are alike, those that may wrap are measured', () => {
  assert.equal(shape('', [slot([chip('search')])]), shape('', [slot([chip('look_up')])]))
  const many = ['a_long_name_of_a_tool', 'another_name_of_a_tool']
  assert.notEqual(
    shape('', [slot(many.map((title) => chip(title)))]),
    shape('', [slot(many.toReversed().map((title) => chip(title)))]),
  )
  assert.equal(
    shape('', [slot([chip('m'.repeat(80))], { many: false })]),
    shape('', [slot([chip('m')], { many: false })]),
    'a single one is cut off',
  )
})

test('tools inside of a workbench, and what opens, have shapes of their own', () => {
  const plain = shape('', [slot([chip('bench')])])
  assert.notEqual(
    shape('', [slot([chip('bench', { innerSlot: '/i', inner: [chip('a')] })])]),
    plain,
  )
  assert.notEqual(
    shape('', [], { opening: { pointer: '/c', slot: '/c/s', title: '', count: 2 } }),
    shape('', []),
  )
  assert.equal(
    shape('', [slot([], { isOptional: true })]),
    shape('', []),
    'what is not shown takes no room',
  )
})
