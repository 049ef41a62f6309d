// @ts-check
// How edges run between cards that somebody moved: of many ways around the cards the one that is
// shortest, straightest and crosses least.
import { roundedPath } from '../layout/geometry.js'
import { LABEL_HEIGHT_PX, labelWidth } from './routes.js'

/**
 * @typedef {import('../layout/geometry.js').Box} Box
 * @typedef {import('../layout/geometry.js').Point} Point
 * @typedef {import('./routes.js').Way} Way
 * @typedef {import('./routes.js').Route} Route
 * @typedef {'left' | 'right' | 'top' | 'bottom'} Side
 * @typedef {{ a: Point, b: Point }} Segment
 */

const CLEAR = 18
const PORT_GAP = 16
const BEND_COST = 60
const CROSSING_COST = 90
const OVERLAP_COST = 500
const CARD_COST = 4000
/** To begin on the right and end on the left is how the rest is read. */
const UNUSUAL_SIDE_COST = 30
/**
 * Lanes beside all cards are tried up to this many of them; with more, those of the two cards and
 * of the outside.
 */
const MAX_CARDS = 24
/**
 * With more edges than this, crossings are not looked at, and only the sides that face each other:
 * a page must not wait.
 */
const MAX_ROUTES = 40
/** @type {Side[]} */
const SIDES = ['right', 'left', 'top', 'bottom']

/**
 * @param {Way[]} ways
 * @param {Box[]} boxes
 * @param {{ route: Route | undefined, label: string }[]} [standing]  edges that keep their way:
 *   their ends and labels are kept clear
 * @returns {(Route | undefined)[]}
 */
export function detours(ways, boxes, standing = []) {
  /** @type {Segment[]} */
  const used = []
  /** @type {Map<string, number>} */
  const taken = new Map()
  const isMany = ways.length > MAX_ROUTES
  const clear = standing.flatMap(({ route, label }) =>
    route ? [at(route.start), at(route.end), ...(label ? [labelBox(route.label, label)] : [])] : [],
  )
  return ways.map((way) => {
    const [from, to] = [boxes[way.from], boxes[way.to]]
    if (!from || !to) return undefined
    const best = cheapest(way, from, to, boxes, clear, used, taken, isMany)
    for (const key of [`${way.from} ${best.sides[0]}`, `${way.to} ${best.sides[1]}`])
      taken.set(key, (taken.get(key) ?? 0) + 1)
    if (!isMany) used.push(...segments(best.points))
    return asRoute(best.points)
  })
}

/**
 * @param {Way} way
 * @param {Box} from
 * @param {Box} to
 * @param {Box[]} boxes
 * @param {Box[]} clear
 * @param {Segment[]} used
 * @param {Map<string, number>} taken
 * @param {boolean} isMany
 */
function cheapest(way, from, to, boxes, clear, used, taken, isMany) {
  const lanes = boxes.length <= MAX_CARDS && !isMany ? boxes : [from, to, around(boxes)]
  const room = Math.max(CLEAR, labelWidth(way.label) / 2)
  /** @type {{ points: Point[], sides: [Side, Side], cost: number } | undefined} */
  let best
  const [starts, ends] = isMany && way.from !== way.to ? facing(from, to) : [SIDES, SIDES]
  for (const start of starts) {
    for (const end of ends) {
      if (way.from === way.to && (start !== 'bottom' || end !== 'right')) continue
      const a = portAt(from, start, taken.get(`${way.from} ${start}`) ?? 0)
      const b = portAt(to, end, taken.get(`${way.to} ${end}`) ?? 0)
      const usual =
        (start === 'right' ? 0 : UNUSUAL_SIDE_COST) + (end === 'left' ? 0 : UNUSUAL_SIDE_COST)
      for (const points of routesBetween(out(a, start), out(b, end), lanes, room)) {
        const whole = straightened([a, ...points, b])
        const cost = usual + costOf(whole, boxes, clear, used, best?.cost ?? Infinity)
        if (!best || cost < best.cost) best = { points: whole, sides: [start, end], cost }
      }
    }
  }
  return (
    best ?? { points: [from, to], sides: /** @type {[Side, Side]} */ (['right', 'left']), cost: 0 }
  )
}

