// @ts-check
// The gap between cards that stand in order: where a drop would put a member.
import { el } from '../../../core/dom.js'

/**
 * @typedef {import('../layout/geometry.js').Box} Box
 * @typedef {import('../layout/geometry.js').Point} Point
 * @typedef {import('../canvas.js').Canvas} Canvas
 */

/** How far above and below a row still counts as being in it. */
const REACH_PX = 26

/**
 * Before which card a drop would go.
 * @param {Box[]} boxes
 * @param {Point} at
 * @returns {number}
 */
export function insertionAt(boxes, at) {
  const row = boxes.filter((box) => at.y < box.y + box.height + REACH_PX)
  const top =
    row.length > 0
      ? Math.max(
          ...row.filter((box) => box.y - REACH_PX <= at.y || box === row[0]).map((box) => box.y),
        )
      : Math.max(...boxes.map((box) => box.y))
  const before = boxes.findIndex((box) => box.y === top && at.x < box.x + box.width / 2)
  return before >= 0 ? before : boxes.findLastIndex((box) => box.y === top) + 1
}

/**
 * @param {Canvas} canvas
 * @param {number} index  before which card
 * @param {boolean} isShown
 */
export function showInsertion(canvas, index, isShown) {
  const gap =
    canvas.frame.querySelector('.insertion-marker') ??
    canvas.frame.appendChild(el('div', { class: 'insertion-marker' }))
  const [box, isAfter] = [
    canvas.boxes[index] ?? canvas.boxes[index - 1],
    canvas.boxes[index] === undefined,
  ]
  if (!(gap instanceof HTMLElement) || !box) return
  gap.hidden = !isShown
  gap.style.transform = `translate(${isAfter ? box.x + box.width + 12 : box.x - 14}px, ${box.y}px)`
  gap.style.height = `${box.height}px`
}

/** @param {Canvas} canvas */
export function hideInsertion(canvas) {
  canvas.frame.querySelector('.insertion-marker')?.remove()
}
