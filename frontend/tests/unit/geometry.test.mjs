import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  aroundHub,
  extent,
  forward,
  inOrder,
  loop,
  neighbour,
  roundedPath,
  rows,
} from '../../static/js/builder/canvas/layout/geometry.js'

const size = (height = 100) => ({ width: 236, height })
const overlap = (a, b) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

test('cards never overlap, whatever their number and the window', () => {
  for (const view of [
    { width: 300, height: 900 },
    { width: 1600, height: 400 },
  ]) {
    for (let count = 1; count < 12; count += 1) {
      const sizes = Array.from({ length: count }, (_each, index) => size(80 + (index % 3) * 60))
      const { hub, boxes } = aroundHub(size(), sizes, view)
      for (const all of [inOrder(sizes, view), [hub, ...boxes]]) {
        all.forEach((box, index) =>
          all.slice(index + 1).forEach((other) => assert.ok(!overlap(box, other))),
        )
      }
    }
  }
})

test('a wide window takes one row, a narrow one several', () => {
  const sizes = [size(), size(), size(), size()]
  assert.equal(new Set(inOrder(sizes, { width: 1400, height: 500 }).map((box) => box.y)).size, 1)
  assert.ok(new Set(inOrder(sizes, { width: 600, height: 900 }).map((box) => box.y)).size > 1)
})

test('cards of a row begin at the same height, so that their edge is straight', () => {
  const [a, b] = rows([size(80), size(200)], 2)
  assert.match(forward(a, b, [a, b]).path, /^M236 24C.* 24 300 24$/)
})

test('an edge to the next row passes below the highest card of its row', () => {
  const boxes = rows([size(200), size(60), size()], 2)
  const lane = forward(boxes[1], boxes[2], boxes).label.y
  assert.ok(lane > 200 && lane < boxes[2].y)
})

test('the way back runs below all cards', () => {
  const boxes = rows([size(200), size(60)], 2)
  assert.ok(loop(boxes[1], boxes[0], boxes).label.y > extent(boxes).height)
})

test('corners are rounded no further than half a side', () => {
  assert.equal(
    roundedPath([
      { x: 0, y: 0 },
      { x: 10, y: 0 },
      { x: 10, y: 100 },
    ]),
    'M0 0L5 0Q10 0 10 5L10 100',
  )
})

test('arrow keys find the card in their direction', () => {
  const boxes = rows([size(), size(), size(), size()], 2)
  assert.equal(neighbour(boxes, 0, 'right'), 1)
  assert.equal(neighbour(boxes, 0, 'down'), 2)
  assert.equal(neighbour(boxes, 0, 'left'), -1)
  assert.equal(neighbour(boxes, -1, 'down'), 0)
})
