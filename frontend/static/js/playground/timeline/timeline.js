// @ts-check
/** @import {Action} from '../../core/actions.js' */
/** @import {Batch} from '../types.js' */
/** @import {Axis, Bar} from './timeline-bars.js' */
/** @import {ColourBook} from '../flow/participants.js' */
/** @import {Selection} from '../log/selection.js' */
import { announce, debounce, el, find, on } from '../../core/dom.js'
import { toastError } from '../../core/toast.js'
import { TimelineBars } from './timeline-bars.js'
import { LANE_PX, layoutBars, paint } from './timeline-canvas.js'
import { laneName, laneText } from './timeline-lanes.js'
import { timelineList } from './timeline-list.js'
import { TimelineView } from './timeline-view.js'
import { barText, durationText } from './timeline-labels.js'
import { timelineGestures } from './timeline-gestures.js'

/**
 * @typedef {object} TimelineOptions
 * @property {HTMLElement} root  the view, with its axis, its buttons and its list
 * @property {string[]} lanes
 * @property {(name: string) => import('../log/nested-runs.js').NestingPath} insideOf  within whom somebody
 *   stands in the design
 * @property {ColourBook} colours
 * @property {Selection} selection
 * @property {() => Promise<{seq: number, micro_usd: number}[]>} [costs]  asked for when somebody
 *   wants to see them
 */

/** What each agent did when: a lane per agent, a bar per message, tool and step. */
export class Timeline {
  #bars
  #options
  #view = new TimelineView()
  #canvas
  #names
  /** @type {Axis} */
  #axis = 'time'
  /** @type {import('./timeline-canvas.js').Drawn[]} */
  #drawn = []
  #list
  #isPriced = false
  /** Whether there are bars that are not drawn: of the past all come before it is drawn once. */
  #isBehind = false
  #isScheduled = false

