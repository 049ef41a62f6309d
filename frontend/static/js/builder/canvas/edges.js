// @ts-check
import { svg } from '../../core/dom.js'
import { detours } from './detours.js'
import { forward, loop, spoke } from './geometry.js'
import { LABEL_HEIGHT_PX, labelWidth, routesBetween, shortLabel } from './routes.js'

/**
 * @typedef {import('./geometry.js').Box} Box
 * @typedef {import('./geometry.js').Point} Point
 * @typedef {import('./layout.js').Lanes} Lanes
 * @typedef {import('./routes.js').Route} Route
 * @typedef {import('./scene.js').EdgeView} EdgeView
 */

/** From the middle of a line to the foot of its label. */
const LABEL_DROP = 3.5
/** How far the handles of an edge stand off its cards, along the line. */
const HANDLE_OFF_PX = 12

/** The lanes each drawing was made with, for when its cards move. @type {WeakMap<SVGSVGElement, Lanes | null>} */
const lanesOf = new WeakMap()

/**
 * Draw all edges of a team into one SVG.
 * @param {SVGSVGElement} layer @param {EdgeView[]} edges @param {Box[]} boxes @param {Box | null} hub
 * @param {Lanes | null} [lanes]  what the layout left free, if it did @param {Point} [inset]  how far the cards were moved since
 */
export function drawEdges(layer, edges, boxes, hub, lanes = null, inset = { x: 0, y: 0 }) {
  const shifted = lanes && { ...lanes, bends: lanes.bends.map((points) => points.map(({ x, y }) => ({ x: x + inset.x, y: y + inset.y }))) }
  lanesOf.set(layer, shifted)
  layer.toggleAttribute('data-downwards', shifted?.isDownwards ?? false)
  const routes = routesOf(edges, boxes, hub, shifted, new Set(shifted?.moved ?? []))
  const drawn = edges.flatMap((edge, index) => {
    const route = routes[index]
    return route ? [drawEdge(edge, route, index)] : []
  })
  layer.replaceChildren(markers(), ...drawn)
}

/**
 * Let the lines of moved cards follow, in place: nothing is made anew while cards are dragged.
 * @param {SVGSVGElement} layer @param {EdgeView[]} edges @param {Box[]} boxes @param {Box | null} hub @param {Set<number>} moved  cards by their places
 */
export function redrawEdges(layer, edges, boxes, hub, moved) {
  const isTouched = (/** @type {EdgeView} */ edge) => moved.has(edge.from) || moved.has(edge.to)
  const touched = edges.filter(isTouched)
  const routes = new Map(routesOf(touched, boxes, hub, null, moved).map((route, index) => [touched[index], route]))
  for (const group of layer.querySelectorAll('.edge')) {
    const edge = edges[Number(group.getAttribute('data-index'))]
    const route = edge && routes.get(edge)
    if (route) move(group, route)
  }
}

/** @param {EdgeView[]} edges @param {Box[]} boxes @param {Box | null} hub @param {Lanes | null} lanes @param {Set<number>} moved @returns {(Route | undefined)[]} */
function routesOf(edges, boxes, hub, lanes, moved) {
  const kept = lanes ? routesBetween(edges, boxes, lanes.bends, lanes.isDownwards, new Set(lanes.marked), moved) : []
  const movedBoxes = boxes.filter((_box, index) => moved.has(index))
  const isKept = (/** @type {EdgeView} */ edge, /** @type {number} */ index) => lanes && !lanes.fresh?.includes(index) && !moved.has(edge.from) && !moved.has(edge.to)
    && !(lanes.bends[index] ?? []).some((point) => movedBoxes.some((box) => isInside(point, box)))
  const around = edges.map((edge, index) => (isPart(edge) && !isKept(edge, index) ? edge : undefined))
  const standing = edges.flatMap((edge, index) => (isPart(edge) && !around[index] ? [{ route: kept[index], label: edge.label }] : []))
  const free = detours(around.filter((edge) => edge !== undefined), boxes, standing)
  return edges.map((edge, index) => {
    if (!isPart(edge)) return simpleRoute(edge, edge.from < 0 ? hub : boxes[edge.from], boxes[edge.to], boxes)
    return around[index] ? free.shift() : kept[index]
  })
}

