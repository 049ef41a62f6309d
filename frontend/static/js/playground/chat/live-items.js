// @ts-check
/** @import {Batch, Entry, Item} from '../types.js' */
import { Thread } from './thread.js'

/**
 * The newest items are kept as they are made; older ones are read again when somebody looks at
 * them.
 */
const KEPT = 1200
const SLACK = 300

/** The end of the conversation, which still changes. */
export class LiveItems {
  #thread = new Thread()
  /** @type {Map<number, Item>} in the order of the log */
  items = new Map()
  /** @type {Map<number, Entry>} */
  entries = new Map()
  /** @type {Map<string, Item>} what is not in the log yet: messages being written, a question */
  loose = new Map()
  /** From this number on everything is here. */
  from = 1

  /**
   * @param {Batch} batch
   * @returns {{changed: Item[], removed: string[]}} what to draw again
   */
  apply(batch) {
    this.#thread.apply(batch)
    for (const entry of batch.entries)
      if (entry.seq >= this.from) this.entries.set(entry.seq, entry)
    const { items, removed } = this.#thread.takeChanges()
    for (const key of removed) this.loose.delete(key)
    for (const item of items) {
      if (item.seq === 0) this.loose.set(item.key, item)
      else {
        this.loose.delete(item.key)
        if (item.seq >= this.from) this.items.set(item.seq, item)
      }
    }
    this.#forgetOld()
    return { changed: items, removed }
  }

  #forgetOld() {
    if (this.entries.size <= KEPT + SLACK) return
    const old = [...this.entries.keys()].slice(0, this.entries.size - KEPT)
    this.from = (old.at(-1) ?? 0) + 1
    for (const seq of old) {
      this.entries.delete(seq)
      this.items.delete(seq)
    }
  }
}
