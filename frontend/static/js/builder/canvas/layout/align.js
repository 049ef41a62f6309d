// @ts-check
// Cards in line with each other. Pure numbers: boxes in, new places out.

/**
 * @typedef {import('./geometry.js').Box} Box
 * @typedef {import('./geometry.js').Point} Point
 * @typedef {'left' | 'centre' | 'right' | 'top' | 'middle' | 'bottom'} Edge
 * @typedef {{ axis: 'x' | 'y', at: number, from: number, to: number }} Guide  a line at x or y, and
 *   how far it reaches
 */

/** Cards keep to the dots of the ground. */
export const GRID_PX = 20
/** Nearer than this, a line of another card draws. */
const REACH_PX = 7

/**
 * @param {Box[]} boxes
 * @returns {Box} all of them together
 */
export function around(boxes) {
  const [x, y] = [Math.min(...boxes.map((box) => box.x)), Math.min(...boxes.map((box) => box.y))]
  return {
    x,
    y,
    width: Math.max(...boxes.map((box) => box.x + box.width)) - x,
    height: Math.max(...boxes.map((box) => box.y + box.height)) - y,
  }
}

/**
 * @param {Box[]} boxes
 * @param {Edge} edge
 * @returns {Point[]}
 */
export function aligned(boxes, edge) {
  const all = around(boxes)
  return boxes.map((box) => {
    if (edge === 'left') return { x: all.x, y: box.y }
    if (edge === 'right') return { x: all.x + all.width - box.width, y: box.y }
    if (edge === 'centre') return { x: Math.round(all.x + (all.width - box.width) / 2), y: box.y }
    if (edge === 'top') return { x: box.x, y: all.y }
    if (edge === 'bottom') return { x: box.x, y: all.y + all.height - box.height }
    return { x: box.x, y: Math.round(all.y + (all.height - box.height) / 2) }
  })
}

/**
 * The same gap between all; the outer ones stay.
 * @param {Box[]} boxes
 * @param {'x' | 'y'} axis
 * @returns {Point[]}
 */
export function distributed(boxes, axis) {
  const size = axis === 'x' ? 'width' : 'height'
  const order = boxes
    .map((_box, index) => index)
    .toSorted((a, b) => (boxes[a]?.[axis] ?? 0) - (boxes[b]?.[axis] ?? 0))
  const all = around(boxes)
  const gap =
    (all[size] - boxes.reduce((sum, box) => sum + box[size], 0)) / Math.max(1, boxes.length - 1)
  let next = all[axis]
  const places = boxes.map(({ x, y }) => ({ x, y }))
  for (const index of order) {
    const place = places[index]
    if (place) place[axis] = Math.round(next)
    next += (boxes[index]?.[size] ?? 0) + gap
  }
  return places
}

/**
 * Where a box that is dragged comes to stand: in line with another when it is near, else on the
 * grid.
 * @param {Box} box
 * @param {Box[]} others
 * @returns {Point & { guides: Guide[] }}
 */
export function snapped(box, others) {
  const x = nearest(box, others, 'x')
  const y = nearest(box, others, 'y')
  const at = { ...box, x: x?.at ?? onGrid(box.x), y: y?.at ?? onGrid(box.y) }
  const guides = [
    ...(x ? [guide(at, x.other, 'x', x.line)] : []),
    ...(y ? [guide(at, y.other, 'y', y.line)] : []),
  ]
  return { x: at.x, y: at.y, guides }
}

/** @param {number} value */
function onGrid(value) {
  return Math.round(value / GRID_PX) * GRID_PX
}

/**
 * @param {Box} box
 * @param {'x' | 'y'} axis
 * @returns {[number, number, number]} start, middle and end
 */
function lines(box, axis) {
  const size = axis === 'x' ? box.width : box.height
  return [box[axis], box[axis] + size / 2, box[axis] + size]
}

/**
 * @param {Box} box
 * @param {Box[]} others
 * @param {'x' | 'y'} axis
 */
function nearest(box, others, axis) {
  /** @type {{ at: number, line: number, other: Box, distance: number } | null} */
  let best = null
  const own = lines(box, axis)
  for (const other of others) {
    lines(other, axis).forEach((line, which) => {
      const distance = Math.abs(line - (own[which] ?? 0))
      if (distance <= REACH_PX && distance < (best?.distance ?? Infinity))
        best = { at: box[axis] + line - (own[which] ?? 0), line, other, distance }
    })
  }
  return /** @type {{ at: number, line: number, other: Box, distance: number } | null} */ (best)
}

/**
 * @param {Box} box
 * @param {Box} other
 * @param {'x' | 'y'} axis
 * @param {number} at
 * @returns {Guide}
 */
function guide(box, other, axis, at) {
  const [across, size] =
    axis === 'x'
      ? [/** @type {const} */ ('y'), /** @type {const} */ ('height')]
      : [/** @type {const} */ ('x'), /** @type {const} */ ('width')]
  return {
    axis,
    at,
    from: Math.min(box[across], other[across]),
    to: Math.max(box[across] + box[size], other[across] + other[size]),
  }
}

/**
 * @param {Box} a
 * @param {Box} b
 */
export function overlaps(a, b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height
}