  /**
   * @param {TimelineOptions} options
   * @param {AbortSignal} signal
   */
  constructor(options, signal) {
    this.#options = options
    const { root, selection } = options
    this.#bars = new TimelineBars(options.lanes, options.insideOf)
    const axis = root.querySelector('[name="axis"]:checked')
    if (axis instanceof HTMLInputElement && axis.value !== 'cost')
      this.#axis = /** @type {Axis} */ (axis.value)
    find('[data-axis="cost"]', root).hidden = true
    this.#names = el('div', { class: 'timeline-names' })
    this.#canvas = el('canvas', {
      class: 'timeline-canvas',
      tabindex: 0,
      role: 'group',
      'aria-label': 'Timeline',
    })
    find('[data-part="timeline"]', root).replaceChildren(
      this.#names,
      el('div', { class: 'timeline-lanes' }, this.#canvas),
    )
    this.#list = timelineList(
      find('[data-part="timeline-list"]', root),
      (seq) => selection.select(seq, 'timeline'),
      signal,
    )
    timelineGestures(
      this.#canvas,
      this.#view,
      {
        changed: () => this.draw(),
        select: (x, y) => this.#select(x, y),
        point: (x, y) => this.#point(x, y),
      },
      signal,
    )
    on(root, 'click', '[data-zoom]', (_, button) => this.#zoom(button.dataset.zoom ?? ''), signal)
    on(root, 'change', '[name="axis"]', (event) => this.#switch(event.target.value), signal)
    selection.subscribe((seq, by) => this.#selected(seq, by), signal)
    this.#redrawFor(signal)
  }

  /** @param {AbortSignal} signal */
  #redrawFor(signal) {
    const { root } = this.#options
    const resized = new ResizeObserver(() => this.draw())
    resized.observe(root)
    const themed = new MutationObserver(() => this.draw())
    themed.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw(), {
      signal,
    })
    signal.addEventListener('abort', () => {
      resized.disconnect()
      themed.disconnect()
    })
  }

  /** @param {Batch} batch */
  apply(batch) {
    this.#isBehind = this.#bars.apply(batch) || this.#isBehind
    if (!this.#isBehind || !batch.live) return
    this.#isBehind = false
    if (this.#axis === 'cost') this.#priceSoon()
    this.#drawSoon()
  }

  /** With the next frame: whether the tab is in front is known then. */
  #drawSoon() {
    if (this.#isScheduled) return
    this.#isScheduled = true
    requestAnimationFrame(() => {
      this.#isScheduled = false
      if (this.#canvas.isConnected) this.draw() // else another run is shown by now
    })
  }

  /**
   * Whether something is known to have cost money.
   * @param {boolean} isPriced
   */
  set isPriced(isPriced) {
    if (isPriced === this.#isPriced) return
    this.#isPriced = isPriced
    find('[data-axis="cost"]', this.#options.root).hidden = !isPriced
  }

  #priceSoon = debounce(async () => {
    try {
      this.#bars.price((await this.#options.costs?.()) ?? [])
      this.#selected(this.#options.selection.seq, 'axis')
    } catch (error) {
      toastError(error)
    }
  }, 300)

  draw() {
    const { root, selection } = this.#options
    if (root.clientWidth === 0) return // a tab that is not in front
    this.#showNames()
    const { width, context } = this.#prepare()
    if (!context || width === 0) return
    const colours = [...this.#names.children].map(
      (name) => getComputedStyle(name, '::before').backgroundColor,
    )
    const style = getComputedStyle(this.#canvas)
    const selected = selection.seq === null ? undefined : this.#bars.barOf(selection.seq)
    this.#drawn = layoutBars(this.#bars, this.#axis, this.#view, width, selected)
    paint(context, this.#drawn, {
      lanes: this.#bars.lanes,
      width,
      selected,
      colours,
      ink: style.color,
      line: style.borderTopColor,
      danger: style.outlineColor,
    })
    this.#describe()
    this.#listSoon()
  }

  #listSoon = debounce(() => {
    const extent = this.#bars.extent(this.#axis)
    this.#list.show(
      this.#bars.within(this.#axis, this.#view.from * extent, this.#view.to * extent),
      this.#options.selection.seq,
    )
  }, 120)

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

  #showNames() {
    const { lanes } = this.#bars
    if (this.#names.children.length === lanes.length) return
    this.#names.replaceChildren(...lanes.map((lane) => laneName(this.#bars, lane, this.#options)))
  }

  #describe() {
    const { root } = this.#options
    const { bars, lanes } = this.#bars
    const words =
      bars.length === 0 ? 'Nothing yet' : durationText(this.#axis, this.#bars.extent(this.#axis))
    find('[data-part="timeline-caption"]', root).textContent = words
    const thumb = find('[data-part="timeline-range"]', root)
    thumb.style.insetInlineStart = `${this.#view.from * 100}%`
    thumb.style.inlineSize = `${Math.max(1, this.#view.width * 100)}%`
    thumb.parentElement?.toggleAttribute('data-whole', this.#view.isWhole)
    this.#canvas.setAttribute(
      'aria-label',
      `Timeline: ${bars.length} steps of ${lanes.length} participants in ${words}. Use the arrow keys to move between bars, plus and minus to zoom.`,
    )
  }

  /** @param {string} how */
  #zoom(how) {
    if (how === 'fit') this.#view.fit()
    else this.#view.zoom(this.#middle(), how === 'in' ? 2 : 0.5)
    this.draw()
  }

  /** What stays in its place: the selected bar if it is in view. */
  #middle() {
    const { seq } = this.#options.selection
    const bar = seq === null ? undefined : this.#bars.barOf(seq)
    const extent = this.#bars.extent(this.#axis)
    if (!bar || extent === 0) return 0.5
    const [from, to] = bar.on[this.#axis]
    const place = ((from + to) / 2 / extent - this.#view.from) / this.#view.width
    return place >= 0 && place <= 1 ? place : 0.5
  }

  /** @param {Axis} axis */
  #switch(axis) {
    this.#axis = axis
    this.#view.fit()
    if (axis === 'cost') {
      this.#priceSoon()
      this.#priceSoon.flush()
    }
    this.#selected(this.#options.selection.seq, 'axis')
  }

  /**
   * @param {number | null} seq
   * @param {string} by
   */
  #selected(seq, by) {
    const bar = seq === null ? undefined : this.#bars.barOf(seq)
    const extent = this.#bars.extent(this.#axis)
    if (bar && extent > 0)
      this.#view.bring(bar.on[this.#axis][0] / extent, bar.on[this.#axis][1] / extent)
    if (bar && by === 'timeline') announce(this.#words(bar))
    this.draw()
  }

  /** @param {Bar} bar */
  #words(bar) {
    return barText(bar, laneText(bar.lane, this.#options.insideOf))
  }

  /**
   * @param {number} x
   * @param {number} y  px in the canvas
   */
  #barAt(x, y) {
    return this.#drawn.findLast(
      (one) => y >= one.y && y < one.y + LANE_PX && x >= one.x - 2 && x <= one.x + one.width + 2,
    )?.bar
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  #select(x, y) {
    const bar = this.#barAt(x, y)
    if (bar) this.#options.selection.select(bar.seq, 'timeline')
  }

  /**
   * @param {number} x
   * @param {number} y  outside for none
   */
  #point(x, y) {
    const bar = this.#barAt(x, y)
    const tip = find('[data-part="timeline-tip"]', this.#options.root)
    this.#canvas.toggleAttribute('data-over', Boolean(bar))
    tip.hidden = !bar
    tip.textContent = bar ? this.#words(bar) : ''
    const room = (this.#canvas.parentElement?.clientWidth ?? 0) - tip.offsetWidth
    tip.style.insetInlineStart = `${this.#canvas.offsetLeft + Math.max(0, Math.min(room, x - tip.offsetWidth / 2))}px`
    tip.style.insetBlockStart = `${this.#canvas.offsetTop + y + 14}px`
  }

  /**
   * @param {(bar: Bar, here: Bar) => boolean} isWanted
   * @param {1 | -1} way
   */
  #step(isWanted, way) {
    const { bars } = this.#bars
    const { seq } = this.#options.selection
    const here = seq === null ? undefined : this.#bars.barOf(seq)
    if (!here)
      return void (
        bars.length > 0 &&
        this.#options.selection.select(
          /** @type {Bar} */ (bars.at(way === 1 ? 0 : -1)).seq,
          'timeline',
        )
      )
    for (let place = bars.indexOf(here) + way; bars[place]; place += way) {
      const bar = /** @type {Bar} */ (bars[place])
      if (isWanted(bar, here)) return this.#options.selection.select(bar.seq, 'timeline')
    }
  }

  /**
   * Keys, heard while the timeline has the focus.
   * @returns {Action[]}
   */
  get actions() {
    const isSame = (/** @type {Bar} */ bar, /** @type {Bar} */ here) => bar.lane === here.lane
    const isOther = (/** @type {Bar} */ bar, /** @type {Bar} */ here) => bar.lane !== here.lane
    const pan = (/** @type {number} */ by) => () => {
      this.#view.pan(by)
      this.draw()
    }
    return /** @type {Omit<Action, 'group' | 'scope'>[]} */ ([
      {
        id: 'timeline-next',
        label: 'Agent’s next bar',
        keys: ['arrowright'],
        run: () => this.#step(isSame, 1),
      },
      {
        id: 'timeline-before',
        label: 'Agent’s previous bar',
        keys: ['arrowleft'],
        run: () => this.#step(isSame, -1),
      },
      {
        id: 'timeline-next-other',
        label: 'Next bar of another agent',
        keys: ['arrowdown'],
        run: () => this.#step(isOther, 1),
      },
      {
        id: 'timeline-before-other',
        label: 'Previous bar of another agent',
        keys: ['arrowup'],
        run: () => this.#step(isOther, -1),
      },
      {
        id: 'timeline-later',
        label: 'Scroll later',
        keys: ['shift+arrowright'],
        run: pan(0.25),
      },
      {
        id: 'timeline-earlier',
        label: 'Scroll earlier',
        keys: ['shift+arrowleft'],
        run: pan(-0.25),
      },
      { id: 'timeline-zoom-in', label: 'Zoom in', keys: ['+'], run: () => this.#zoom('in') },
      { id: 'timeline-zoom-out', label: 'Zoom out', keys: ['-'], run: () => this.#zoom('out') },
      {
        id: 'timeline-fit',
        label: 'Show whole run',
        keys: ['0'],
        run: () => this.#zoom('fit'),
      },
    ]).map((each) => ({ ...each, group: 'Timeline', scope: 'canvas' }))
  }

  get surface() {
    return this.#canvas
  }
}
