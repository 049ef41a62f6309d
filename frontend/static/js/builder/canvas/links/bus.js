// @ts-check
// Lines from a hub to rows of cards: one trunk between two columns, a rail above each row, and a
// short line down to each card. None runs behind a card, and a card that moves takes nothing but
// its own short line along. Pure numbers.

/**
 * @typedef {import('../layout/geometry.js').Box} Box
 * @typedef {import('../layout/geometry.js').Point} Point
 * @typedef {{ y: number, from: number, to: number }} Rail
 * @typedef {{ start: Point, trunk: number, rails: Rail[] }} Bus
 *   `start`: the foot of the hub; `trunk`: where it runs down
 */

const CORNER = 9
/** Beside a single column there is no gap. */
const OUTSIDE = 22

/**
 * @param {Box} hub
 * @param {Box[]} boxes  in rows below it
 * @param {number} gapX
 * @param {number} gapY
 * @returns {Bus}
 */
export function busOf(hub, boxes, gapX, gapY) {
  const start = { x: hub.x + hub.width / 2, y: hub.y + hub.height }
  const gaps = boxes
    .filter((box) => box.y === boxes[0]?.y)
    .slice(0, -1)
    .map((box) => box.x + box.width + gapX / 2)
  const off = (/** @type {number} */ x) => Math.abs(x - start.x)
  const trunk = gaps.reduce((best, gap) => (off(gap) < off(best) ? gap : best), gaps[0] ?? -OUTSIDE)
  const tops = [...new Set(boxes.map((box) => box.y))]
  const rails = tops.map((top, index) => {
    const ends = [
      ...boxes.filter((box) => box.y === top).map(middle),
      trunk,
      ...(index === 0 ? [start.x] : []),
    ]
    return { y: top - gapY / 2, from: Math.min(...ends), to: Math.max(...ends) }
  })
  return { start, trunk, rails }
}

/** @param {Box} box */
const middle = (box) => box.x + box.width / 2

/**
 * @param {Bus} bus
 * @param {Point} by
 * @returns {Bus}
 */
export function shiftedBus({ start, trunk, rails }, by) {
  return {
    start: { x: start.x + by.x, y: start.y + by.y },
    trunk: trunk + by.x,
    rails: rails.map((rail) => ({ y: rail.y + by.y, from: rail.from + by.x, to: rail.to + by.x })),
  }
}

/**
 * Which way a rail comes to the card at its end, where it turns down; 0 where it goes on.
 * @param {Bus} bus
 * @param {Rail} rail
 * @param {number} x
 */
function turn({ start, trunk, rails }, rail, x) {
  if (x === trunk || (rail === rails[0] && x === start.x)) return 0
  return x === rail.from ? 1 : x === rail.to ? -1 : 0
}

/**
 * Trunk and rails; no line is drawn twice.
 * @param {Bus} bus
 */
export function busPath(bus) {
  const { start, trunk, rails } = bus
  const [first, last] = [rails[0], rails.at(-1)]
  if (!first || !last) return ''
  const lines = rails.map(
    (rail) =>
      `M${rail.from + turn(bus, rail, rail.from) * CORNER} ${rail.y}H${rail.to + turn(bus, rail, rail.to) * CORNER}`,
  )
  return [
    `M${start.x} ${start.y}V${first.y}`,
    ...(last === first ? [] : [`M${trunk} ${first.y}V${last.y}`]),
    ...lines,
  ].join('')
}

/**
 * From the bus down to a card, wherever it stands; undefined above all rails.
 * @param {Bus} bus
 * @param {Box} box
 * @returns {string | undefined}
 */
export function stub(bus, box) {
  const x = middle(box)
  const rail = bus.rails.findLast((each) => each.y + CORNER <= box.y)
  if (!rail) return undefined
  if (x < rail.from || x > rail.to) return beyond(rail, x < rail.from ? -1 : 1, box)
  const way = turn(bus, rail, x)
  return way === 0
    ? `M${x} ${rail.y}V${box.y}`
    : `M${x + way * CORNER} ${rail.y}Q${x} ${rail.y} ${x} ${rail.y + CORNER}V${box.y}`
}

/**
 * To a card beyond the end of its rail.
 * @param {Rail} rail
 * @param {1 | -1} sign
 * @param {Box} box
 */
function beyond(rail, sign, box) {
  const [from, x] = [sign < 0 ? rail.from + CORNER : rail.to - CORNER, middle(box)]
  return `M${from} ${rail.y}H${x - sign * CORNER}Q${x} ${rail.y} ${x} ${rail.y + CORNER}V${box.y}`
}
