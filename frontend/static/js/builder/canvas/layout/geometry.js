// @ts-check
// Where cards stand and how edges run. Pure numbers: sizes in, places and SVG paths out.
import { busOf } from '../links/bus.js'

/**
 * @typedef {{ width: number, height: number }} Size
 * @typedef {{ x: number, y: number }} Point
 * @typedef {Point & Size} Box
 */

export const CARD_WIDTH_PX = 236
const GAP_X = 64
const GAP_Y = 52
const LANE = 26
const PORT_Y = 24
const CORNER = 10
/** More in a row are only tried as one row of all. */
const MAX_COLUMNS = 24
/** Around a hub, more than these stand in rows: one line of them would be too long to see. */
const FEW = 6
/** How far lines run beside cards: those between rows, and the way back outside of them. */
const SIDE = 14
const OUTSIDE = 27
/** What would be seen smaller than this is not shown as a whole. */
export const SEEN_WHOLE = 0.34

/**
 * How much `content` may be scaled to fit into `view`.
 * @param {Size} content
 * @param {Size} view
 */
export function fitScale(content, view) {
  return Math.min(
    view.width / Math.max(1, content.width),
    view.height / Math.max(1, content.height),
  )
}

/**
 * @param {Box[]} boxes
 * @returns {Size}
 */
export function extent(boxes) {
  return {
    width: Math.max(0, ...boxes.map((box) => box.x + box.width)),
    height: Math.max(0, ...boxes.map((box) => box.y + box.height)),
  }
}

/**
 * Rows of `columns` cards, the tops of a row in line.
 * @param {Size[]} sizes
 * @param {number} columns
 * @param {number} [gapX]
 * @returns {Box[]}
 */
export function rows(sizes, columns, gapX = GAP_X) {
  /** @type {Box[]} */
  const boxes = []
  let top = 0
  for (let start = 0; start < sizes.length; start += columns) {
    const row = sizes.slice(start, start + columns)
    boxes.push(
      ...row.map((size, column) => ({ ...size, x: column * (CARD_WIDTH_PX + gapX), y: top })),
    )
    top += Math.max(...row.map((size) => size.height)) + GAP_Y
  }
  return boxes
}

/**
 * How large rows of `columns` cards are.
 * @param {Size[]} sizes
 * @param {number} columns
 * @returns {Size}
 */
function extentOfRows(sizes, columns) {
  let height = -GAP_Y
  let highest = 0
  sizes.forEach((size, index) => {
    highest = Math.max(index % columns === 0 ? 0 : highest, size.height)
    if (index % columns === columns - 1 || index === sizes.length - 1) height += highest + GAP_Y
  })
  return { width: Math.min(columns, sizes.length) * (CARD_WIDTH_PX + GAP_X) - GAP_X, height }
}

/**
 * Rows as wide as suits the window best.
 * @param {Size[]} sizes
 * @param {Size} view
 * @returns {Box[]}
 */
export function inOrder(sizes, view) {
  const counts = sizes
    .map((_size, index) => sizes.length - index)
    .filter((columns, index) => index === 0 || columns <= MAX_COLUMNS)
  const scores = counts.map((columns) => Math.min(1, fitScale(extentOfRows(sizes, columns), view)))
  const best = scores.reduce(
    (found, score, index) => (score > (scores[found] ?? 0) + 0.02 ? index : found),
    0,
  )
  return rows(sizes, counts[best] ?? 1)
}

/**
 * The hub first, then its members: beside it, below it, on both sides, or in rows with a bus
 * between them.
 * @param {Size} hub
 * @param {Size[]} sizes
 * @param {Size} view
 * @returns {{ hub: Box, boxes: Box[], bus?: import('../links/bus.js').Bus }}
 */
export function aroundHub(hub, sizes, view) {
  const choices = [
    beside(hub, sizes),
    below(hub, sizes),
    onBothSides(hub, sizes),
    ...(sizes.length > FEW ? [rowsBelow(hub, sizes, view)] : []),
  ]
  const score = (/** @type {{ hub: Box, boxes: Box[] }} */ choice) =>
    Math.min(1, fitScale(extent([choice.hub, ...choice.boxes]), view))
  return choices.reduce((best, choice) => (score(choice) > score(best) + 0.02 ? choice : best))
}

/**
 * @param {Size[]} sizes
 * @param {number} x
 * @returns {Box[]}
 */
function column(sizes, x) {
  let y = 0
  return sizes.map((size) => {
    const box = { ...size, x, y }
    y += size.height + 24
    return box
  })
}

