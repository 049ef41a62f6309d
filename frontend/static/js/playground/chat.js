// @ts-check
/** @import {Batch, Entry, Item} from './types.js' */
/** @import {ItemContext} from './chat-items.js' */
/** @import {Selection} from './selection.js' */
/** @import {Tail} from './tail.js' */
import { announce } from '../core/dom.js'
import { renderItem, updateItem } from './chat-items.js'
import { excerpt } from './format.js'
import { Thread } from './thread.js'

/** The page keeps this many items; memory and layout grow with elements, not with the log. */
const WINDOW = 300
/** Taking away one by one would be work in every frame. */
const SLACK = 60
/** A reader far up keeps what is on the page up to this many. */
const READER_WINDOW = 1500

/**
 * @typedef {object} ChatOptions
 * @property {HTMLElement} list
 * @property {HTMLButtonElement} earlier  shows what is above the window
 * @property {Tail} tail
 * @property {ItemContext} context
 * @property {Selection} selection
 * @property {(before: number) => Promise<{entries: Entry[], isStart: boolean}>} entriesBefore
 */

/** The conversation: a window of the newest items, and what the reader asked to see above it. */
export class Chat {
  #thread = new Thread()
  /** @type {Map<string, HTMLElement>} */
  #nodes = new Map()
  #options
  #firstSeq = Number.POSITIVE_INFINITY

