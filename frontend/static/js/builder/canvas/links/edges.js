// @ts-check
import { svg } from '../../../core/dom.js'
import { busPath, shiftedBus, stub } from './bus.js'
import { detours } from './detours.js'
import { forward, loop, spoke } from '../layout/geometry.js'
import { LABEL_HEIGHT_PX, labelWidth, routesBetween, shortLabel } from './routes.js'

/**
 * @typedef {import('../layout/geometry.js').Box} Box
 * @typedef {import('../layout/geometry.js').Point} Point
 * @typedef {import('../layout/layout.js').Lanes} Lanes
 * @typedef {import('./bus.js').Bus} Bus
 * @typedef {{ lanes: Lanes | null, bus?: Bus | undefined }} Ways
 * @typedef {import('./routes.js').Route} Route
 * @typedef {import('../draw/scene.js').EdgeView} EdgeView
 */

/** From the middle of a line to the foot of its label. */
const LABEL_DROP = 3.5
/** How far the handles of an edge stand off its cards, along the line. */
const HANDLE_OFF_PX = 12

/**
 * What each drawing was made with, for when its cards move.
 * @type {WeakMap<SVGSVGElement, Ways>}
 */
const waysOf = new WeakMap()

/**
 * Draw all edges of a team into one SVG; of those from a bus only what leads to cards that are
 * shown.
 * @param {SVGSVGElement} layer
 * @param {EdgeView[]} edges
 * @param {Box[]} boxes
 * @param {Box | null} hub
 * @param {Ways} ways  what the layout left free
 * @param {Point} inset  how far the cards were moved since
 * @param {(card: number) => boolean} isShown
 */
export function drawEdges(layer, edges, boxes, hub, { lanes, bus }, inset, isShown) {
  const ways = {
    lanes: lanes && {
      ...lanes,
      bends: lanes.bends.map((points) =>
        points.map(({ x, y }) => ({ x: x + inset.x, y: y + inset.y })),
      ),
    },
    bus: bus && shiftedBus(bus, inset),
  }
  waysOf.set(layer, ways)
  layer.toggleAttribute('data-downwards', lanes?.isDownwards ?? false)
  layer.toggleAttribute('data-bus', bus !== undefined)
  const routes = routesOf(edges, boxes, hub, ways, new Set(lanes?.moved ?? []))
  const drawn = edges.flatMap((edge, index) => {
    const route = routes[index]
    return route && (!bus || isShown(edge.to)) ? [drawEdge(edge, route, index)] : []
  })
  const common = ways.bus ? [svg('path', { class: 'edge-bus', d: busPath(ways.bus) })] : []
  layer.replaceChildren(markers(), ...common, ...drawn)
}

/**
 * Lines to cards come and go with the cards.
 * @param {SVGSVGElement} layer
 * @param {EdgeView[]} edges
 * @param {Box[]} boxes
 * @param {Box | null} hub
 * @param {(card: number) => boolean} isShown
 */
export function drawNearEdges(layer, edges, boxes, hub, isShown) {
  const ways = waysOf.get(layer)
  if (!ways?.bus) return
  const there = new Map(
    [...layer.querySelectorAll('.edge')].map((group) => [
      Number(group.getAttribute('data-index')),
      group,
    ]),
  )
  for (const [index, group] of there) if (!isShown(edges[index]?.to ?? -1)) group.remove()
  layer.append(
    ...edges.flatMap((edge, index) => {
      const route =
        there.has(index) || !isShown(edge.to) ? undefined : simpleRoute(edge, hub, boxes, ways.bus)
      return route ? [drawEdge(edge, route, index)] : []
    }),
  )
}

/**
 * Let the lines of moved cards follow, in place: nothing is made anew while cards are dragged.
 * @param {SVGSVGElement} layer
 * @param {EdgeView[]} edges
 * @param {Box[]} boxes
 * @param {Box | null} hub
 * @param {Set<number>} moved  cards by their places
 */
export function redrawEdges(layer, edges, boxes, hub, moved) {
  const touched = new Map(
    edges.flatMap((edge, index) =>
      moved.has(edge.from) || moved.has(edge.to) ? [[index, edge]] : [],
    ),
  )
  const routes = routesOf(
    [...touched.values()],
    boxes,
    hub,
    { lanes: null, bus: waysOf.get(layer)?.bus },
    moved,
  )
  for (const [nth, index] of [...touched.keys()].entries()) {
    const [group, route] = [layer.querySelector(`.edge[data-index="${index}"]`), routes[nth]]
    if (group && route) move(group, route)
  }
}

/**
 * @param {EdgeView[]} edges
 * @param {Box[]} boxes
 * @param {Box | null} hub
 * @param {Ways} ways
 * @param {Set<number>} moved
 * @returns {(Route | undefined)[]}
 */
function routesOf(edges, boxes, hub, { lanes, bus }, moved) {
  const kept = lanes
    ? routesBetween(edges, boxes, lanes.bends, lanes.isDownwards, new Set(lanes.marked), moved)
    : []
  const movedBoxes = boxes.filter((_box, index) => moved.has(index))
  const isKept = (/** @type {EdgeView} */ edge, /** @type {number} */ index) =>
    lanes &&
    !lanes.fresh?.includes(index) &&
    !moved.has(edge.from) &&
    !moved.has(edge.to) &&
    !(lanes.bends[index] ?? []).some((point) => movedBoxes.some((box) => isInside(point, box)))
  const around = edges.map((edge, index) =>
    isPart(edge) && !isKept(edge, index) ? edge : undefined,
  )
  const standing = edges.flatMap((edge, index) =>
    isPart(edge) && !around[index] ? [{ route: kept[index], label: edge.label }] : [],
  )
  const free = detours(
    around.filter((edge) => edge !== undefined),
    boxes,
    standing,
  )
  return edges.map((edge, index) => {
    if (!isPart(edge)) return simpleRoute(edge, hub, boxes, bus)
    return around[index] ? free.shift() : kept[index]
  })
}