/**
 * @param {Box[]} boxes
 * @param {number} height
 * @returns {Box[]}
 */
function centred(boxes, height) {
  const down = Math.max(0, (height - extent(boxes).height) / 2)
  return boxes.map((box) => ({ ...box, y: box.y + down }))
}

/**
 * @param {Size} hub
 * @param {Size[]} sizes
 */
function beside(hub, sizes) {
  const boxes = column(sizes, CARD_WIDTH_PX + GAP_X + 40)
  const height = Math.max(extent(boxes).height, hub.height)
  return {
    hub: { ...hub, x: 0, y: Math.max(0, (height - hub.height) / 2) },
    boxes: centred(boxes, height),
  }
}

/**
 * @param {Size} hub
 * @param {Size[]} sizes
 */
function below(hub, sizes) {
  const boxes = rows(sizes, Math.max(1, sizes.length), 28).map((box) => ({
    ...box,
    y: box.y + hub.height + 72,
  }))
  const width = Math.max(extent(boxes).width, hub.width)
  return { hub: { ...hub, x: (width - hub.width) / 2, y: 0 }, boxes }
}

/**
 * What cannot be seen as a whole has its hub where it begins.
 * @param {Size} hub
 * @param {Size[]} sizes
 * @param {Size} view
 */
function rowsBelow(hub, sizes, view) {
  const boxes = inOrder(sizes, view).map((box) => ({ ...box, y: box.y + hub.height + 72 }))
  const size = extent(boxes)
  const middle =
    fitScale(size, view) < SEEN_WHOLE
      ? CARD_WIDTH_PX + GAP_X / 2
      : Math.max(size.width, hub.width) / 2
  const placed = { ...hub, x: middle - hub.width / 2, y: 0 }
  return { hub: placed, boxes, bus: busOf(placed, boxes, GAP_X, GAP_Y) }
}

/**
 * @param {Size} hub
 * @param {Size[]} sizes
 */
function onBothSides(hub, sizes) {
  const half = Math.ceil(sizes.length / 2)
  const step = CARD_WIDTH_PX + GAP_X + 24
  const left = column(sizes.slice(0, half), 0)
  const right = column(sizes.slice(half), 2 * step)
  const height = Math.max(extent([...left, ...right]).height, hub.height)
  return {
    hub: { ...hub, x: step, y: (height - hub.height) / 2 },
    boxes: [...centred(left, height), ...centred(right, height)],
  }
}

/**
 * @param {Point[]} points  corners of a line that runs along the axes
 * @param {number} [radius]
 */
export function roundedPath(points, radius = CORNER) {
  const [first, ...rest] = points
  if (!first) return ''
  const parts = [`M${first.x} ${first.y}`]
  rest.forEach((corner, index) => {
    const before = points[index] ?? corner
    const after = rest[index + 1]
    if (!after) {
      parts.push(`L${corner.x} ${corner.y}`)
      return
    }
    const cut = Math.min(radius, distance(before, corner) / 2, distance(corner, after) / 2)
    const from = towards(corner, before, cut)
    const to = towards(corner, after, cut)
    parts.push(`L${from.x} ${from.y}Q${corner.x} ${corner.y} ${to.x} ${to.y}`)
  })
  return parts.join('')
}

/**
 * @param {Point} a
 * @param {Point} b
 */
const distance = (a, b) => Math.hypot(b.x - a.x, b.y - a.y)

/**
 * @param {Point} from
 * @param {Point} to
 * @param {number} length
 * @returns {Point}
 */
function towards(from, to, length) {
  const whole = distance(from, to) || 1
  return {
    x: round(from.x + ((to.x - from.x) * length) / whole),
    y: round(from.y + ((to.y - from.y) * length) / whole),
  }
}

/** @param {number} value */
const round = (value) => Math.round(value * 10) / 10

/**
 * From the right side of one card to the left side of the next, or around when that lies behind.
 * @param {Box} from
 * @param {Box} to
 * @param {Box[]} boxes  all cards, to pass below those of the same row
 * @returns {{ path: string, label: Point }}
 */
