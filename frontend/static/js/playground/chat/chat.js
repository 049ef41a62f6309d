// @ts-check
/** @import {Batch, Item} from '../types.js' */
/** @import {ItemContext} from './chat-items.js' */
/** @import {Filter} from '../log/filter.js' */
/** @import {Level} from './detail-level.js' */
/** @import {Row, RunIndex} from '../log/run-index.js' */
/** @import {RunItems} from '../log/run-items.js' */
/** @import {Selection} from '../log/selection.js' */
/** @import {StickToBottom} from './stick-to-bottom.js' */
import { announce } from '../../core/dom.js'
import { showNesting } from './chat-nesting.js'
import { ChatNodes } from './chat-nodes.js'
import { ChatSlots } from './chat-slots.js'
import { NO_FILTER, isOn } from '../log/filter.js'
import { excerpt } from '../format.js'
import { refreshHighlights } from './search-highlights.js'
import { ActiveWork, modelsIn } from '../log/active-work.js'
import { ActivityRows } from './activity-rows.js'
import { WindowedList } from './windowed-list.js'

/**
 * @typedef {object} ChatOptions
 * @property {HTMLElement} scroller
 * @property {HTMLElement} list
 * @property {HTMLElement} none  said when a filter leaves nothing
 * @property {StickToBottom} tail
 * @property {ItemContext} context
 * @property {Selection} selection
 * @property {RunIndex} index
 * @property {RunItems} items
 * @property {Level} level
 * @property {ActiveWork} [work]  who works now
 * @property {import('../types.js').Body | null} [component]  of the run
 */

/**
 * The conversation of a run of any length: what is near the view is drawn, what is far away is not
 * even here.
 */
export class Chat {
  #options
  #window
  #nodes
  #waiting
  #work
  slots

  /**
   * @param {ChatOptions} options
   * @param {AbortSignal} signal
   */
  constructor(options, signal) {
    this.#options = options
    const { scroller, list, selection, tail, index, items, context, level } = options
    this.slots = new ChatSlots(index, level)
    this.#work = options.work ?? new ActiveWork()
    this.#waiting = new ActivityRows(
      this.#work,
      context.colours,
      modelsIn(options.component),
      { redraw: () => this.#drawWaiting(), list },
      signal,
    )
    this.#nodes = new ChatNodes({ index, items, context }, this.slots, () => list.clientWidth)
    this.#window = new WindowedList(
      scroller,
      list,
      {
        id: (place) => this.#row(place).seq,
        key: (place) => this.#nodes.keyOf(this.#row(place)),
        guess: (place) => this.#nodes.guess(this.#row(place)),
        node: (place, old) => this.#nodeOf(place, old),
        rest: () =>
          isOn(this.slots.filter) ? [] : [...this.#nodes.loose(), ...this.#waiting.nodes()],
        isPinned: (key) => key.startsWith('ask-'),
        isAtEnd: () => tail.isFollowing,
        moveTo: (top) => tail.moveTo(top),
        drawn: (first, last) => this.#drawn(first, last),
      },
      signal,
    )
    list.addEventListener('click', (event) => this.#clicked(event), { signal })
    selection.subscribe(
      (seq, by) => (by === 'chat' || seq === null ? this.#window.draw() : this.reveal(seq)),
      signal,
    )
  }

  /**
   * News, after the index took them.
   * @param {Batch} batch
   */
  apply(batch) {
    const { items, tail, scroller, list } = this.#options
    this.#work.apply(batch)
    this.#waiting.follow()
    const { changed, removed } = items.apply(batch)
    for (const key of removed) this.#window.forget(key)
    for (const item of changed) this.#nodes.changed(item)
    if (this.slots.isOld) return this.show({})
    const added = this.slots.takeChanges()
    const focused = document.activeElement
    this.#window.grow(added)
    this.#window.draw()
    tail.grown(
      added === 0
        ? 0
        : this.slots.rows.slice(-added).filter(({ item }) => item !== 'command' && item !== '')
            .length,
    )
    this.#showNone()
    if (!batch.live) return
    const asked = /** @type {HTMLElement | null} */ (
      list.querySelector('.question[data-answer="open"] textarea')
    )
    if (changed.some((item) => item.answer === 'open') && asked && isFocusFree())
      asked.focus({ preventScroll: true })
    else if (focused !== document.activeElement && document.activeElement === document.body)
      scroller.focus({ preventScroll: true, focusVisible: false })
    if (batch.entries.length > 0) announceNewest(changed)
  }

  /**
   * Show other things, and keep what is in view there.
   * @param {{level?: Level, filter?: Filter}} change
   */
  show(change) {
    const { selection, tail } = this.#options
    const seq = selection.seq ?? this.slots.rows[this.#window.topRow]?.seq ?? 0
    const offset = this.#window.offsetOf(this.slots.shownAt(seq))
    this.slots.choose(change)
    const count = this.slots.rows.length
    this.#window.reset(
      count,
      tail.isFollowing || count === 0 ? -1 : this.slots.placeOf(seq),
      offset,
    )
    tail.grown(0)
    this.#showNone()
  }

  /** Place of the selected item, or of the one before the top of the view. */
  get here() {
    const { seq } = this.#options.selection
    if (seq === null) return this.#window.topRow - 1
    const place = this.slots.shownAt(seq)
    return place < 0 ? this.slots.placeOf(seq) : place
  }

  /**
   * Bring what shows an entry into view; what is hidden by detail or filter is shown again.
   * @param {number} seq
   * @param {{isForced?: boolean}} [how]
   */
  reveal(seq, { isForced = false } = {}) {
    const { tail } = this.#options
    if (isForced && this.slots.shownAt(seq) < 0) this.show({ filter: NO_FILTER, level: 2 })
    if (this.slots.rows.length === 0) return
    tail.release()
    const place = this.slots.shownAt(seq)
    this.#window.reveal(place < 0 ? this.slots.placeOf(seq) : place)
    this.#focusSelected()
  }

  #drawWaiting() {
    this.#window.draw()
    this.#options.tail.grown(0)
  }

  draw() {
    this.#window.draw()
  }

  #focusSelected() {
    const node = this.#options.list.querySelector(':scope > [data-selected]')
    if (
      node instanceof HTMLElement &&
      node.tabIndex === -1 &&
      isFocusFree() &&
      !document.activeElement?.closest('[data-part="views"]')
    )
      node.focus({ preventScroll: true })
  }

