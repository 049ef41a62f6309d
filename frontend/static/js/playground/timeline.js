// @ts-check
/** @import {Batch} from './types.js' */
/** @import {Bar} from './timeline-bars.js' */
/** @import {ColourBook} from './participants.js' */
/** @import {Selection} from './selection.js' */
import { el } from '../core/dom.js'
import { duration } from './format.js'
import { TimelineBars, place } from './timeline-bars.js'

const LANE_PX = 24
const BAR_PX = 12
const NARROWEST_PX = 3

/**
 * @typedef {object} TimelineOptions
 * @property {HTMLElement} root  holds the lane names and the canvas
 * @property {HTMLElement} caption  says how long it took
 * @property {HTMLButtonElement} axis  switches between time and order
 * @property {string[]} lanes
 * @property {ColourBook} colours
 * @property {Selection} selection
 */

/** What each agent did when: a lane per agent, a bar per message or event. */
export class Timeline {
  #bars
  #options
  #canvas = el('canvas', { class: 'timeline-canvas', role: 'img', 'aria-label': 'Timeline' })
  #names = el('div', { class: 'timeline-names' })
  /** @type {'time' | 'order'} */
  #axis = 'time'
  /** @type {number | null} */
  #selected = null
  /** @type {{bar: Bar, x: number, y: number, width: number}[]} */
  #drawn = []

  /** @param {TimelineOptions} options @param {AbortSignal} signal */
  constructor(options, signal) {
    this.#options = options
    this.#bars = new TimelineBars(options.lanes)
    options.root.replaceChildren(this.#names, el('div', { class: 'timeline-lanes' }, this.#canvas))
    this.#canvas.addEventListener('click', (event) => this.#clicked(event), { signal })
    this.#canvas.addEventListener('pointermove', (event) => this.#hovered(event), { signal })
    options.axis.addEventListener('click', () => this.#switchAxis(), { signal })
    options.selection.subscribe((seq) => {
      this.#selected = seq
      this.draw()
    }, signal)
    const resized = new ResizeObserver(() => this.draw())
    resized.observe(options.root)
    signal.addEventListener('abort', () => resized.disconnect())
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw(), { signal })
    const themed = new MutationObserver(() => this.draw())
    themed.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    signal.addEventListener('abort', () => themed.disconnect())
  }

  /** @param {Batch} batch */
  apply(batch) {
    if (this.#bars.apply(batch) && batch.live) this.draw()
  }

  draw() {
    this.#showNames()
    const { width, context } = this.#prepare()
    if (!context || width === 0) return
    const colours = [...this.#names.children].map((name) => getComputedStyle(name, '::before').backgroundColor)
    const line = getComputedStyle(this.#canvas)
    this.#drawn = place(this.#bars, this.#axis).map(({ bar, from, to }) => ({
      bar,
      x: from * (width - NARROWEST_PX),
      y: this.#bars.lanes.indexOf(bar.lane) * LANE_PX,
      width: Math.max(NARROWEST_PX, (to - from) * width - 1),
    }))
    context.fillStyle = line.borderTopColor
    this.#bars.lanes.forEach((_, lane) => context.fillRect(0, (lane + 1) * LANE_PX - 1, width, 1))
    for (const drawn of this.#drawn) this.#drawBar(context, drawn, colours, line.color)
    this.#showCaption()
  }

  #prepare() {
    const ratio = devicePixelRatio || 1
    const width = this.#canvas.parentElement?.clientWidth ?? 0
    const height = this.#bars.lanes.length * LANE_PX
    this.#canvas.style.inlineSize = `${width}px`
    this.#canvas.style.blockSize = `${height}px`
    this.#canvas.width = Math.round(width * ratio)
    this.#canvas.height = Math.round(height * ratio)
    const context = this.#canvas.getContext('2d')
    context?.scale(ratio, ratio)
    return { width, context }
  }

  /** @param {CanvasRenderingContext2D} context @param {{bar: Bar, x: number, y: number, width: number}} drawn @param {string[]} colours @param {string} ink */
  #drawBar(context, { bar, x, y, width }, colours, ink) {
    const isSelected = bar.seq === this.#selected
    const height = bar.kind === 'message' ? BAR_PX : BAR_PX / 2
    const top = y + (LANE_PX - 1 - height) / 2
    context.fillStyle = colours[this.#bars.lanes.indexOf(bar.lane)] ?? ink
    context.globalAlpha = this.#selected !== null && !isSelected ? 0.45 : bar.kind === 'message' ? 1 : 0.6
    context.beginPath()
    context.roundRect(x, top, width, height, 2)
    context.fill()
    context.globalAlpha = 1
    if (!isSelected) return
    context.strokeStyle = ink
    context.lineWidth = 1.5
    context.strokeRect(x - 1, top - 2, width + 2, height + 4)
  }

  #showNames() {
    const { lanes } = this.#bars
    if (this.#names.children.length === lanes.length) return
    this.#names.replaceChildren(...lanes.map((lane) =>
      el('div', { class: 'timeline-name', 'data-hue': this.#options.colours.hueOf(lane), title: lane }, el('span', { class: 'truncate' }, lane))))
  }

  #showCaption() {
    const { bars, span } = this.#bars
    const words = bars.length === 0 ? '' : this.#axis === 'order' ? `${bars.length} steps` : duration(span)
    this.#options.caption.textContent = words
    this.#canvas.setAttribute('aria-label', `Timeline: ${bars.length} steps of ${this.#bars.lanes.length} participants in ${duration(span)}. The keys j and k walk through the messages.`)
  }

  #switchAxis() {
    this.#axis = this.#axis === 'time' ? 'order' : 'time'
    this.#options.axis.setAttribute('aria-pressed', String(this.#axis === 'order'))
    this.draw()
  }

  /** @param {MouseEvent} event */
  #barAt(event) {
    const { offsetX, offsetY } = event
    const lane = this.#drawn.filter(({ y }) => offsetY >= y && offsetY < y + LANE_PX)
    return lane.findLast(({ x, width }) => offsetX >= x - 2 && offsetX <= x + width + 2)?.bar
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const bar = this.#barAt(event)
    if (bar) this.#options.selection.select(bar.seq, 'timeline')
  }

  /** @param {PointerEvent} event */
  #hovered(event) {
    const bar = this.#barAt(event)
    this.#canvas.toggleAttribute('data-over', Boolean(bar))
    this.#canvas.title = bar ? `${bar.lane}, ${duration(bar.end - bar.start)}` : ''
  }
}