export function forward(from, to, boxes) {
  const start = { x: from.x + from.width, y: from.y + PORT_Y }
  const end = { x: to.x, y: to.y + PORT_Y }
  if (end.x > start.x + 12) {
    const bend = Math.max(24, (end.x - start.x) / 2)
    return {
      path: `M${start.x} ${start.y}C${start.x + bend} ${start.y} ${end.x - bend} ${end.y} ${end.x} ${end.y}`,
      label: { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 },
    }
  }
  const bottom = Math.max(
    ...boxes.filter((box) => box.y === from.y).map((box) => box.y + box.height),
    from.y + from.height,
  )
  const lane = to.y >= bottom ? (bottom + to.y) / 2 : Math.max(bottom, to.y + to.height) + LANE
  const points = [
    start,
    { x: start.x + SIDE, y: start.y },
    { x: start.x + SIDE, y: lane },
    { x: end.x - SIDE, y: lane },
    { x: end.x - SIDE, y: end.y },
    end,
  ]
  return { path: roundedPath(points), label: { x: (start.x + end.x) / 2, y: lane } }
}

/**
 * From the last card back to the first, below all of them.
 * @param {Box} from
 * @param {Box} to
 * @param {Box[]} boxes
 * @returns {{ path: string, label: Point }}
 */
export function loop(from, to, boxes) {
  const lane = extent(boxes).height + LANE
  const start = { x: from.x + from.width / 2, y: from.y + from.height }
  if (to.y === from.y) {
    const end = { x: to.x + to.width / 2, y: to.y + to.height }
    return {
      path: roundedPath([start, { x: start.x, y: lane }, { x: end.x, y: lane }, end]),
      label: { x: (start.x + end.x) / 2, y: lane },
    }
  }
  const end = { x: to.x, y: to.y + PORT_Y }
  return {
    path: roundedPath([
      start,
      { x: start.x, y: lane },
      { x: end.x - OUTSIDE, y: lane },
      { x: end.x - OUTSIDE, y: end.y },
      end,
    ]),
    label: { x: (start.x + end.x) / 2, y: lane },
  }
}

/**
 * Between the hub and a member, from whichever sides face each other.
 * @param {Box} hub
 * @param {Box} card
 * @returns {{ path: string, label: Point }}
 */
export function spoke(hub, card) {
  const [a, b] = [centre(hub), centre(card)]
  const isAcross = card.x >= hub.x + hub.width || card.x + card.width <= hub.x
  const sign = isAcross ? Math.sign(b.x - a.x) : Math.sign(b.y - a.y)
  const start = isAcross
    ? { x: a.x + (sign * hub.width) / 2, y: a.y }
    : { x: a.x, y: a.y + (sign * hub.height) / 2 }
  const end = isAcross
    ? { x: b.x - (sign * card.width) / 2, y: b.y }
    : { x: b.x, y: b.y - (sign * card.height) / 2 }
  const middle = { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 }
  const [c1, c2] = isAcross
    ? [`${middle.x} ${start.y}`, `${middle.x} ${end.y}`]
    : [`${start.x} ${middle.y}`, `${end.x} ${middle.y}`]
  return { path: `M${start.x} ${start.y}C${c1} ${c2} ${end.x} ${end.y}`, label: middle }
}

/**
 * @param {Box} box
 * @returns {Point}
 */
export function centre(box) {
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

/**
 * The next box in a direction, for arrow keys.
 * @param {Box[]} boxes
 * @param {number} from
 * @param {'left' | 'right' | 'up' | 'down'} direction
 * @returns {number}
 */
export function neighbour(boxes, from, direction) {
  const here = boxes[from]
  if (!here) return boxes.length > 0 ? 0 : -1
  const sideways = direction === 'left' || direction === 'right'
  const sign = direction === 'right' || direction === 'down' ? 1 : -1
  let best = -1
  let bestCost = Infinity
  boxes.forEach((box, index) => {
    const [dx, dy] = [centre(box).x - centre(here).x, centre(box).y - centre(here).y]
    const ahead = sign * (sideways ? dx : dy)
    const cost = ahead + 2.5 * Math.abs(sideways ? dy : dx)
    if (index !== from && ahead > 8 && cost < bestCost) [best, bestCost] = [index, cost]
  })
  return best
}

/** @typedef {{ hub: Box | null, boxes: Box[] }} Standing */

/**
 * The cards that stand elsewhere than before; undefined when the hub does.
 * @param {Standing} before
 * @param {Standing} after
 * @returns {Set<number> | undefined}
 */
export function movedCards(before, after) {
  const isStill = (
    /** @type {Box | null | undefined} */ a,
    /** @type {Box | null | undefined} */ b,
  ) => a?.x === b?.x && a?.y === b?.y && a?.height === b?.height
  if (!isStill(before.hub, after.hub)) return undefined
  return new Set(
    after.boxes.flatMap((box, index) => (isStill(box, before.boxes[index]) ? [] : [index])),
  )
}
