import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aroundHub, extent, inOrder } from '../../static/js/builder/canvas/layout/geometry.js'
import { insertionAt } from '../../static/js/builder/canvas/gestures/insertion-marker.js'

const box = (x, y) => ({ x, y, width: 200, height: 100 })
const rows = [box(0, 0), box(300, 0), box(0, 200), box(300, 200)]

test('a drop goes before the card whose left half is nearest, in the row it is made in', () => {
  assert.equal(insertionAt(rows, { x: 50, y: 50 }), 0)
  assert.equal(insertionAt(rows, { x: 150, y: 50 }), 1)
  assert.equal(insertionAt(rows, { x: 390, y: 250 }), 3)
})

test('right of a row is behind its last card, below all is behind all', () => {
  assert.equal(insertionAt(rows, { x: 900, y: 50 }), 2)
  assert.equal(insertionAt(rows, { x: 900, y: 900 }), 4)
})

test('many cards around a hub stand in rows below it, as wide as suits the window', () => {
  const sizes = Array.from({ length: 40 }, () => ({ width: 236, height: 140 }))
  const placed = aroundHub({ width: 236, height: 80 }, sizes, { width: 900, height: 700 })
  const whole = extent(placed.boxes)
  assert.ok(new Set(placed.boxes.map(({ y }) => y)).size > 3)
  assert.ok(whole.width / whole.height < 3)
  assert.ok(placed.boxes.every(({ y }) => y >= placed.hub.height))
})

test('a thousand cards find their rows at once', () => {
  const sizes = Array.from({ length: 1000 }, () => ({ width: 236, height: 140 }))
  const whole = extent(inOrder(sizes, { width: 900, height: 700 }))
  assert.ok(whole.width < 24 * 320)
})
