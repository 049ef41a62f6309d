// @ts-check
/** @import {Hit} from './server.js' */

/**
 * Hits of a text in the log of a run, in its order. The server looks; it is asked for more when the
 * last hit is near.
 */
export class Search {
  /** @type {Hit[]} */
  hits = []
  text = ''
  isWhole = true
  #find
  #next = 0
  /** @type {Promise<void> | null} */
  #coming = null

  /**
   * @param {(text: string, after: number) => Promise<{hits: Hit[], next_after: number | null}>}
   *   find
   */
  constructor(find) {
    this.#find = find
  }

  /**
   * @param {string} text
   * @returns {Promise<boolean>} whether it is still what is searched for when the answer comes
   */
  async start(text) {
    this.text = text
    this.hits = []
    this.isWhole = text === ''
    this.#next = 0
    this.#coming = null
    if (text !== '') await this.more()
    return this.text === text
  }

  /** Look further, until there are more hits or the log is at its end. */
  async more() {
    if (this.isWhole) return
    this.#coming ??= this.#look(this.text).finally(() => {
      this.#coming = null
    })
    await this.#coming
  }

  /** The log of a run that goes on has grown: its new end was not looked at. */
  grown() {
    if (this.text !== '' && this.isWhole) this.isWhole = false
  }

  /**
   * The hit after or before an entry; round again at the end.
   * @param {number} seq
   * @param {1 | -1} way
   */
  async neighbour(seq, way) {
    if (way === 1 && !this.hits.some((hit) => hit.seq > seq)) await this.more()
    const found =
      way === 1
        ? (this.hits.find((hit) => hit.seq > seq) ?? this.hits[0])
        : (this.hits.findLast((hit) => hit.seq < seq) ?? this.hits.at(-1))
    return found
  }

  /** @param {string} text */
  async #look(text) {
    const had = this.hits.length
    while (!this.isWhole && this.hits.length === had) {
      const { hits, next_after: next } = await this.#find(text, this.#next)
      if (this.text !== text) return
      this.hits.push(...hits)
      this.isWhole = next === null
      this.#next = next ?? this.hits.at(-1)?.seq ?? this.#next
    }
  }

  /**
   * `3 of 17`, `17+ hits`, `Nothing found`.
   * @param {number | null} seq  the selected entry
   */
  words(seq) {
    if (this.text === '') return ''
    if (this.hits.length === 0) return this.isWhole ? 'Nothing found' : 'Searching'
    const count = `${this.hits.length.toLocaleString('en')}${this.isWhole ? '' : '+'}`
    const here = this.hits.findIndex((hit) => hit.seq === seq)
    return here < 0
      ? `${count} ${this.hits.length === 1 ? 'hit' : 'hits'}`
      : `${here + 1} of ${count}`
  }
}
