// @ts-check
import { aroundHub, inOrder } from './geometry.js'

/**
 * @typedef {import('./geometry.js').Size} Size
 * @typedef {import('./geometry.js').Box} Box
 * @typedef {import('./scene.js').Scene} Scene
 * @typedef {{ hub: Box | null, boxes: Box[] }} Placed
 */

/**
 * Where the cards of a team stand. Graphs ask dagre, which is loaded only then.
 * @param {Scene} scene @param {Size | null} hub @param {Size[]} sizes @param {Size} view
 * @param {Record<string, { x: number, y: number }>} pins
 * @returns {Promise<Placed>}
 */
export async function placeCards(scene, hub, sizes, view, pins) {
  const placed = await arrange(scene, hub, sizes, view)
  if (scene.flow === 'order') return placed
  const boxes = placed.boxes.map((box, index) => ({ ...box, ...pins[scene.cards[index]?.name ?? ''] }))
  return shiftedIntoView({ hub: placed.hub, boxes })
}

/** @param {Scene} scene @param {Size | null} hub @param {Size[]} sizes @param {Size} view @returns {Promise<Placed>} */
async function arrange(scene, hub, sizes, view) {
  if (hub && sizes.length > 0) return aroundHub(hub, sizes, view)
  if (hub) return { hub: { ...hub, x: 0, y: 0 }, boxes: [] }
  if (scene.edges.length === 0 || scene.flow === 'order' || scene.flow === 'hub') return { hub: null, boxes: inOrder(sizes, view) }
  return { hub: null, boxes: await layered(scene, sizes) }
}

/** @param {Scene} scene @param {Size[]} sizes @returns {Promise<Box[]>} */
async function layered(scene, sizes) {
  const { Graph, layout } = /** @type {any} */ (await import('@dagrejs/dagre'))
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: 'LR', nodesep: 36, ranksep: 84 })
  graph.setDefaultEdgeLabel(() => ({}))
  sizes.forEach((size, index) => graph.setNode(String(index), { ...size }))
  scene.edges.forEach((edge, index) => graph.setEdge(String(edge.from), String(edge.to), {}, String(index)))
  layout(graph)
  return sizes.map((size, index) => {
    const node = graph.node(String(index))
    return { ...size, x: Math.round(node.x - size.width / 2), y: Math.round(node.y - size.height / 2) }
  })
}

/** No card left of or above the frame, wherever it was pinned. @param {Placed} placed @returns {Placed} */
function shiftedIntoView({ hub, boxes }) {
  const all = hub ? [hub, ...boxes] : boxes
  const left = Math.min(0, ...all.map((box) => box.x))
  const top = Math.min(0, ...all.map((box) => box.y))
  const moved = (/** @type {Box} */ box) => ({ ...box, x: box.x - left, y: box.y - top })
  return { hub: hub ? moved(hub) : null, boxes: boxes.map(moved) }
}