/**
 * Room around the end of another edge.
 * @param {Point} point
 * @returns {Box}
 */
const at = ({ x, y }) => ({ x: x - 4, y: y - 4, width: 8, height: 8 })

/**
 * @param {Point} middle
 * @param {string} label
 * @returns {Box}
 */
function labelBox(middle, label) {
  const width = labelWidth(label)
  return {
    x: middle.x - width / 2,
    y: middle.y - LABEL_HEIGHT_PX / 2,
    width,
    height: LABEL_HEIGHT_PX,
  }
}

/**
 * @param {Box[]} boxes
 * @returns {Box}
 */
function around(boxes) {
  const [x, y] = [Math.min(...boxes.map((box) => box.x)), Math.min(...boxes.map((box) => box.y))]
  return {
    x,
    y,
    width: Math.max(...boxes.map((box) => box.x + box.width)) - x,
    height: Math.max(...boxes.map((box) => box.y + box.height)) - y,
  }
}

/**
 * @param {Box} from
 * @param {Box} to
 * @returns {[Side[], Side[]]}
 */
function facing(from, to) {
  const isAbove = from.y + from.height / 2 < to.y + to.height / 2
  return isAbove
    ? [
        ['right', 'bottom'],
        ['left', 'top'],
      ]
    : [
        ['right', 'top'],
        ['left', 'bottom'],
      ]
}

/**
 * The nth place on a side, from its middle to both ends.
 * @param {Box} box
 * @param {Side} side
 * @param {number} nth
 * @returns {Point}
 */
function portAt(box, side, nth) {
  const isUpright = side === 'left' || side === 'right'
  const most = (isUpright ? box.height : box.width) / 2 - 12
  const off = Math.max(
    -most,
    Math.min(most, Math.ceil(nth / 2) * PORT_GAP * (nth % 2 === 0 ? 1 : -1)),
  )
  if (isUpright)
    return { x: side === 'right' ? box.x + box.width : box.x, y: box.y + box.height / 2 + off }
  return { x: box.x + box.width / 2 + off, y: side === 'bottom' ? box.y + box.height : box.y }
}

/**
 * @param {Point} port
 * @param {Side} side
 * @returns {Point}
 */
function out({ x, y }, side) {
  const by = { left: [-CLEAR, 0], right: [CLEAR, 0], top: [0, -CLEAR], bottom: [0, CLEAR] }[side]
  return { x: x + (by[0] ?? 0), y: y + (by[1] ?? 0) }
}

/**
 * Ways along the axes with few bends: through the middle, or along the sides of cards.
 * @param {Point} a
 * @param {Point} b
 * @param {Box[]} boxes
 * @param {number} room
 * @returns {Generator<Point[]>}
 */
function* routesBetween(a, b, boxes, room) {
  yield [a, { x: b.x, y: a.y }, b]
  yield [a, { x: a.x, y: b.y }, b]
  const xs = [
    (a.x + b.x) / 2,
    ...boxes.flatMap((box) => [box.x - CLEAR, box.x + box.width + CLEAR]),
  ]
  const ys = [
    (a.y + b.y) / 2,
    ...boxes.flatMap((box) => [box.y - CLEAR, box.y + box.height + CLEAR]),
  ]
  for (const x of xs) yield [a, { x, y: a.y }, { x, y: b.y }, b]
  for (const y of ys) if (Math.abs(a.x - b.x) > room / 2) yield [a, { x: a.x, y }, { x: b.x, y }, b]
}

/**
 * Without points that lie on a straight line between their neighbours.
 * @param {Point[]} points
 * @returns {Point[]}
 */
function straightened(points) {
  const moved = points.filter(
    (point, index) =>
      index === 0 || point.x !== points[index - 1]?.x || point.y !== points[index - 1]?.y,
  )
  return moved.filter((point, index) => {
    const [before, after] = [moved[index - 1], moved[index + 1]]
    return (
      !before ||
      !after ||
      !(
        (before.x === point.x && point.x === after.x) ||
        (before.y === point.y && point.y === after.y)
      )
    )
  })
}

