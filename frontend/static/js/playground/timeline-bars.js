// @ts-check
/** @import {Batch, Entry} from './types.js' */
import { hasEnded } from './run-words.js'

/** A hold is drawn this long at most: a pause over night would leave no room for the work. */
const LONGEST_HOLD_MS = 500

/**
 * @typedef {object} Bar
 * @property {string} lane  the agent
 * @property {number} seq  of the message or event that ended it
 * @property {'message' | 'tool' | 'thought' | 'input'} kind
 * @property {number} start  ms since the run began, holds shortened
 * @property {number} end
 */

/** What each agent did when, as bars in lanes. */
export class TimelineBars {
  /** @type {Bar[]} oldest first */
  bars = []
  /** @type {string[]} */
  lanes = []
  /** Length of the whole, in ms of shortened time. */
  span = 0
  #clock = 0
  #isHeld = false

  /** @param {string[]} lanes  names that have a lane from the start */
  constructor(lanes) {
    this.lanes = [...lanes]
  }

  /** @param {Batch} batch @returns {boolean} whether there is something new to draw */
  apply(batch) {
    for (const entry of batch.entries) this.#entry(entry)
    return batch.entries.length > 0
  }

  /** @param {number} seq */
  barOf(seq) {
    return this.bars.find((bar) => bar.seq === seq)
  }

  /** @param {Entry} entry */
  #entry({ kind, body, seq, at }) {
    const now = Date.parse(at)
    if (Number.isNaN(now) || body.type === 'TerminationProgressEvent') return // told at the moment of the message, ahead of it
    const start = this.span
    this.#advance(now)
    if (kind === 'state') this.#isHeld = body.state === 'paused' || hasEnded(body.state)
    if ((kind !== 'message' && kind !== 'event') || !body.source || body.type === 'SelectSpeakerEvent') return
    const lane = String(body.source)
    if (lane === 'user' && !this.lanes.includes(lane)) return // the task took nobody any time
    if (!this.lanes.includes(lane)) this.lanes.push(lane)
    this.bars.push({ lane, seq, kind: kindOf(body.type), start, end: this.span })
  }

  /** @param {number} now  ms of the wall clock */
  #advance(now) {
    const gap = this.#clock === 0 ? 0 : Math.max(0, now - this.#clock)
    this.#clock = Math.max(this.#clock, now)
    this.span += this.#isHeld ? Math.min(gap, LONGEST_HOLD_MS) : gap
  }
}

/** @param {string} type @returns {Bar['kind']} */
function kindOf(type) {
  if (type === 'ToolCallExecutionEvent' || type === 'CodeExecutionEvent') return 'tool'
  if (type === 'UserInputRequestedEvent') return 'input'
  return type.endsWith('Event') ? 'thought' : 'message'
}

/**
 * Where each bar is drawn. By time, or one place per bar: then a scripted run, which takes no time, can be read as well.
 *
 * @param {TimelineBars} timeline
 * @param {'time' | 'order'} axis
 * @returns {{bar: Bar, from: number, to: number}[]} both from 0 to 1
 */
export function place(timeline, axis) {
  const { bars, span } = timeline
  if (axis === 'order' || span === 0) {
    return bars.map((bar, index) => ({ bar, from: index / bars.length, to: (index + 1) / bars.length }))
  }
  return bars.map((bar) => ({ bar, from: bar.start / span, to: bar.end / span }))
}
