// @ts-check
// Which cards are made: those in the part of the world in view, and around it. Pure numbers.
import { overlaps } from '../layout/align.js'

/**
 * @typedef {import('../layout/geometry.js').Box} Box
 * @typedef {import('../layout/geometry.js').Point} Point
 * @typedef {import('../layout/geometry.js').Size} Size
 */

/** A team of so few is made whole. */
const FEW = 24
/**
 * How much is made beyond each side of what is in view, as a share of it; what is there already
 * stays for longer.
 */
const COMES = 0.25
const GOES = 0.75

/**
 * @param {Point & { zoom: number, size: Size }} viewport
 * @param {(Box | undefined)[]} boxes  of all cards; undefined where none has its place yet
 * @param {(index: number) => boolean} isThere  whether it is made and shown
 * @param {(index: number) => boolean} isHeld  whether it must be, wherever it stands
 * @returns {number[]} the places of those to show, in order
 */
export function nearbyCards(viewport, boxes, isThere, isHeld) {
  if (boxes.length <= FEW) return [...boxes.keys()]
  const [comes, stays] = [partInView(viewport, COMES), partInView(viewport, GOES)]
  const isNear = (/** @type {Box | undefined} */ box, /** @type {number} */ index) =>
    isHeld(index) || (box !== undefined && overlaps(isThere(index) ? stays : comes, box))
  return [...boxes.keys()].filter((index) => isNear(boxes[index], index))
}

/**
 * @param {Point & { zoom: number, size: Size }} viewport
 * @param {number} around  as a share of it
 * @returns {Box}
 */
function partInView({ x, y, zoom, size }, around) {
  const [width, height] = [size.width / zoom, size.height / zoom]
  return {
    x: -x / zoom - width * around,
    y: -y / zoom - height * around,
    width: width * (1 + 2 * around),
    height: height * (1 + 2 * around),
  }
}

/**
 * Of those to show, as many as one frame may make; those that are there already cost nothing.
 * @param {number[]} wanted
 * @param {(index: number) => boolean} isMade
 * @param {number} most
 */
export function withinFrameBudget(wanted, isMade, most) {
  let left = most
  return wanted.filter((index) => isMade(index) || left-- > 0)
}
