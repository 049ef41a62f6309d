import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  aligned,
  distributed,
  overlaps,
  snapped,
} from '../../static/js/builder/canvas/layout/align.js'

const box = (x, y, width = 100, height = 50) => ({ x, y, width, height })
const boxes = [box(10, 100), box(60, 20, 100, 80), box(400, 300)]

test('cards are brought in line at each edge, and only along that axis', () => {
  assert.deepEqual(
    aligned(boxes, 'left').map(({ x }) => x),
    [10, 10, 10],
  )
  assert.deepEqual(
    aligned(boxes, 'right').map(({ x }) => x),
    [400, 400, 400],
  )
  assert.deepEqual(
    aligned(boxes, 'centre').map(({ x }) => x),
    [205, 205, 205],
  )
  assert.deepEqual(
    aligned(boxes, 'top').map(({ y }) => y),
    [20, 20, 20],
  )
  assert.deepEqual(
    aligned(boxes, 'bottom').map(({ y }) => y),
    [300, 270, 300],
  )
  assert.deepEqual(
    aligned(boxes, 'middle').map(({ y }) => y),
    [160, 145, 160],
  )
  assert.deepEqual(
    aligned(boxes, 'left').map(({ y }) => y),
    boxes.map(({ y }) => y),
  )
})

test('gaps become equal while the outer cards stay', () => {
  const spread = distributed([box(500, 0), box(0, 0), box(120, 0)], 'x')
  assert.deepEqual(
    spread.map(({ x }) => x),
    [500, 0, 250],
  )
  assert.deepEqual(
    distributed([box(0, 0), box(0, 60), box(0, 300)], 'y').map(({ y }) => y),
    [0, 150, 300],
  )
})

test('a card snaps to a line of another that is near, and to the grid where there is none', () => {
  const near = snapped(box(204, 33), [box(200, 400)])
  assert.deepEqual([near.x, near.y], [200, 40])
  assert.deepEqual(near.guides, [{ axis: 'x', at: 200, from: 40, to: 450 }])
  const free = snapped(box(91, 109), [box(500, 500)])
  assert.deepEqual([free.x, free.y, free.guides], [100, 100, []])
})

test('centres and ends snap as well as starts', () => {
  assert.equal(snapped(box(52, 0, 100), [box(0, 300, 200)]).x, 50)
  assert.equal(snapped(box(103, 0, 100), [box(0, 300, 200)]).x, 100)
})

test('cards that only touch do not overlap', () => {
  assert.equal(overlaps(box(0, 0), box(100, 0)), false)
  assert.equal(overlaps(box(0, 0), box(99, 49)), true)
})
