import assert from 'node:assert/strict'
import { test } from 'node:test'
import { busOf, busPath, shiftedBus, stub } from '../../static/js/builder/canvas/links/bus.js'
import { aroundHub } from '../../static/js/builder/canvas/layout/geometry.js'

const sizes = (count) =>
  Array.from({ length: count }, (_each, index) => ({ width: 236, height: 100 + (index % 3) * 20 }))
const view = { width: 900, height: 700 }
const isInside = ({ x, y }, box) =>
  x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height

/** The straight pieces of a path, as pairs of points; corners are passed over. */
function pieces(path) {
  let [x, y] = [0, 0]
  return [...path.matchAll(/([MHVQ])([^MHVQ]+)/g)].flatMap(([, kind, numbers]) => {
    const values = numbers.trim().split(' ').map(Number)
    const from = { x, y }
    if (kind === 'H') x = values[0]
    else if (kind === 'V') y = values[0]
    else [x, y] = values.slice(-2)
    return kind === 'H' || kind === 'V' ? [[from, { x, y }]] : []
  })
}

test('no line from a hub runs behind a card', () => {
  for (const count of [30, 31, 50, 300]) {
    const { hub, boxes, bus } = aroundHub({ width: 236, height: 60 }, sizes(count), view)
    assert.ok(bus, `${count} members stand in rows`)
    const lines = [...pieces(busPath(bus)), ...boxes.flatMap((box) => pieces(stub(bus, box)))]
    for (const [from, to] of lines) {
      for (let step = 0; step <= 40; step += 1) {
        const at = {
          x: from.x + ((to.x - from.x) * step) / 40,
          y: from.y + ((to.y - from.y) * step) / 40,
        }
        assert.ok(![hub, ...boxes].some((box) => isInside(at, box)), `${count}: ${at.x} ${at.y}`)
      }
    }
  }
})

test('each card hangs from the rail above it, with its arrow at its top', () => {
  const { boxes, bus } = aroundHub({ width: 236, height: 60 }, sizes(50), view)
  for (const box of boxes) assert.ok(stub(bus, box).endsWith(`V${box.y}`))
})

test('a card that was moved hangs from the next rail above, also beyond its end', () => {
  const { boxes, bus } = aroundHub({ width: 236, height: 60 }, sizes(50), view)
  const moved = { ...boxes[0], x: bus.rails[0].to + 500, y: bus.rails[0].y + 30 }
  assert.match(stub(bus, moved), new RegExp(`^M[\\d.]+ ${bus.rails[0].y}H.*V${moved.y}$`))
  assert.equal(stub(bus, { ...boxes[0], y: -500 }), undefined, 'above all rails there is none')
})

test('a single column has its trunk beside it', () => {
  const boxes = sizes(3).map((size, index) => ({ ...size, x: 0, y: 200 + index * 200 }))
  assert.ok(busOf({ x: 0, y: 0, width: 236, height: 60 }, boxes, 64, 52).trunk < 0)
})

test('a bus moves with its cards', () => {
  const { boxes, bus } = aroundHub({ width: 236, height: 60 }, sizes(50), view)
  const [by, box] = [{ x: 40, y: 100 }, boxes[5]]
  assert.equal(
    stub(shiftedBus(bus, by), { ...box, x: box.x + by.x, y: box.y + by.y }).split('V')[1],
    String(box.y + by.y),
  )
})