/**
 * @param {Point[]} points
 * @returns {Segment[]}
 */
function segments(points) {
  return points.slice(1).map((b, index) => ({ a: points[index] ?? b, b }))
}

/**
 * @param {Point[]} points
 * @param {Box[]} boxes
 * @param {Box[]} clear
 * @param {Segment[]} used
 * @param {number} limit  what costs more is of no interest
 */
function costOf(points, boxes, clear, used, limit) {
  const parts = segments(points)
  let cost = (points.length - 2) * BEND_COST
  for (const { a, b } of parts) cost += Math.abs(a.x - b.x) + Math.abs(a.y - b.y)
  for (const part of parts) {
    if (cost >= limit) return cost
    for (const box of boxes) if (touches(part, box)) cost += CARD_COST
    for (const box of clear) if (touches(part, box)) cost += OVERLAP_COST
    for (const other of used) cost += meets(part, other)
  }
  return cost
}

/**
 * Whether a line goes through a card; along its border is not through it.
 * @param {Segment} part
 * @param {Box} box
 */
function touches({ a, b }, box) {
  const near = 6
  return (
    Math.max(a.x, b.x) > box.x - near &&
    Math.min(a.x, b.x) < box.x + box.width + near &&
    Math.max(a.y, b.y) > box.y - near &&
    Math.min(a.y, b.y) < box.y + box.height + near &&
    !isPort(a, b, box) &&
    !isPort(b, a, box)
  )
}

/**
 * Whether a line ends on the border of a card and comes from outside.
 * @param {Point} end
 * @param {Point} other
 * @param {Box} box
 */
function isPort(end, other, box) {
  const isOnSide =
    (end.x === box.x && other.x < end.x) || (end.x === box.x + box.width && other.x > end.x)
  const isOnEnd =
    (end.y === box.y && other.y < end.y) || (end.y === box.y + box.height && other.y > end.y)
  return (
    (isOnSide && end.y >= box.y && end.y <= box.y + box.height) ||
    (isOnEnd && end.x >= box.x && end.x <= box.x + box.width)
  )
}

/**
 * @param {Segment} one
 * @param {Segment} other
 */
function meets(one, other) {
  const [oneIsLevel, otherIsLevel] = [one.a.y === one.b.y, other.a.y === other.b.y]
  if (oneIsLevel === otherIsLevel) {
    const [across, along] = oneIsLevel
      ? /** @type {const} */ (['y', 'x'])
      : /** @type {const} */ (['x', 'y'])
    const isNear = Math.abs(one.a[across] - other.a[across]) < 8
    const shared =
      Math.min(Math.max(one.a[along], one.b[along]), Math.max(other.a[along], other.b[along])) -
      Math.max(Math.min(one.a[along], one.b[along]), Math.min(other.a[along], other.b[along]))
    return isNear && shared > 4 ? OVERLAP_COST : 0
  }
  const [level, upright] = oneIsLevel ? [one, other] : [other, one]
  const isCrossing =
    upright.a.x > Math.min(level.a.x, level.b.x) &&
    upright.a.x < Math.max(level.a.x, level.b.x) &&
    level.a.y > Math.min(upright.a.y, upright.b.y) &&
    level.a.y < Math.max(upright.a.y, upright.b.y)
  return isCrossing ? CROSSING_COST : 0
}

/**
 * The label stands on the longest level part, else on the longest.
 * @param {Point[]} points
 * @returns {Route}
 */
function asRoute(points) {
  const length = (/** @type {Segment} */ { a, b }) =>
    Math.abs(a.x - b.x) * 1.5 + Math.abs(a.y - b.y)
  const longest = segments(points).reduce((best, each) =>
    length(each) > length(best) ? each : best,
  )
  const [start, end] = [points[0] ?? { x: 0, y: 0 }, points.at(-1) ?? { x: 0, y: 0 }]
  return {
    path: roundedPath(points, 12),
    label: { x: (longest.a.x + longest.b.x) / 2, y: (longest.a.y + longest.b.y) / 2 },
    start,
    end,
  }
}
