// @ts-check
/** @import {Item} from '../types.js' */
/** @import {ItemContext} from './chat-items.js' */
/** @import {ChatSlots} from './chat-slots.js' */
/** @import {Row, RunIndex} from '../log/run-index.js' */
/** @import {RunItems} from '../log/run-items.js' */
import { el } from '../../core/dom.js'
import { showNesting } from './chat-nesting.js'
import { renderItem, updateItem } from './chat-items.js'
import { bareItem, estimateHeight, placeholder, rawEntry } from './chat-rows.js'
import { RAW } from './detail-level.js'

/** Makes the elements of the conversation, and keeps those that still say all. */
export class ChatNodes {
  #index
  #items
  #context
  #slots
  #width
  /** @type {Set<string>} keys of items that changed since they were drawn */
  #stale = new Set()
  /** @type {WeakSet<Element>} elements that stand for an item which is still to come */
  #waiting = new WeakSet()
  /** @type {WeakMap<Element, string>} what elements were made for: an older one is made anew */
  #madeFor = new WeakMap()
  /**
   * @type {Map<string, HTMLElement>} elements of what is not in the log yet; the log takes them
   *   over
   */
  #loose = new Map()

  /**
   * @param {{index: RunIndex, items: RunItems, context: ItemContext}} run
   * @param {ChatSlots} slots
   * @param {() => number} width  px of the conversation
   */
  constructor({ index, items, context }, slots, width) {
    this.#index = index
    this.#items = items
    this.#context = context
    this.#slots = slots
    this.#width = width
  }

  /** @param {Item} item */
  changed(item) {
    this.#stale.add(item.key)
  }

  /** @param {Row} row */
  keyOf(row) {
    return this.#items.find(row.seq)?.key ?? `seq-${row.seq}`
  }

  /** @param {Row} row */
  guess(row) {
    return estimateHeight(row, this.#slots.level === RAW, this.#width())
  }

  /**
   * @param {Row} row
   * @param {HTMLElement | undefined} kept
   * @param {(late: Promise<unknown>) => void} later  told of what still comes
   */
  nodeOf(row, kept, later) {
    const item = this.#items.find(row.seq)
    const key = item?.key ?? `seq-${row.seq}`
    const old = kept ?? this.#loose.get(key)
    if (item === undefined) return old && this.#waiting.has(old) ? old : this.#wait(row)
    this.#loose.delete(key)
    const isOld = !old || this.#waiting.has(old) || this.#madeFor.get(old) !== this.#purpose
    if (!isOld && !this.#stale.has(key)) return old
    this.#stale.delete(key)
    return isOld ? this.#make(row, item, old, later) : this.#update(old, row, item)
  }

  /**
   * What is not in the log yet: messages that are written, a question.
   * @returns {HTMLElement[]}
   */
  loose() {
    const nodes = [...this.#items.live.loose.values()].map((item) => {
      const old = this.#loose.get(item.key)
      const node = !old
        ? renderItem(item, this.#context)
        : this.#stale.has(item.key)
          ? updateItem(old, item, this.#context)
          : old
      this.#stale.delete(item.key)
      const inside = this.#index.insideOf(item.source)
      showNesting(node, inside, this.#slots.itemBefore(this.#slots.rows.length)?.inside === inside)
      this.#loose.set(item.key, node)
      this.#madeFor.set(node, this.#purpose)
      return node
    })
    for (const key of this.#loose.keys())
      if (!this.#items.live.loose.has(key)) this.#loose.delete(key)
    return nodes
  }

  /**
   * With another level of detail, or for a filter that asks for what is no item, elements say other
   * things.
   */
  get #purpose() {
    return `${this.#slots.level === RAW}${this.#slots.filter.kind}`
  }

  /** @param {Row} row */
  #wait(row) {
    const node = placeholder(row, this.guess(row))
    this.#waiting.add(node)
    return node
  }

  /**
   * @param {HTMLElement} old
   * @param {Row} row
   * @param {Item | null} item
   */
  #update(old, row, item) {
    if (!item) return old
    old.querySelector(':scope > .raw-entry')?.remove()
    const node = updateItem(old, item, this.#context)
    this.#madeFor.set(node, this.#purpose)
    return this.#withRaw(node, row)
  }

  /**
   * @param {Row} row
   * @param {Item | null} item
   * @param {HTMLElement | undefined} old
   * @param {(late: Promise<unknown>) => void} later
   */
  #make(row, item, old, later) {
    if (!item && row.item !== '') this.#index.isNoItem(row.seq)
    const node =
      item && old && !this.#waiting.has(old) && item.answer === 'open'
        ? updateItem(old, item, this.#context)
        : item
          ? renderItem(item, this.#context)
          : this.#bare(row)
    this.#madeFor.set(node, this.#purpose)
    const late = item && this.#items.completed(item)
    if (late) later(late.then((isFound) => isFound && this.changed(item)))
    return item ? this.#withRaw(node, row) : node
  }

  /**
   * What is no item is shown as it is where somebody asks for all, and else not at all.
   * @param {Row} row
   */
  #bare(row) {
    const entry = this.#items.entry(row.seq)
    if (!entry || (this.#slots.level !== RAW && this.#slots.filter.kind === ''))
      return el('div', { hidden: true, 'data-seq': row.seq })
    if (this.#slots.filter.kind !== '')
      return this.#withRaw(renderItem(bareItem(entry), this.#context), row)
    return el(
      'div',
      { class: 'turn-bare', id: `seq-${row.seq}`, 'data-seq': row.seq, tabindex: -1 },
      rawEntry(entry),
    )
  }

  /**
   * @param {HTMLElement} node
   * @param {Row} row
   */
  #withRaw(node, row) {
    const entry = this.#slots.level === RAW ? this.#items.entry(row.seq) : undefined
    if (entry) node.append(rawEntry(entry))
    return node
  }
}
