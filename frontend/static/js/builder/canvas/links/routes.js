// @ts-check
// How the edges of a graph run where the layout placed its cards: in the lanes that it left free
// between them.

/**
 * @typedef {import('../layout/geometry.js').Box} Box
 * @typedef {import('../layout/geometry.js').Point} Point
 * @typedef {{ from: number, to: number, label: string }} Way
 * @typedef {{ path: string, label: Point, start: Point, end: Point }} Route
 * @typedef {{ edge: number, end: 'start' | 'end', card: number, side: 'left' | 'right', wanted:
 *   number }} Port
 */

export const LABEL_HEIGHT_PX = 20
const LABEL_MAX_CHARACTERS = 30
const CHARACTER_PX = 6.1
const LABEL_PAD_PX = 16
/** Between lines that meet a card on one side, and between them and its corners. */
const PORT_GAP = 16
const CORNER = 14
/** What marks take of the upper side of a card. */
const MARKS = 84
/** Lines run straight beside cards, and this much longer. */
const BESIDE = 8
const LOOP_DEPTH = 26

/** @param {string} label */
export function shortLabel(label) {
  return label.length > LABEL_MAX_CHARACTERS
    ? `${label.slice(0, LABEL_MAX_CHARACTERS - 1)}…`
    : label
}

/**
 * How much room a label takes along its line.
 * @param {string} label
 */
export function labelWidth(label) {
  return label === '' ? 0 : Math.round(shortLabel(label).length * CHARACTER_PX + LABEL_PAD_PX)
}

/**
 * The same picture with x and y exchanged: what runs downwards is computed as if it ran to the
 * right.
 * @template {Point} P
 * @param {P} point
 * @returns {P}
 */
function transpose(point) {
  const { x, y, width, height } = /** @type {any} */ (point)
  return /** @type {P} */ (
    width === undefined ? { x: y, y: x } : { x: y, y: x, width: height, height: width }
  )
}

/**
 * @param {Way[]} ways
 * @param {Box[]} boxes
 * @param {Point[][]} bends  the points that the layout left free for each way
 * @param {boolean} isDownwards
 * @param {ReadonlySet<number>} [marked]  cards whose upper left corner holds marks
 * @param {ReadonlySet<number>} [moved]  cards that have left their layer
 * @returns {(Route | undefined)[]}
 */
export function routesBetween(
  ways,
  boxes,
  bends,
  isDownwards,
  marked = new Set(),
  moved = new Set(),
) {
  const cards = isDownwards ? boxes.map(transpose) : boxes
  const inLayers = cards.filter((_card, index) => !moved.has(index))
  const lanes = isDownwards ? bends.map((points) => points.map(transpose)) : bends
  const ports = portsOf(ways, cards, lanes, isDownwards ? marked : new Set())
  return ways.map((way, index) => {
    const [from, to] = [cards[way.from], cards[way.to]]
    if (!from || !to) return undefined
    if (way.from === way.to)
      return drawn(loopPoints(from, isDownwards ? labelWidth(way.label) : 0), isDownwards)
    const [start, end] = [ports.get(`${index} start`), ports.get(`${index} end`)]
    return start && end
      ? drawn(
          pointsAlong(
            start,
            end,
            lanes[index] ?? [],
            inLayers,
            isDownwards ? LABEL_HEIGHT_PX : labelWidth(way.label),
          ),
          isDownwards,
        )
      : undefined
  })
}

/**
 * Where each line leaves and reaches its cards: as straight on as the others on that side allow.
 * @param {Way[]} ways
 * @param {Box[]} boxes
 * @param {Point[][]} lanes
 * @param {ReadonlySet<number>} marked
 * @returns {Map<string, Point>}
 */
function portsOf(ways, boxes, lanes, marked) {
  /** @type {Map<string, Port[]>} */
  const sides = new Map()
  const add = (
    /** @type {number} */ edge,
    /** @type {'start' | 'end'} */ end,
    /** @type {number} */ card,
    /** @type {Point | undefined} */ next,
  ) => {
    const box = boxes[card]
    if (!box || !next) return
    const side = next.x > box.x + box.width / 2 ? 'right' : 'left'
    const key = `${card} ${side}`
    sides.set(key, [...(sides.get(key) ?? []), { edge, end, card, side, wanted: next.y }])
  }
  ways.forEach((way, edge) => {
    if (way.from === way.to) return
    const lane = lanes[edge] ?? []
    add(edge, 'start', way.from, lane[0] ?? middle(boxes[way.to]))
    add(edge, 'end', way.to, lane.at(-1) ?? middle(boxes[way.from]))
  })
  const found = new Map()
  for (const ports of sides.values()) {
    const [first] = ports
    const box = boxes[first?.card ?? -1]
    if (!box) continue
    ports.sort((a, b) => a.wanted - b.wanted || a.edge - b.edge)
    const heights = spread(
      ports.map((port) => port.wanted),
      box.y + (first?.side === 'left' && marked.has(first.card) ? MARKS : CORNER),
      box.y + box.height - CORNER,
    )
    ports.forEach((port, index) =>
      found.set(`${port.edge} ${port.end}`, {
        x: port.side === 'right' ? box.x + box.width : box.x,
        y: heights[index] ?? box.y,
      }),
    )
  }
  return found
}