/**
 * Whether it stands for a part of the document, and runs wherever its cards are.
 * @param {EdgeView} edge
 */
function isPart(edge) {
  return edge.kind === 'graph' || edge.kind === 'handoff'
}

/**
 * @param {Point} point
 * @param {Box} box
 */
function isInside({ x, y }, box) {
  return x > box.x - 8 && x < box.x + box.width + 8 && y > box.y - 8 && y < box.y + box.height + 8
}

/**
 * @param {EdgeView} edge
 * @param {Box | null} hub
 * @param {Box[]} boxes
 * @param {Bus | undefined} bus
 * @returns {Route | undefined}
 */
function simpleRoute(edge, hub, boxes, bus) {
  const [from, to] = [edge.from < 0 ? hub : boxes[edge.from], boxes[edge.to]]
  if (!from || !to) return undefined
  const short = edge.kind === 'ask' && bus ? stub(bus, to) : undefined
  const { path, label } = short
    ? { path: short, label: to }
    : edge.kind === 'loop'
      ? loop(from, to, boxes)
      : edge.kind === 'ask'
        ? spoke(from, to)
        : forward(from, to, boxes)
  return { path, label, start: label, end: label }
}

/**
 * @param {EdgeView} edge
 * @param {Route} route
 * @param {number} index
 */
function drawEdge(edge, route, index) {
  const group = svg('g', {
    class: 'edge',
    'data-kind': edge.kind,
    'data-index': index,
    'data-from': edge.from,
    'data-to': edge.to,
  })
  if (edge.pointer) group.append(svg('path', { class: 'edge-hit' }))
  group.append(svg('path', { class: 'edge-line' }))
  if (edge.label) group.append(drawLabel(edge.label))
  if (!edge.pointer) group.setAttribute('aria-hidden', 'true')
  if (edge.pointer) {
    for (const [name, value] of [
      ['data-component', edge.pointer],
      ['tabindex', '-1'],
      ['role', 'button'],
    ])
      group.setAttribute(name, value)
    group.append(
      svg('circle', { class: 'edge-end', 'data-end': 'from', r: 5 }),
      svg('circle', { class: 'edge-end', 'data-end': 'to', r: 5 }),
    )
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
  return svg(
    'g',
    { class: 'edge-label' },
    full,
    svg('rect', {
      x: -width / 2,
      y: -LABEL_HEIGHT_PX / 2 + 1,
      width,
      height: LABEL_HEIGHT_PX - 2,
      rx: 5,
    }),
    text,
  )
}

/**
 * Put an edge where its route runs.
 * @param {Element} group
 * @param {Route} route
 */
function move(group, { path, label, start, end }) {
  for (const line of group.querySelectorAll('path')) line.setAttribute('d', path)
  group.querySelector('.edge-label')?.setAttribute('transform', `translate(${label.x} ${label.y})`)
  const [first, last] = [
    group.querySelector('[data-end=from]'),
    group.querySelector('[data-end=to]'),
  ]
  if (!first || !last) return
  for (const [handle, at, from] of /** @type {const} */ ([
    [first, start, 0],
    [last, end, 1],
  ])) {
    const place = alongPath(group, at, from)
    handle.setAttribute('cx', String(place.x))
    handle.setAttribute('cy', String(place.y))
  }
}

/**
 * A place on the line a little off its beginning or end.
 * @param {Element} group
 * @param {Point} at
 * @param {0 | 1} from
 */
function alongPath(group, at, from) {
  const line = group.querySelector('.edge-line')
  if (
    !(line instanceof SVGPathElement) ||
    !line.isConnected ||
    !group.hasAttribute('data-selected')
  )
    return at
  const length = line.getTotalLength()
  return line.getPointAtLength(
    from === 0
      ? Math.min(HANDLE_OFF_PX, length / 3)
      : Math.max(length - HANDLE_OFF_PX, (length * 2) / 3),
  )
}

/**
 * Where the handles of an edge belong, once it is selected and so drawn with them.
 * @param {Element} group
 */
export function placeHandles(group) {
  for (const handle of group.querySelectorAll('.edge-end')) {
    const at = { x: Number(handle.getAttribute('cx')), y: Number(handle.getAttribute('cy')) }
    const place = alongPath(group, at, handle.getAttribute('data-end') === 'from' ? 0 : 1)
    handle.setAttribute('cx', String(place.x))
    handle.setAttribute('cy', String(place.y))
  }
}

function markers() {
  const arrow = (/** @type {string} */ id) =>
    svg(
      'marker',
      {
        id,
        viewBox: '0 0 8 8',
        refX: 7,
        refY: 4,
        markerWidth: 7,
        markerHeight: 7,
        orient: 'auto-start-reverse',
        markerUnits: 'userSpaceOnUse',
      },
      svg('path', { d: 'M0.8 0.8 7 4 0.8 7.2z' }),
    )
  return svg('defs', {}, arrow('arrow'), arrow('arrow-selected'), arrow('arrow-problem'))
}
