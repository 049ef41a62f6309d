// @ts-check
import { pinOf } from '../../document/pins.js'
import { shiftedBus } from '../links/bus.js'
import { aroundHub, extent, fitScale, inOrder } from './geometry.js'
import { pinnedPositions } from './pinned-positions.js'
import { LABEL_HEIGHT_PX, labelWidth } from '../links/routes.js'

/**
 * @typedef {import('./geometry.js').Size} Size
 * @typedef {import('./geometry.js').Box} Box
 * @typedef {import('../draw/scene.js').Scene} Scene
 * @typedef {import('./geometry.js').Point} Point
 * @typedef {{ bends: Point[][], isDownwards: boolean, moved: number[], marked: number[], fresh?:
 *   number[] }} Lanes  the points that were left free for each edge; cards that were moved since,
 *   cards with marks, and edges that came since
 * @typedef {{ hub: Box | null, boxes: Box[], lanes: Lanes | null, bus?:
 *   import('../links/bus.js').Bus | undefined, size: Size }} Placed  `lanes`: none where none are
 *   needed
 */

/** @typedef {{ before?: import('./pinned-positions.js').Before | undefined }} Memory */

/**
 * Whether a picture is another than the layout would make now.
 * @param {Memory} memory
 */
export function isOld({ before }) {
  return before?.isKept === true
}

/** Below this one cannot read the cards, and another direction is tried. */
const ENOUGH = 0.8
/**
 * With more cards than this the second layout is not worth its time: neither can be read as a
 * whole.
 */
const MAX_ATTEMPTS = 60
/** How far marks stand out above a card. */
const MARK_PX = 18
/**
 * A layered picture smaller than this cannot be read; rows that show it so much larger are better.
 */
const TOO_SMALL = 0.4
const MUCH_LARGER = 1.5

/**
 * Where the cards of a team stand. Graphs ask dagre, which is loaded only then.
 * @param {Scene} scene
 * @param {Size | null} hub
 * @param {Size[]} sizes
 * @param {Size} view
 * @param {Record<string, { x: number, y: number }>} pins
 * @param {Memory} [memory]  of the layouts before
 * @returns {Promise<Placed>}
 */
export async function placeCards(scene, hub, sizes, view, pins, memory = {}) {
  const before =
    memory.before?.scene.pointer === scene.pointer &&
    memory.before.scene.flow === scene.flow &&
    memory.before.width === view.width
      ? memory.before
      : undefined
  const isDrawn = (scene.flow === 'graph' || scene.flow === 'handoffs') && !hub
  const kept = before && isDrawn ? pinnedPositions(before, scene, sizes, view) : undefined
  const placed = kept ?? (await arrange(scene, hub, sizes, view, before?.placed.lanes?.isDownwards))
  memory.before =
    sizes.length > 0 && isDrawn
      ? {
          scene,
          placed,
          width: view.width,
          isKept: kept !== undefined && (before?.isKept === true || isOther(before, scene)),
        }
      : undefined
  if (scene.flow === 'order') return placed
  const boxes = placed.boxes.map((box, index) => ({
    ...box,
    ...pinOf(pins, scene.cards[index]?.name ?? ''),
  }))
  const moved = [...boxes.keys()].filter(
    (index) =>
      boxes[index]?.x !== placed.boxes[index]?.x || boxes[index]?.y !== placed.boxes[index]?.y,
  )
  return moved.length > 0
    ? shiftedIntoView({ ...placed, boxes, lanes: placed.lanes && { ...placed.lanes, moved } })
    : placed
}

/**
 * @param {import('./pinned-positions.js').Before | undefined} before
 * @param {Scene} scene
 */
function isOther(before, scene) {
  const shape = (/** @type {Scene | undefined} */ of) =>
    JSON.stringify([of?.cards.length, of?.edges.map(({ from, to, label }) => [from, to, label])])
  return shape(before?.scene) !== shape(scene)
}

/**
 * @param {Scene} scene
 * @param {Size | null} hub
 * @param {Size[]} sizes
 * @param {Size} view
 * @param {boolean} [isDownwards]  as it was until now
 * @returns {Promise<Placed>}
 */
async function arrange(scene, hub, sizes, view, isDownwards) {
  if (hub && sizes.length > 0) return without(aroundHub(hub, sizes, view))
  if (hub) return without({ hub: { ...hub, x: 0, y: 0 }, boxes: [] })
  const isLayered = (scene.flow === 'graph' || scene.flow === 'handoffs') && scene.edges.length > 0
  return isLayered
    ? layered(scene, sizes, view, isDownwards)
    : without({ hub: null, boxes: inOrder(sizes, view) })
}

/**
 * @param {{ hub: Box | null, boxes: Box[], bus?: import('../links/bus.js').Bus | undefined }}
 *   placed
 * @returns {Placed}
 */
function without({ hub, boxes, bus }) {
  return { hub, boxes, lanes: null, bus, size: extent(hub ? [hub, ...boxes] : boxes) }
}

