import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pinnedPositions } from '../../static/js/builder/canvas/layout/pinned-positions.js'
import { makeScene } from '../../static/js/builder/canvas/draw/scene.js'
import { agent, catalogue, team } from './team.mjs'

const VIEW = { width: 1000, height: 700 }
const SIZE = { width: 236, height: 120 }
const flow = (ways, names = Object.keys(ways)) => {
  const nodes = Object.fromEntries(
    Object.entries(ways).map(([name, targets]) => [
      name,
      { name, edges: targets.map((target) => ({ target })) },
    ]),
  )
  return makeScene(
    catalogue,
    team(
      names.map((name) => agent(name)),
      { graph: { nodes } },
    ),
    '',
  )
}
const box = (x, y) => ({ ...SIZE, x, y })
const before = (scene, boxes, bends) => ({
  scene,
  width: VIEW.width,
  isKept: false,
  placed: {
    hub: null,
    boxes,
    size: { width: 900, height: 400 },
    lanes: { bends, isDownwards: true, moved: [], marked: [] },
  },
})
const sizes = (scene) => scene.cards.map(() => ({ ...SIZE }))

test('an edge that comes moves no card, keeps the direction and the ways of the others', () => {
  const boxes = [box(0, 0), box(0, 300), box(400, 300)]
  const scene = flow({ a: ['c', 'b'], b: [], c: [] })
  const kept = pinnedPositions(
    before(flow({ a: ['b'], b: [], c: [] }), boxes, [[{ x: 1, y: 2 }]]),
    scene,
    sizes(scene),
    VIEW,
  )
  assert.deepEqual(kept.boxes, boxes)
  assert.deepEqual(
    [kept.lanes.isDownwards, kept.lanes.bends, kept.lanes.fresh],
    [true, [[], [{ x: 1, y: 2 }]], [0]],
  )
})

test('a new card finds room of its own, a renamed one stays', () => {
  const boxes = [box(0, 0), box(0, 300)]
  const old = before(flow({ a: ['b'], b: [] }), boxes, [[]])
  const more = flow({ a: ['b'], b: [], c: [] })
  const places = pinnedPositions(old, more, sizes(more), VIEW).boxes
  assert.deepEqual(places.slice(0, 2), boxes)
  assert.ok(
    boxes.every(
      (each) =>
        Math.abs(each.x - places[2].x) >= SIZE.width ||
        Math.abs(each.y - places[2].y) >= SIZE.height,
    ),
  )
  const renamed = flow({ a: ['z'], z: [] })
  assert.deepEqual(pinnedPositions(old, renamed, sizes(renamed), VIEW).boxes, boxes)
})

test('cards that grew into one another are placed anew', () => {
  const scene = flow({ a: ['b'], b: [] })
  assert.equal(
    pinnedPositions(
      before(scene, [box(0, 0), box(0, 130)], [[]]),
      scene,
      [{ width: 236, height: 140 }, SIZE],
      VIEW,
    ),
    undefined,
  )
})