/** Whether it stands for a part of the document, and runs wherever its cards are. @param {EdgeView} edge */
function isPart(edge) {
  return edge.kind === 'graph' || edge.kind === 'handoff'
}

/** @param {Point} point @param {Box} box */
function isInside({ x, y }, box) {
  return x > box.x - 8 && x < box.x + box.width + 8 && y > box.y - 8 && y < box.y + box.height + 8
}

/** @param {EdgeView} edge @param {Box | null | undefined} from @param {Box | undefined} to @param {Box[]} boxes @returns {Route | undefined} */
function simpleRoute(edge, from, to, boxes) {
  if (!from || !to) return undefined
  const { path, label } = edge.kind === 'loop' ? loop(from, to, boxes) : edge.kind === 'ask' ? spoke(from, to) : forward(from, to, boxes)
  return { path, label, start: label, end: label }
}

/** @param {EdgeView} edge @param {Route} route @param {number} index */
function drawEdge(edge, route, index) {
  const group = svg('g', { class: 'edge', 'data-kind': edge.kind, 'data-index': index, 'data-from': edge.from, 'data-to': edge.to })
  if (edge.pointer) group.append(svg('path', { class: 'edge-hit' }))
  group.append(svg('path', { class: 'edge-line' }))
  if (edge.label) group.append(drawLabel(edge.label))
  if (edge.pointer) {
    group.setAttribute('data-component', edge.pointer)
    group.append(svg('circle', { class: 'edge-end', 'data-end': 'from', r: 5 }), svg('circle', { class: 'edge-end', 'data-end': 'to', r: 5 }))
  }
  move(group, route)
  return group
}

/** @param {string} label */
function drawLabel(label) {
  const text = svg('text', { y: LABEL_DROP })
  text.textContent = shortLabel(label)
  const full = svg('title')
  full.textContent = label
  const width = labelWidth(label) - 4
  return svg('g', { class: 'edge-label' }, full, svg('rect', { x: -width / 2, y: -LABEL_HEIGHT_PX / 2 + 1, width, height: LABEL_HEIGHT_PX - 2, rx: 5 }), text)
}

/** Put an edge where its route runs. @param {Element} group @param {Route} route */
function move(group, { path, label, start, end }) {
  for (const line of group.querySelectorAll('path')) line.setAttribute('d', path)
  group.querySelector('.edge-label')?.setAttribute('transform', `translate(${label.x} ${label.y})`)
  const [first, last] = [group.querySelector('[data-end=from]'), group.querySelector('[data-end=to]')]
  if (!first || !last) return
  for (const [handle, at, from] of /** @type {const} */ ([[first, start, 0], [last, end, 1]])) {
    const place = alongPath(group, at, from)
    handle.setAttribute('cx', String(place.x))
    handle.setAttribute('cy', String(place.y))
  }
}

/** A place on the line a little off its beginning or end. @param {Element} group @param {Point} at @param {0 | 1} from */
function alongPath(group, at, from) {
  const line = group.querySelector('.edge-line')
  if (!(line instanceof SVGPathElement) || !line.isConnected || !group.hasAttribute('data-selected')) return at
  const length = line.getTotalLength()
  return line.getPointAtLength(from === 0 ? Math.min(HANDLE_OFF_PX, length / 3) : Math.max(length - HANDLE_OFF_PX, (length * 2) / 3))
}

/** Where the handles of an edge belong, once it is selected and so drawn with them. @param {Element} group */
export function placeHandles(group) {
  for (const handle of group.querySelectorAll('.edge-end')) {
    const at = { x: Number(handle.getAttribute('cx')), y: Number(handle.getAttribute('cy')) }
    const place = alongPath(group, at, handle.getAttribute('data-end') === 'from' ? 0 : 1)
    handle.setAttribute('cx', String(place.x))
    handle.setAttribute('cy', String(place.y))
  }
}

function markers() {
  const arrow = (/** @type {string} */ id) => svg('marker', { id, viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto-start-reverse', markerUnits: 'userSpaceOnUse' }, svg('path', { d: 'M0.8 0.8 7 4 0.8 7.2z' }))
  return svg('defs', {}, arrow('arrow'), arrow('arrow-selected'), arrow('arrow-problem'))
}
