// @ts-check
/** @import {Frame} from './flow-layout.js' */
import { svg } from '../../core/dom.js'

export const NODE_HEIGHT_PX = 34
/** Room for a name above what is in the frame. */
export const FRAME_TITLE_PX = 20
const NAME_LETTERS = 22
const LETTER_PX = 7.3
const DIGIT_PX = 7

/**
 * An agent: its colour, its name, how many messages it sent.
 * @param {string} name
 * @param {string} hue
 */
export function nodeShape(name, hue) {
  const width = widthOf(name)
  return svg(
    'g',
    { class: 'flow-node', tabindex: 0, role: 'button', 'data-name': name, 'data-hue': hue },
    svg('rect', { x: -width / 2, y: -NODE_HEIGHT_PX / 2, width, height: NODE_HEIGHT_PX, rx: 8 }),
    svg('circle', { class: 'flow-dot', cx: -width / 2 + 15, cy: 0, r: 4 }),
    text('flow-name', -width / 2 + 26, shortName(name), 'start'),
    text('flow-count', width / 2 - 11, '', 'end'),
  )
}

/**
 * A way between two agents, with the number of messages that went along it.
 * @param {string} key
 */
export function edgeShape(key) {
  return svg(
    'g',
    { class: 'flow-edge', tabindex: 0, role: 'button', 'data-key': key },
    svg('path', { class: 'flow-hit' }),
    svg('path', { class: 'flow-line' }),
    svg('rect', { class: 'flow-label', y: -8, height: 16, rx: 8 }),
    text('flow-count', 0, '', 'middle'),
  )
}

/**
 * @param {SVGGElement} group
 * @param {number} count  nothing is written for none
 */
export function showCount(group, count) {
  const words = count > 0 ? String(count) : ''
  const node = group.querySelector('.flow-count')
  if (node && node.textContent !== words) node.textContent = words
  const width = 12 + words.length * DIGIT_PX
  const label = group.querySelector('.flow-label')
  label?.setAttribute('x', String(-width / 2))
  label?.setAttribute('width', String(width))
}

/**
 * @param {string} name
 * @returns {number} px
 */
export const widthOf = (name) => Math.max(96, Math.round(shortName(name).length * LETTER_PX) + 62)

/**
 * What goes on within a participant stands in a frame with its name, behind all else.
 * @param {SVGSVGElement} drawing
 * @param {Frame[]} frames  the outermost first
 */
export function showFrames(drawing, frames) {
  for (const old of drawing.querySelectorAll('.flow-frame')) old.remove()
  const shapes = frames.map(({ name, x, y, width, height }) => {
    const title = text('flow-frame-name', x + 10, shortName(name), 'start')
    title.setAttribute('y', String(y + FRAME_TITLE_PX / 2 + 2))
    return svg(
      'g',
      { class: 'flow-frame', 'aria-hidden': 'true' },
      svg('rect', { x, y, width, height, rx: 10 }),
      title,
    )
  })
  drawing.querySelector('defs')?.after(...shapes)
}

/**
 * A path that is shown tells where it was before the last change, so a fresh one is asked.
 * @param {string} d
 */
export function middleOf(d) {
  const path = svg('path', { d })
  return path.getPointAtLength(path.getTotalLength() / 2)
}

/**
 * One for each color of a line: WebKit does not know `context-stroke`, with which one would serve
 * all.
 */
export function arrowHeads() {
  const shape = {
    viewBox: '0 0 8 8',
    refX: 7,
    refY: 4,
    markerWidth: 7,
    markerHeight: 7,
    markerUnits: 'userSpaceOnUse',
  }
  const head = (/** @type {string} */ id) =>
    svg(
      'marker',
      { id, orient: 'auto-start-reverse', ...shape },
      svg('path', { d: 'M0 .8 7 4 0 7.2Z' }),
    )
  return svg(
    'defs',
    {},
    ...['', '-planned', '-unplanned', '-hover', '-accent'].map((color) =>
      head(`flow-arrow${color}`),
    ),
  )
}

/**
 * The source of the first message is the task; a person in the team is a node of its own.
 * @param {string} name
 */
export const flowName = (name) => (name === 'user' ? 'Task' : name)

/** @param {string} name */
function shortName(name) {
  const shown = flowName(name)
  return shown.length > NAME_LETTERS ? `${shown.slice(0, NAME_LETTERS - 1)}…` : shown
}

/**
 * @param {string} className
 * @param {number} x
 * @param {string} words
 * @param {string} anchor
 */
function text(className, x, words, anchor) {
  const node = svg('text', {
    class: className,
    x,
    y: 0,
    'text-anchor': anchor,
    'dominant-baseline': 'central',
  })
  node.textContent = words
  return node
}
