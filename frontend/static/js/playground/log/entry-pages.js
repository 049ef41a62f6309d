// @ts-check
/** @import {Entry, Item} from '../types.js' */
import { Thread } from '../chat/thread.js'

/** Entries of one page, by their numbers. */
const PAGE = 160
/**
 * What is read around a page: who was given the word before it, and the results that come after its
 * calls.
 */
const BEFORE = 40
const AFTER = 80
/** So many pages are kept: a few screens of long messages. */
const KEPT = 16

/**
 * @typedef {object} Page
 * @property {Map<number, Item>} items
 * @property {Map<number, Entry>} entries
 */

/**
 * Reads the log in pages when somebody looks at it, and forgets what nobody has looked at for long.
 */
export class EntryPages {
  /** @type {Map<number, Page>} the one looked at last comes last */
  #pages = new Map()
  /** @type {Map<number, Promise<void>>} */
  #coming = new Map()
  #read

  /** @param {(after: number, before: number) => Promise<Entry[]>} read  both ends left out */
  constructor(read) {
    this.#read = read
  }

  /**
   * The page of an entry, if it is there.
   * @param {number} seq
   */
  find(seq) {
    const number = pageOf(seq)
    const page = this.#pages.get(number)
    if (!page) return undefined
    this.#pages.delete(number)
    this.#pages.set(number, page)
    return page
  }

  /**
   * @param {number} seq
   * @returns {Promise<void>} when its page is there
   */
  bring(seq) {
    const number = pageOf(seq)
    if (this.#pages.has(number)) return Promise.resolve()
    const coming =
      this.#coming.get(number) ?? this.#load(number).finally(() => this.#coming.delete(number))
    this.#coming.set(number, coming)
    return coming
  }

  get comingCount() {
    return this.#coming.size
  }

  /** @param {number} number */
  async #load(number) {
    const first = number * PAGE + 1
    const last = first + PAGE - 1
    const entries = await this.#read(first - 1 - BEFORE, last + 1 + AFTER)
    this.#pages.set(number, pageFrom(entries, first, last))
    for (const old of [...this.#pages.keys()].slice(0, -KEPT)) this.#pages.delete(old)
  }

  /**
   * Something of an older page has changed after all.
   * @param {Item} item
   */
  change(item) {
    this.#pages.get(pageOf(item.seq))?.items.set(item.seq, item)
  }

  forget() {
    this.#pages.clear()
  }
}

/** @param {number} seq */
export const pageOf = (seq) => Math.floor((seq - 1) / PAGE)

/**
 * @param {Entry[]} entries  of the page and around it
 * @param {number} first
 * @param {number} last
 * @returns {Page}
 */
export function pageFrom(entries, first, last) {
  const isWithin = (/** @type {{seq: number}} */ { seq }) => seq >= first && seq <= last
  const thread = new Thread()
  thread.apply({ entries, chunks: [], state: null, live: false })
  return {
    items: new Map(
      thread
        .takeChanges()
        .items.filter(isWithin)
        .map((item) => [item.seq, item]),
    ),
    entries: new Map(entries.filter(isWithin).map((entry) => [entry.seq, entry])),
  }
}
