// @ts-check
import { svg } from '../../core/dom.js'
import { forward, loop, spoke } from './geometry.js'

/**
 * @typedef {import('./geometry.js').Box} Box
 * @typedef {import('./scene.js').EdgeView} EdgeView
 */

/**
 * Draw all edges of a team into one SVG.
 * @param {SVGSVGElement} layer @param {EdgeView[]} edges @param {Box[]} boxes @param {Box | null} hub
 */
export function drawEdges(layer, edges, boxes, hub) {
  const drawn = edges.flatMap((edge) => {
    const from = edge.from < 0 ? hub : boxes[edge.from]
    const to = boxes[edge.to]
    return from && to ? [drawEdge(edge, route(edge, from, to, boxes))] : []
  })
  layer.replaceChildren(markers(), ...drawn)
}

/** @param {EdgeView} edge @param {Box} from @param {Box} to @param {Box[]} boxes */
function route(edge, from, to, boxes) {
  if (edge.kind === 'loop') return loop(from, to, boxes)
  return edge.kind === 'ask' ? spoke(from, to) : forward(from, to, boxes)
}

/** @param {EdgeView} edge @param {{ path: string, label: { x: number, y: number } }} line */
function drawEdge(edge, { path, label }) {
  const group = svg('g', { class: 'edge', 'data-kind': edge.kind, 'data-from': edge.from, 'data-to': edge.to }, svg('path', { d: path }))
  if (!edge.label) return group
  const text = svg('text', { x: label.x, y: label.y + 3.5 })
  text.textContent = edge.label.length > 28 ? `${edge.label.slice(0, 27)}…` : edge.label
  group.append(text)
  return group
}

function markers() {
  const arrow = svg('marker', { id: 'arrow', viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto-start-reverse', markerUnits: 'userSpaceOnUse' }, svg('path', { d: 'M0.8 0.8 7 4 0.8 7.2z' }))
  return svg('defs', {}, arrow)
}