/**
 * As near to what is wanted as fits between two bounds with a gap between each two.
 * @param {number[]} wanted  in order
 * @param {number} low
 * @param {number} high
 * @returns {number[]}
 */
export function spread(wanted, low, high) {
  const gap = Math.min(PORT_GAP, (high - low) / Math.max(1, wanted.length - 1))
  const places = wanted.map((value) => Math.min(high, Math.max(low, value)))
  for (let index = 1; index < places.length; index += 1)
    places[index] = Math.max(places[index] ?? 0, (places[index - 1] ?? 0) + gap)
  let most = high
  for (let index = places.length - 1; index >= 0; index -= 1) {
    places[index] = Math.min(places[index] ?? 0, most)
    most = (places[index] ?? 0) - gap
  }
  return places
}

/**
 * @param {Box | undefined} box
 * @returns {Point | undefined}
 */
function middle(box) {
  return box && { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}

/**
 * @param {Point} start
 * @param {Point} end
 * @param {Point[]} lane
 * @param {Box[]} boxes
 * @param {number} flat  how long a label is along the line
 * @returns {Point[]}
 */
function pointsAlong(start, end, lane, boxes, flat) {
  const forwards = end.x >= start.x ? 1 : -1
  const inner = lane.flatMap((point) => {
    const beside = boxes.filter((box) => point.x > box.x && point.x < box.x + box.width)
    const left =
      beside.length > 0 ? Math.min(...beside.map((box) => box.x)) - BESIDE : point.x - flat / 2
    const right =
      beside.length > 0
        ? Math.max(...beside.map((box) => box.x + box.width)) + BESIDE
        : point.x + flat / 2
    const both = [
      { x: left, y: point.y },
      { x: right, y: point.y },
    ]
    return forwards > 0 ? both : both.reverse()
  })
  return [start, ...inner, end]
}

/**
 * Out of the bottom of a card and into it again.
 * @param {Box} box
 * @param {number} across  how far the label reaches towards the card
 * @returns {Point[]}
 */
function loopPoints(box, across) {
  const bottom = box.y + box.height
  const depth = Math.max(LOOP_DEPTH, across / 2 + BESIDE)
  const [right, left] = [box.x + box.width * 0.66, box.x + box.width * 0.34]
  return [
    { x: right, y: bottom },
    { x: right, y: bottom + depth },
    { x: left, y: bottom + depth },
    { x: left, y: bottom },
  ]
}

/**
 * @param {Point[]} points
 * @param {boolean} isDownwards
 * @returns {Route}
 */
function drawn(points, isDownwards) {
  const [start, end] = [points[0] ?? { x: 0, y: 0 }, points.at(-1) ?? { x: 0, y: 0 }]
  const isLoop =
    points.length === 4 && start.y === end.y && points[1]?.x === start.x && start.y !== points[1]?.y
  const path = points
    .slice(1)
    .reduce(
      (text, point, index) =>
        text + (isLoop ? corner(points, index) : bow(points[index] ?? point, point, isDownwards)),
      `M${pair(start, isDownwards)}`,
    )
  const half = Math.floor((points.length - 1) / 2)
  const [a, b] = [points[half] ?? start, points[half + 1] ?? end]
  const label = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }
  return isDownwards
    ? { path, label: transpose(label), start: transpose(start), end: transpose(end) }
    : { path, label, start, end }

  /**
   * @param {Point[]} corners
   * @param {number} index
   */
  function corner(corners, index) {
    const [here, next] = [corners[index + 1] ?? start, corners[index + 2]]
    const before = corners[index] ?? start
    if (!next) return `L${pair(here, isDownwards)}`
    const cut = (/** @type {Point} */ other) => ({
      x: here.x + Math.sign(other.x - here.x) * 10,
      y: here.y + Math.sign(other.y - here.y) * 10,
    })
    return `L${pair(cut(before), isDownwards)}Q${pair(here, isDownwards)} ${pair(cut(next), isDownwards)}`
  }
}

/**
 * A line that leaves and arrives along the way.
 * @param {Point} a
 * @param {Point} b
 * @param {boolean} isDownwards
 */
function bow(a, b, isDownwards) {
  if (Math.abs(a.y - b.y) < 0.5) return `L${pair(b, isDownwards)}`
  const half = (b.x - a.x) / 2
  return `C${pair({ x: a.x + half, y: a.y }, isDownwards)} ${pair({ x: b.x - half, y: b.y }, isDownwards)} ${pair(b, isDownwards)}`
}

/**
 * @param {Point} point
 * @param {boolean} isDownwards
 */
function pair(point, isDownwards) {
  const { x, y } = isDownwards ? transpose(point) : point
  return `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`
}