  #showNone() {
    this.#options.none.hidden = this.slots.rows.length > 0 || !isOn(this.slots.filter)
  }

  /** @param {number} place */
  #row(place) {
    return /** @type {Row} */ (this.slots.rows[place])
  }

  /**
   * @param {number} place
   * @param {HTMLElement | undefined} old
   */
  #nodeOf(place, old) {
    const { colours } = this.#options.context
    const node = this.#nodes.nodeOf(this.#row(place), old, (late) =>
      late.then(
        () => this.#window.schedule(),
        () => {},
      ),
    )
    const { inside } = this.#row(place)
    showNesting(node, inside, this.slots.itemBefore(place)?.inside === inside)
    node.toggleAttribute(
      'data-continued',
      this.slots.goesOn(place, (row) => row.item === 'message' && colours.isHuman(row.source)),
    )
    return node
  }

  /**
   * @param {number} first
   * @param {number} last
   */
  #drawn(first, last) {
    const { items, selection, list, index } = this.#options
    const missing = this.slots.rows
      .slice(first, last + 1)
      .filter(({ seq }) => items.find(seq) === undefined)
    if (missing.length > 0)
      items.bring(missing.map(({ seq }) => seq))?.then(
        () => this.#window.schedule(),
        () => {},
      )
    const { seq } = selection
    const own =
      seq === null ? null : list.querySelector(`:scope > [data-seq="${seq}"]:not([hidden])`)
    const shown =
      own ??
      (seq === null
        ? null
        : list.querySelector(`:scope > [data-seq="${index.itemOf(seq)}"]:not([hidden])`))
    for (const node of list.querySelectorAll(':scope > [data-selected]'))
      if (node !== shown) node.removeAttribute('data-selected')
    shown?.setAttribute('data-selected', '')
    refreshHighlights()
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const target = /** @type {Element} */ (event.target)
    // whoever unfolds reads on from there
    if (target.closest('.turn-unfold')) this.#options.tail.release()
    const node = target.closest('[data-seq]')
    if (
      !(node instanceof HTMLElement) ||
      target.closest('summary, button, textarea, pre, a') ||
      document.getSelection()?.toString()
    )
      return
    this.#options.selection.select(Number(node.dataset.seq) || null, 'chat')
  }
}

/** Whether nobody is typing or reading in a dialog. */
function isFocusFree() {
  return !document.activeElement
    ?.closest('textarea, input, select, dialog, [popover]')
    ?.checkVisibility()
}

/** @param {Item[]} items */
function announceNewest(items) {
  const item = items.findLast(
    (one) => !one.streaming && ['message', 'handoff', 'end', 'input'].includes(one.kind),
  )
  if (!item) return
  if (item.kind === 'end') announce(item.label)
  else if (item.kind === 'input') announce(`${item.source} asks: ${excerpt(item.label)}`)
  else announce(`${item.source}: ${excerpt(item.parts[0]?.value ?? '')}`)
}
