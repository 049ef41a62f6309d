// @ts-check
/** @import {Batch, Entry, Item} from '../types.js' */
/** @import {RunIndex} from './run-index.js' */
import { EntryPages, pageOf } from './entry-pages.js'
import { LiveItems } from '../chat/live-items.js'

/** More requests at once would only be late for where the reader is by then. */
const AT_ONCE = 3
/** The first entries of a tail are read to understand those after them. */
export const CONTEXT = 30

/**
 * The items of a run by their numbers, wherever they are: at the end, in a page, or still at the
 * server.
 */
export class RunItems {
  live = new LiveItems()
  #pages
  #index
  /** @type {Set<number>} calls whose results were looked for */
  #sought = new Set()
  #read

  /**
   * @param {RunIndex} index
   * @param {(after: number, before: number) => Promise<Entry[]>} read
   */
  constructor(index, read) {
    this.#index = index
    this.#read = read
    this.#pages = new EntryPages(read)
  }

  /**
   * What is here from now on; older entries are read when somebody looks at them.
   * @param {Entry[]} entries  the newest ones
   * @param {boolean} isWhole  whether nothing comes before them
   */
  begin(entries, isWhole) {
    const first = isWhole ? 0 : Math.min(CONTEXT, entries.length - 1)
    this.live.from = entries[first]?.seq ?? 1
  }

  /** @param {Batch} batch */
  apply(batch) {
    const { changed, removed } = this.live.apply(batch)
    for (const item of changed)
      if (item.seq > 0 && item.seq < this.live.from) this.#pages.change(item)
    return { changed, removed }
  }

  /**
   * @param {number} seq
   * @returns {Item | null | undefined} null: the entry is shown by another one; undefined: not here
   *   yet
   */
  find(seq) {
    if (seq >= this.live.from) return this.live.items.get(seq) ?? null
    const page = this.#pages.find(seq)
    return page ? (page.items.get(seq) ?? null) : undefined
  }

  /** @param {number} seq */
  entry(seq) {
    return seq >= this.live.from
      ? this.live.entries.get(seq)
      : this.#pages.find(seq)?.entries.get(seq)
  }

  /**
   * Have these brought here; what is under way already is left at that.
   * @param {number[]} seqs
   * @returns {Promise<void> | null} when one of them has come
   */
  bring(seqs) {
    const room = AT_ONCE - this.#pages.comingCount
    const byPage = new Map(seqs.map((seq) => [pageOf(seq), seq]))
    const coming = [...byPage.values()]
      .slice(0, Math.max(1, room))
      .map((seq) => this.#pages.bring(seq))
    return coming.length > 0 ? Promise.race(coming) : null
  }

  /**
   * Results that came long after their calls.
   * @param {Item} item
   * @returns {Promise<boolean> | null} whether it found any
   */
  completed(item) {
    if (
      item.kind !== 'tools' ||
      item.seq >= this.live.from ||
      this.#sought.has(item.seq) ||
      item.calls.every((call) => call.result !== null || call.lost)
    )
      return null
    this.#sought.add(item.seq)
    const result = this.#index.rows.find((row) => row.owner === item.seq && row.seq !== item.seq)
    return result ? this.#complete(item, result.seq) : null
  }

  /**
   * @param {Item} item
   * @param {number} seq  of the entry with the results
   */
  async #complete(item, seq) {
    const [entry] = await this.#read(seq - 1, seq + 1)
    const results = entry?.body.content ?? []
    for (const call of item.calls) {
      const found = results.find((/** @type {{call_id: string}} */ one) => one.call_id === call.id)
      if (found)
        Object.assign(call, {
          result: String(found.content ?? ''),
          isError: Boolean(found.is_error),
          durationMs: Date.parse(entry?.at ?? '') - Date.parse(item.at),
        })
    }
    return results.length > 0
  }
}
