// @ts-check
// The frame around the cards of a team: how large it is, and where in it they begin.
import { extent } from '../layout/geometry.js'

/**
 * @typedef {import('../layout/geometry.js').Size} Size
 * @typedef {import('./scene.js').Scene} Scene
 */

export const PAD = 40
/** The title and the sentence need some room even where there are no cards. */
const MIN_WIDTH = 420
/** The box that stands for the first member; node.css has the same size. */
export const EMPTY = { width: 300, height: 84 }
export const HUB_GAP = 24
/** For the names of groups above their cards. */
export const GROUP_ROOM = 20
/** Room below the cards: for the line back to the first, or just air. */
const FOOT_WITH_LOOP = 54
const FOOT = 34
/**
 * Cards stand on the dots of the ground, so what is above and left of them is a whole number of
 * steps.
 */
const STEP = 20

/**
 * What the layout may fill.
 * @param {Size} view  of the canvas
 * @returns {Size}
 */
export function innerSize({ width, height }) {
  return { width: width - 2 * PAD - 40, height: height - 220 }
}

/**
 * @param {Scene} scene
 * @param {import('../layout/layout.js').Placed} placed
 * @param {Size} room
 * @returns {{ width: number, left: number, topBelow: (headHeight: number) => number, heightBelow:
 *   number }} `left` and
 *   `topBelow` say where the first card stands, `heightBelow` how high the frame is from there on
 */
export function frameAround(scene, placed, room) {
  const inner = placed.lanes
    ? placed.size
    : extent(placed.hub ? [placed.hub, ...placed.boxes] : placed.boxes)
  const width = Math.max(inner.width, Math.min(MIN_WIDTH, room.width), EMPTY.width) + 2 * PAD
  const isEmpty = scene.cards.length === 0 && scene.memberSlot !== ''
  const shown = isEmpty ? (placed.hub ? inner.height + HUB_GAP : 0) + EMPTY.height : inner.height
  return {
    width,
    left: PAD + Math.floor(Math.max(0, (width - 2 * PAD - inner.width) / 2) / STEP) * STEP,
    topBelow: (headHeight) => Math.ceil((headHeight + 12) / STEP) * STEP,
    heightBelow:
      Math.max(shown, 96) +
      (scene.edges.length > 0 && scene.flow !== 'hub' ? FOOT_WITH_LOOP : FOOT),
  }
}
