import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withinFrameBudget, nearbyCards } from '../../static/js/builder/canvas/draw/nearby-cards.js'

const size = { width: 1000, height: 800 }
const none = () => false
/** Cards in rows of twenty. */
const boxes = (count) =>
  Array.from({ length: count }, (_each, index) => ({
    x: (index % 20) * 300,
    y: Math.floor(index / 20) * 200,
    width: 236,
    height: 130,
  }))
const at = (x, y, zoom = 1) => ({ x, y, zoom, size })

test('a small team is shown whole, wherever the view is', () => {
  assert.equal(nearbyCards(at(-9000, -9000), boxes(24), none, none).length, 24)
})

test('of a large team only what is around the view is shown, however many there are', () => {
  const few = nearbyCards(at(0, 0), boxes(300), none, none)
  assert.deepEqual(nearbyCards(at(0, 0), boxes(3000), none, none), few)
  assert.ok(few.length > 12 && few.length < 40)
  assert.ok(
    few.includes(0) && few.includes(4),
    'what is a little beyond the view is there before it is needed',
  )
})

test('the whole is shown when it is small enough to be in view', () => {
  assert.equal(nearbyCards(at(0, 0, 0.1), boxes(300), none, none).length, 300)
})

test('what is shown stays for longer than it took to come', () => {
  const far = nearbyCards(at(0, 0), boxes(300), (index) => index === 5, none)
  assert.ok(far.includes(5) && !far.includes(6))
  assert.ok(!nearbyCards(at(0, 0), boxes(300), none, none).includes(5))
  assert.ok(!nearbyCards(at(0, 0), boxes(300), (index) => index === 9, none).includes(9))
})

test('what is held is shown wherever it stands, also before it has a place', () => {
  const placed = [...boxes(300), undefined]
  const shown = nearbyCards(at(0, 0), placed, none, (index) => index === 299 || index === 300)
  assert.deepEqual(shown.slice(-2), [299, 300])
  assert.ok(!nearbyCards(at(0, 0), placed, none, none).includes(300))
})

test('one frame makes no more than it can, and all that are made already', () => {
  assert.deepEqual(
    withinFrameBudget([1, 2, 3, 4, 5], (index) => index % 2 === 0, 2),
    [1, 2, 3, 4],
  )
})
