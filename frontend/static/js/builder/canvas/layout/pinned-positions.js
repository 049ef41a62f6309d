// @ts-check
// Where cards stay while a team is edited: a line that comes, goes or gets a condition moves none
// of them.
import { overlaps } from './align.js'
import { CARD_WIDTH_PX, extent, fitScale } from './geometry.js'

/**
 * @typedef {import('./geometry.js').Box} Box
 * @typedef {import('./geometry.js').Size} Size
 * @typedef {import('./layout.js').Placed} Placed
 * @typedef {import('../draw/scene.js').Scene} Scene
 * @typedef {{ scene: Scene, placed: Placed, width: number, isKept: boolean }} Before  the last
 *   layout of a team, how wide the window was, and whether it was made for another picture
 */

const GAP = { x: 64, y: 52 }
/** Nearer than this, cards make room for one that grew. */
const MIN_GAP = 6

/**
 * The places of the last layout, with room found for new cards; none when a card has grown into
 * another.
 * @param {Before} before
 * @param {Scene} scene
 * @param {Size[]} sizes
 * @param {Size} view
 * @returns {Placed | undefined}
 */
export function pinnedPositions(before, scene, sizes, view) {
  const was = sameCards(before.scene, scene)
  /** @type {(Box | undefined)[]} */
  const boxes = sizes.map((size, index) => {
    const box = before.placed.boxes[was[index] ?? -1]
    return box && { ...size, x: box.x, y: box.y }
  })
  const kept = boxes.filter((box) => box !== undefined)
  if (kept.length === 0 || collide(kept)) return undefined
  sizes.forEach((size, index) => {
    boxes[index] ??= freeSpaceFor(
      size,
      boxes.filter((box) => box !== undefined),
      boxes[index - 1],
      view,
    )
  })
  const all = boxes.filter((box) => box !== undefined)
  return {
    hub: null,
    boxes: all,
    lanes: pinnedLanes(before, scene, was),
    size: extent([
      ...all,
      {
        x: 0,
        y: 0,
        ...(kept.length === before.placed.boxes.length
          ? before.placed.size
          : { width: 0, height: 0 }),
      },
    ]),
  }
}

/**
 * For each card its place in the scene before: by name, or in its order where one was renamed.
 * @param {Scene} before
 * @param {Scene} scene
 * @returns {(number | undefined)[]}
 */
function sameCards(before, scene) {
  const byName = new Map(before.cards.map((card, index) => [card.name, index]))
  const names = new Set(scene.cards.map((card) => card.name))
  const isAsMany = before.cards.length === scene.cards.length
  return scene.cards.map(
    (card, index) =>
      byName.get(card.name) ??
      (isAsMany && !names.has(before.cards[index]?.name ?? '') ? index : undefined),
  )
}

/**
 * Edges that were there keep their way; the others find one around the cards.
 * @param {Before} before
 * @param {Scene} scene
 * @param {(number | undefined)[]} was
 * @returns {Placed['lanes']}
 */
function pinnedLanes({ placed, scene: old }, scene, was) {
  const { lanes } = placed
  if (!lanes) return null
  const key = (
    /** @type {number | undefined} */ from,
    /** @type {number | undefined} */ to,
    /** @type {string[]} */ seen,
  ) => {
    const name = `${from} ${to}`
    seen.push(name)
    return `${name} ${seen.filter((each) => each === name).length}`
  }
  /** @type {string[]} */
  const seenBefore = []
  const known = new Map(
    old.edges.map((edge, index) => [key(edge.from, edge.to, seenBefore), index]),
  )
  /** @type {string[]} */
  const seen = []
  const places = scene.edges.map((edge) => known.get(key(was[edge.from], was[edge.to], seen)))
  const fresh = places.flatMap((place, index) =>
    place === undefined || lanes.fresh?.includes(place) ? [index] : [],
  )
  return {
    ...lanes,
    bends: places.map((place) => lanes.bends[place ?? -1] ?? []),
    moved: [],
    fresh,
    marked: scene.marks.map((mark) => mark.card),
  }
}

/** @param {Box[]} boxes */
function collide(boxes) {
  const grown = boxes.map((box) => ({ ...box, height: box.height + MIN_GAP }))
  return grown.some((box, index) => grown.some((other, nth) => nth > index && overlaps(box, other)))
}

/**
 * Beside or below another card, near the one before it, where the whole stays as large as it can be
 * seen.
 * @param {Size} size
 * @param {Box[]} boxes
 * @param {Box | undefined} beside
 * @param {Size} view
 * @returns {Box}
 */
function freeSpaceFor(size, boxes, beside, view) {
  const near = beside ?? boxes.at(-1) ?? { x: 0, y: 0 }
  const free = boxes
    .flatMap((box) => [
      { ...size, x: box.x + CARD_WIDTH_PX + GAP.x, y: box.y },
      { ...size, x: box.x, y: box.y + box.height + GAP.y },
    ])
    .filter(
      (place) =>
        !boxes.some((box) =>
          overlaps({ ...box, width: box.width + 20, height: box.height + 20 }, place),
        ),
    )
  const cost = (/** @type {Box} */ place) =>
    (1 / Math.min(1, fitScale(extent([...boxes, place]), view))) * 1000 +
    Math.hypot(place.x - near.x, place.y - near.y)
  return free.reduce(
    (best, place) => (cost(place) < cost(best) ? place : best),
    free[0] ?? { ...size, x: 0, y: extent(boxes).height + GAP.y },
  )
}
