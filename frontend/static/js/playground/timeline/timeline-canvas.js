// @ts-check
/** @import {Axis, Bar, TimelineBars} from './timeline-bars.js' */
/** @import {TimelineView} from './timeline-view.js' */

export const LANE_PX = 24
const HEIGHTS = { message: 12, thought: 6, tool: 8, input: 12 }
const MIN_WIDTH_PX = 2

/** @typedef {{bar: Bar, x: number, y: number, width: number}} Drawn */

/**
 * What is in view, as rectangles. Bars that would lie within one pixel of the one before are left
 * out, so that a long run is drawn as fast as a short one.
 * @param {TimelineBars} timeline
 * @param {Axis} axis
 * @param {TimelineView} view
 * @param {number} width  px
 * @param {Bar | undefined} selected  is there in any case
 * @returns {Drawn[]}
 */
export function layoutBars(timeline, axis, view, width, selected) {
  const extent = timeline.extent(axis) || 1
  const scale = width / (extent * view.width)
  const left = view.from * extent
  const lanes = new Map(timeline.lanes.map((lane, index) => [lane, index]))
  /** @type {Map<string, number>} */
  const ends = new Map()
  return timeline.within(axis, left, view.to * extent).flatMap((bar) => {
    const [from, to] = bar.on[axis]
    const x = (from - left) * scale
    const end = Math.max(x + MIN_WIDTH_PX, (to - left) * scale - 1)
    const key = `${bar.lane} ${bar.kind}`
    if (!bar.isError && bar !== selected && end < (ends.get(key) ?? -1) + 1) return []
    ends.set(key, end)
    return { bar, x, y: (lanes.get(bar.lane) ?? 0) * LANE_PX, width: end - x }
  })
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Drawn[]} drawn
 * @param {{lanes: string[], width: number, selected: Bar | undefined, colours: string[], ink:
 *   string, line: string, danger: string}} look
 */
export function paint(context, drawn, { lanes, width, selected, colours, ink, line, danger }) {
  context.fillStyle = line
  lanes.forEach((_, lane) => context.fillRect(0, (lane + 1) * LANE_PX - 1, width, 1))
  const onTop = drawn.filter(({ bar }) => bar === selected)
  for (const { bar, x, y, width: length } of [...drawn, ...onTop]) {
    const height = HEIGHTS[bar.kind]
    const top = y + (LANE_PX - 1 - height) / 2
    context.fillStyle = bar.isError ? danger : (colours[y / LANE_PX] ?? ink)
    context.globalAlpha =
      selected && selected !== bar ? 0.5 : bar.kind === 'message' || bar.isError ? 1 : 0.65
    context.beginPath()
    context.roundRect(x, top, length, height, Math.min(2, length / 4))
    context.fill()
    context.globalAlpha = 1
    if (selected !== bar) continue
    context.strokeStyle = ink
    context.lineWidth = 1.5
    context.strokeRect(x - 1.5, top - 2, length + 3, height + 4)
  }
}