  /** @param {ChatOptions} options @param {AbortSignal} signal */
  constructor(options, signal) {
    this.#options = options
    const { list, earlier, selection } = options
    earlier.hidden = true
    earlier.addEventListener('click', () => this.#showEarlier(), { signal })
    list.addEventListener('click', (event) => this.#clicked(event), { signal })
    selection.subscribe((seq, by) => this.#mark(seq, by !== 'chat'), signal)
  }

  /** The past is drawn at once, with the first live batch. @param {Batch} batch */
  apply(batch) {
    this.#thread.apply(batch)
    if (batch.live) this.#draw(batch.entries.length > 0)
  }

  /** @param {boolean} isNews */
  #draw(isNews) {
    const { items, removed } = this.#thread.take()
    for (const key of removed) this.#remove(key)
    const fresh = items.filter((item) => !this.#nodes.has(item.key))
    const shown = new Set(fresh.slice(-WINDOW))
    if (shown.size < fresh.length) this.#options.earlier.hidden = false
    for (const item of items) {
      if (this.#nodes.has(item.key)) this.#update(item)
      else if (shown.has(item)) this.#append(item)
    }
    this.#trim()
    this.#options.tail.grown(shown.size)
    if (isNews) announceNewest(fresh)
  }

  /** @param {Item} item */
  #append(item) {
    const { list, context } = this.#options
    const node = renderItem(item, context)
    const writing = item.streaming || item.kind === 'input' ? null : list.querySelector(':scope > [data-streaming]')
    list.insertBefore(node, writing)
    this.#nodes.set(item.key, node)
    markContinued(node)
    if (item.answer === 'open' && isFocusFree()) answerBox(node)?.focus({ preventScroll: true })
    if (item.seq > 0) this.#firstSeq = Math.min(this.#firstSeq, item.seq)
  }

  /** @param {Item} item */
  #update(item) {
    const old = /** @type {HTMLElement} */ (this.#nodes.get(item.key))
    const hadFocus = old.contains(document.activeElement)
    const node = updateItem(old, item, this.#options.context)
    this.#nodes.set(item.key, node)
    markContinued(node)
    if (hadFocus && !node.contains(document.activeElement)) (answerBox(node) ?? messagesOf(node))?.focus({ preventScroll: true, focusVisible: false })
  }

  /** @param {string} key */
  #remove(key) {
    this.#nodes.get(key)?.remove()
    this.#nodes.delete(key)
  }

  #trim() {
    const limit = this.#options.tail.isFollowing ? WINDOW : READER_WINDOW
    if (this.#nodes.size <= limit + SLACK) return
    const keys = new Map([...this.#nodes].map(([key, node]) => [node, key]))
    for (const node of [...this.#options.list.children].slice(0, this.#nodes.size - limit)) {
      const key = keys.get(/** @type {HTMLElement} */ (node))
      if (key) this.#remove(key)
    }
    const first = /** @type {HTMLElement | null} */ (this.#options.list.querySelector('[data-seq]:not([data-seq="0"])'))
    this.#firstSeq = Number(first?.dataset.seq ?? this.#firstSeq)
    this.#options.earlier.hidden = false
  }

  async #showEarlier() {
    const { earlier, list, tail, context } = this.#options
    earlier.disabled = true
    tail.release()
    try {
      const { entries, isStart } = await this.#options.entriesBefore(this.#firstSeq)
      const past = new Thread()
      past.apply({ entries, chunks: [], state: null, live: false })
      const nodes = past.take().items.map((item) => {
        const node = renderItem(item, context)
        this.#nodes.set(item.key, node)
        return node
      })
      tail.keepPlace(() => {
        list.prepend(...nodes)
        for (const node of list.children) markContinued(/** @type {HTMLElement} */ (node))
      })
      this.#firstSeq = entries[0]?.seq ?? this.#firstSeq
      earlier.hidden = isStart
    } finally {
      earlier.disabled = false
    }
  }

  /** Bring an item into view, from the log if need be. @param {number} seq */
  async reveal(seq) {
    while (seq < this.#firstSeq && !this.#options.earlier.hidden) await this.#showEarlier()
    this.#mark(seq, true)
  }

  /** The message before or after the selected one. @param {1 | -1} step */
  neighbour(step) {
    const { list, selection } = this.#options
    const turns = /** @type {HTMLElement[]} */ ([...list.querySelectorAll('[tabindex="-1"][data-seq]:not([data-seq="0"])')])
    const here = turns.findIndex((node) => Number(node.dataset.seq) === selection.seq)
    const next = here === -1 ? turns.at(step === 1 ? 0 : -1) : turns[here + step]
    return next ? Number(next.dataset.seq) : null
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const target = /** @type {Element} */ (event.target)
    const node = target.closest('[data-seq]')
    if (!(node instanceof HTMLElement) || target.closest('summary, button, textarea, pre, a:not(.turn-time)') || document.getSelection()?.toString()) return
    this.#options.selection.select(Number(node.dataset.seq) || null, 'chat')
  }

  /** @param {number | null} seq @param {boolean} scroll */
  #mark(seq, scroll) {
    const { list, tail } = this.#options
    list.querySelector(':scope > [data-selected]')?.removeAttribute('data-selected')
    const node = seq === null ? null : list.querySelector(`:scope > [data-seq="${seq}"]`)
    if (!(node instanceof HTMLElement)) {
      if (seq !== null && seq < this.#firstSeq && !this.#options.earlier.hidden) this.reveal(seq)
      return
    }
    node.dataset.selected = ''
    if (!scroll) return
    tail.release()
    node.scrollIntoView({ block: 'nearest' })
    if (node.tabIndex === -1 && !document.activeElement?.matches('textarea, input')) node.focus({ preventScroll: true })
  }
}

/** Whether nobody is typing or reading in a dialog. */
function isFocusFree() {
  return !document.activeElement?.closest('textarea, input, dialog, [popover]')?.checkVisibility()
}

/** @param {HTMLElement} node @returns {HTMLElement | null} */
const answerBox = (node) => node.querySelector('.question-form textarea')

/** @param {HTMLElement} node @returns {HTMLElement | null} */
const messagesOf = (node) => node.closest('[data-part="chat-scroll"]')

/** An agent that goes on needs no second name. @param {HTMLElement} node */
function markContinued(node) {
  const before = /** @type {HTMLElement | null} */ (node.previousElementSibling)
  const isTurn = node.classList.contains('turn')
  node.toggleAttribute('data-continued', isTurn && before?.classList.contains('turn') === true && before.dataset.source === node.dataset.source && before.dataset.side === node.dataset.side)
}

/** @param {Item[]} items */
function announceNewest(items) {
  const item = items.findLast((one) => !one.streaming && ['message', 'handoff', 'end', 'input'].includes(one.kind))
  if (!item) return
  if (item.kind === 'end') announce(item.label)
  else if (item.kind === 'input') announce(`${item.source} asks: ${excerpt(item.label)}`)
  else announce(`${item.source}: ${excerpt(item.parts[0]?.value ?? '')}`)
}
