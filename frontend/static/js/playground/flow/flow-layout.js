// @ts-check

/**
 * @typedef {{id: string, width: number, height: number, inside?: readonly string[]}} Box  `inside`:
 *   participants within whom it stands
 * @typedef {{key: string, from: string, to: string}} Link
 * @typedef {{x: number, y: number}} Point
 * @typedef {object} Placed  centres, in px of the picture
 * @property {Map<string, Point>} nodes
 * @property {Map<string, Point[]>} edges
 * @property {Frame[]} frames  around what stands within the same participant, the outermost first
 * @property {number} width
 * @property {number} height
 *
 * @typedef {{name: string, x: number, y: number, width: number, height: number}} Frame  from its
 *   corner
 */
import { FRAME_TITLE_PX } from './flow-shapes.js'

const MARGIN_PX = 14
const SHELF_GAP_PX = 12
/** Turning the picture must be worth it: people remember places. */
const BETTER = 1.2

/**
 * @type {Promise<typeof import('@dagrejs/dagre')> | null} loaded when the first picture is drawn
 */
let library = null

/**
 * Places nodes and edges, top down or left to right, whichever is larger in the given room.
 *
 * @param {Box[]} boxes
 * @param {Link[]} links
 * @param {{width: number, height: number}} room
 * @returns {Promise<Placed>}
 */
export async function layout(boxes, links, room) {
  library ??= import('@dagrejs/dagre')
  const dagre = await library
  const linked = new Set(links.flatMap(({ from, to }) => [from, to]))
  const isPlaced = (/** @type {Box} */ { id, inside = [] }) => linked.has(id) || inside.length > 0
  const placed = boxes.filter(isPlaced)
  const alone = boxes.filter((box) => !isPlaced(box))
  const down = shelve(run(dagre, placed, links, 'TB'), alone, room.width)
  const across = shelve(run(dagre, placed, links, 'LR'), alone, room.width)
  return scaleIn(across, room) > scaleIn(down, room) * BETTER ? across : down
}

/**
 * Puts what nothing leads to in rows below the graph.
 * @param {Placed} placed
 * @param {Box[]} boxes
 * @param {number} room  px
 * @returns {Placed}
 */
export function shelve(placed, boxes, room) {
  const widest = Math.max(placed.width, room)
  /** @type {Box[][]} */
  const rows = []
  for (const box of boxes) {
    const row = rows.at(-1)
    if (row && rowWidth([...row, box]) <= widest) row.push(box)
    else rows.push([box])
  }
  const width = Math.max(placed.width, ...rows.map(rowWidth))
  const shift = (width - placed.width) / 2
  const nodes = new Map([...placed.nodes].map(([id, { x, y }]) => [id, { x: x + shift, y }]))
  const edges = new Map(
    [...placed.edges].map(([key, points]) => [
      key,
      points.map(({ x, y }) => ({ x: x + shift, y })),
    ]),
  )
  const frames = placed.frames.map((frame) => ({ ...frame, x: frame.x + shift }))
  let height = placed.height
  for (const row of rows) {
    let x = (width - rowWidth(row)) / 2 + MARGIN_PX
    for (const box of row) {
      nodes.set(box.id, { x: x + box.width / 2, y: height + box.height / 2 })
      x += box.width + SHELF_GAP_PX
    }
    height += (row[0]?.height ?? 0) + SHELF_GAP_PX
  }
  return { nodes, edges, frames, width, height }
}

/** @param {Box[]} row */
const rowWidth = (row) =>
  row.reduce((sum, box) => sum + box.width + SHELF_GAP_PX, MARGIN_PX * 2 - SHELF_GAP_PX)

/**
 * @param {Placed} placed
 * @param {{width: number, height: number}} room
 */
function scaleIn(placed, room) {
  return Math.min(1, room.width / placed.width, room.height / placed.height)
}

/**
 * @param {typeof import('@dagrejs/dagre')} dagre
 * @param {Box[]} boxes
 * @param {Link[]} links
 * @param {'TB' | 'LR'} rankdir
 * @returns {Placed}
 */
function run(dagre, boxes, links, rankdir) {
  const graph = new dagre.graphlib.Graph({ multigraph: true, compound: true })
  graph.setGraph({
    rankdir,
    nodesep: 26,
    edgesep: 18,
    ranksep: rankdir === 'TB' ? 32 : 40,
    marginx: MARGIN_PX,
    marginy: MARGIN_PX,
  })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id, width, height } of boxes) graph.setNode(id, { width, height })
  const paths = enclose(graph, boxes)
  // A label with a size gives each edge a place of its own between the nodes, there and back as
  // well.
  for (const { key, from, to } of links)
    graph.setEdge(from, to, { width: 34, height: 16, labelpos: 'c' }, key)
  dagre.layout(graph)
  const { width = 0, height = MARGIN_PX } = boxes.length > 0 ? graph.graph() : {}
  return {
    nodes: new Map(boxes.map(({ id }) => [id, graph.node(id)])),
    edges: new Map(
      links.map(({ key, from, to }) => [key, graph.edge({ v: from, w: to, name: key }).points]),
    ),
    frames: paths.map((path) => frameOf(path, graph.node(JSON.stringify(path)))),
    width,
    height,
  }
}

/**
 * Puts what stands within the same participant together.
 * @param {import('@dagrejs/dagre').graphlib.Graph} graph
 * @param {Box[]} boxes
 * @returns {string[][]} paths of the frames
 */
function enclose(graph, boxes) {
  /** @type {Map<string, string[]>} */
  const paths = new Map()
  for (const { id, inside = [] } of boxes) {
    let outer = ''
    for (let depth = 1; depth <= inside.length; depth += 1) {
      const path = inside.slice(0, depth)
      const key = JSON.stringify(path)
      if (!paths.has(key)) graph.setNode(key, {})
      if (outer) graph.setParent(key, outer)
      paths.set(key, path)
      outer = key
    }
    if (outer) graph.setParent(id, outer)
  }
  return [...paths.values()].sort((a, b) => a.length - b.length)
}

/**
 * @param {string[]} path
 * @param {{x: number, y: number, width: number, height: number}} middle  as dagre tells it
 * @returns {Frame}
 */
function frameOf(path, { x, y, width, height }) {
  return {
    name: path.at(-1) ?? '',
    x: x - width / 2,
    y: y - height / 2 - FRAME_TITLE_PX / 2,
    width,
    height: height + FRAME_TITLE_PX / 2,
  }
}

/**
 * A smooth path through the points: straight to the first middle, then a curve around each corner.
 * @param {Point[]} points
 */
export function pathThrough(points) {
  const [first, ...rest] = points
  const last = rest.pop()
  if (!first || !last) return ''
  let path = `M${at(first)}`
  rest.forEach((corner, index) => {
    const next = rest[index + 1] ?? last
    const end = index === rest.length - 1 ? last : middle(corner, next)
    path += ` Q${at(corner)} ${at(end)}`
  })
  return rest.length === 0 ? `${path} L${at(last)}` : path
}

/** @param {Point} point */
const at = ({ x, y }) => `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`
/**
 * @param {Point} a
 * @param {Point} b
 */
const middle = (a, b) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 })