/**
 * To the right, or downwards where that shows it larger; in rows where neither can be seen as a
 * whole.
 * @param {Scene} scene
 * @param {Size[]} sizes
 * @param {Size} view
 * @param {boolean} [isDownwards]
 * @returns {Promise<Placed>}
 */
async function layered(scene, sizes, view, isDownwards) {
  const best = await inBestLayers(scene, sizes, view, isDownwards)
  const shown = fitScale(best.size, view)
  if (shown >= TOO_SMALL) return best
  const plain = without({ hub: null, boxes: inOrder(sizes, view) })
  return fitScale(plain.size, view) > shown * MUCH_LARGER ? plain : best
}

/**
 * @param {Scene} scene
 * @param {Size[]} sizes
 * @param {Size} view
 * @param {boolean} [isDownwards]
 * @returns {Promise<Placed>}
 */
async function inBestLayers(scene, sizes, view, isDownwards) {
  const dagre = /** @type {any} */ (await import('@dagrejs/dagre'))
  if (isDownwards !== undefined) return inLayers(dagre, scene, sizes, isDownwards)
  const across = inLayers(dagre, scene, sizes, false)
  if (fitScale(across.size, view) >= ENOUGH || sizes.length > MAX_ATTEMPTS) return across
  const down = inLayers(dagre, scene, sizes, true)
  return fitScale(down.size, view) > fitScale(across.size, view) * 1.1 ? down : across
}

/**
 * @param {any} dagre
 * @param {Scene} scene
 * @param {Size[]} sizes
 * @param {boolean} isDownwards
 * @returns {Placed}
 */
function inLayers({ Graph, layout }, scene, sizes, isDownwards) {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({
    rankdir: isDownwards ? 'TB' : 'LR',
    nodesep: 40,
    edgesep: 22,
    ranksep: scene.edges.some((edge) => edge.label) ? 72 : 92,
  })
  // Where the team begins comes first, so that edges back to it are those that are turned round.
  const starts = new Set(
    scene.marks.filter((mark) => mark.kind === 'start').map((mark) => mark.card),
  )
  const order = [...sizes.keys()].toSorted((a, b) => Number(starts.has(b)) - Number(starts.has(a)))
  for (const index of order) graph.setNode(String(index), { ...sizes[index] })
  scene.edges.forEach((edge, index) =>
    graph.setEdge(
      String(edge.from),
      String(edge.to),
      { width: labelWidth(edge.label), height: edge.label ? LABEL_HEIGHT_PX : 0, labelpos: 'c' },
      String(index),
    ),
  )
  layout(graph)
  const boxes = sizes.map((size, index) => {
    const node = graph.node(String(index))
    return {
      ...size,
      x: Math.round(node.x - size.width / 2),
      y: Math.round(node.y - size.height / 2),
    }
  })
  const bends = scene.edges.map((edge, index) =>
    graph.edge(String(edge.from), String(edge.to), String(index)).points.slice(1, -1),
  )
  return tight(boxes, bends, scene, isDownwards)
}

/**
 * Moved to the corner, with the room that lines and labels take.
 * @param {Box[]} boxes
 * @param {Point[][]} bends
 * @param {Scene} scene
 * @param {boolean} isDownwards
 * @returns {Placed}
 */
function tight(boxes, bends, scene, isDownwards) {
  const room = bends.flatMap((points, index) =>
    points.map(({ x, y }) => {
      const [width, height] = [labelWidth(scene.edges[index]?.label ?? ''), LABEL_HEIGHT_PX]
      return { x: x - width / 2, y: y - height / 2, width, height }
    }),
  )
  const marks = scene.marks
    .flatMap((mark) => boxes[mark.card] ?? [])
    .map((box) => ({ ...box, y: box.y - MARK_PX, height: MARK_PX }))
  const all = [...boxes, ...room, ...marks]
  const [left, top] = [Math.min(...all.map((box) => box.x)), Math.min(...all.map((box) => box.y))]
  const moved = (/** @type {any} */ at) => ({ ...at, x: at.x - left, y: at.y - top })
  return {
    hub: null,
    boxes: boxes.map(moved),
    lanes: {
      bends: bends.map((points) => points.map(moved)),
      isDownwards,
      moved: [],
      marked: scene.marks.map((mark) => mark.card),
    },
    size: extent(all.map(moved)),
  }
}

/**
 * No card left of or above the frame, wherever it was pinned.
 * @param {Placed} placed
 * @returns {Placed}
 */
function shiftedIntoView({ hub, boxes, lanes, bus }) {
  const all = hub ? [hub, ...boxes] : boxes
  const left = Math.min(0, ...all.map((box) => box.x))
  const top = Math.min(0, ...all.map((box) => box.y))
  /**
   * @template {Point} P
   * @param {P} at
   * @returns {P}
   */
  const moved = (at) => ({ ...at, x: at.x - left, y: at.y - top })
  const placed = without({
    hub: hub ? moved(hub) : null,
    boxes: boxes.map(moved),
    bus: bus && shiftedBus(bus, { x: -left, y: -top }),
  })
  return {
    ...placed,
    lanes: lanes && { ...lanes, bends: lanes.bends.map((points) => points.map(moved)) },
  }
}
