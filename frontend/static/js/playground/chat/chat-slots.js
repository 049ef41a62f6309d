// @ts-check
/** @import {Filter} from '../log/filter.js' */
/** @import {Level} from './detail-level.js' */
/** @import {Row, RunIndex} from '../log/run-index.js' */
import { isShownAt } from './detail-level.js'
import { NO_FILTER, passes } from '../log/filter.js'

/** Which rows of the index the conversation shows, with the detail and the filter of now. */
export class ChatSlots {
  /** @type {Row[]} in the order of the log */
  rows = []
  /** @type {Filter} */
  filter = NO_FILTER
  #index
  #edition
  /** How many rows of the index have been looked at. */
  #taken = 0

  /**
   * @param {RunIndex} index
   * @param {Level} level
   */
  constructor(index, level) {
    this.#index = index
    this.#edition = index.edition
    this.level = level
  }

  /** @param {{level?: Level, filter?: Filter}} change */
  choose({ level = this.level, filter = this.filter }) {
    this.level = level
    this.filter = filter
    this.rows = []
    this.#taken = 0
    this.#edition = this.#index.edition
    this.takeChanges()
  }

  /** Whether the index holds other rows than those that were taken, and not only more. */
  get isOld() {
    return this.#edition !== this.#index.edition
  }

  /**
   * Take what is new in the index.
   * @returns {number} how many rows there are more
   */
  takeChanges() {
    const before = this.rows.length
    for (; this.#taken < this.#index.rows.length; this.#taken += 1) {
      const row = /** @type {Row} */ (this.#index.rows[this.#taken])
      if (this.#isShown(row)) this.rows.push(row)
    }
    return this.rows.length - before
  }

  /**
   * Place of the row, or of the nearest one before it.
   * @param {number} seq
   */
  placeOf(seq) {
    let low = 0
    let high = this.rows.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (/** @type {Row} */ (this.rows[middle]).seq <= seq) low = middle + 1
      else high = middle
    }
    return Math.max(0, low - 1)
  }

  /**
   * Place of what shows an entry: its own row, else that of its item.
   * @param {number} seq
   * @returns {number} -1 when it is not shown now
   */
  shownAt(seq) {
    for (const one of [seq, this.#index.itemOf(seq)]) {
      const place = this.placeOf(one)
      if (this.rows[place]?.seq === one) return place
    }
    return -1
  }

  /**
   * The last row before it that is an item.
   * @param {number} place
   */
  itemBefore(place) {
    let before = place - 1
    while (this.rows[before]?.item === '') before -= 1
    return this.rows[before]
  }

  /**
   * Whether the same one goes on, who needs no second name.
   * @param {number} place
   * @param {(row: Row) => boolean} isSaid  by a person, on the other side
   */
  goesOn(place, isSaid) {
    const row = this.rows[place]
    const last = this.itemBefore(place)
    return (
      row !== undefined &&
      last !== undefined &&
      isTurn(row) &&
      isTurn(last) &&
      last.source === row.source &&
      last.inside === row.inside &&
      isSaid(last) === isSaid(row)
    )
  }

  /** @param {Row} row */
  #isShown(row) {
    const passed = passes(row, this.filter, this.#index.failed)
    return this.filter.kind === '' ? passed && isShownAt(row, this.level) : passed
  }
}

/** @param {Row} row */
const isTurn = ({ item, type }) =>
  !['command', 'end', ''].includes(item) && type !== 'SelectSpeakerEvent'
