// @ts-check
/** @import {Batch, Entry} from '../types.js' */
/** @import {NestingPath} from '../log/nested-runs.js' */
import { TOP_LEVEL } from '../log/nested-runs.js'
import { hasEnded } from '../run-status.js'

/** A hold is drawn this long at most: a pause over night would leave no room for the work. */
const MAX_HOLD_MS = 500

/**
 * What the width of a bar stands for.
 * @typedef {'time' | 'order' | 'tokens' | 'cost'} Axis
 */

/**
 * @typedef {object} Bar
 * @property {string} lane  the agent
 * @property {number} seq  of the message or event that ended it
 * @property {'message' | 'tool' | 'thought' | 'input'} kind
 * @property {number} start  ms since the run began, holds shortened
 * @property {number} end
 * @property {number} tokens
 * @property {number} cost  US dollars; 0 until `price` was told, and where no price is known
 * @property {boolean} isError
 * @property {string} note  the tool, or whom it is handed to
 * @property {{[axis in Axis]: [from: number, to: number]}} on  its place, each axis in its own
 *   measure
 */

/** What each agent did when, as bars in lanes. */
export class TimelineBars {
  /** @type {Bar[]} oldest first; so their places rise on every axis */
  bars = []
  /** @type {string[]} */
  lanes = []
  /** Length of the whole, in ms of shortened time. */
  span = 0
  #tokens = 0
  #cost = 0
  #clock = 0
  #isHeld = false
  /**
   * Where the last thing that somebody did ended; what people tell the run in between is nobody's
   * beginning.
   */
  #idleFrom = 0
  /**
   * Where each got the word, or ended what it did before.
   * @type {Map<string, number>}
   */
  #begins = new Map()
  /**
   * Teams that are heard only through their members, by name, and what they stand within.
   * @type {Map<string, NestingPath>}
   */
  #holders = new Map()

  #insideOf

  /**
   * @param {string[]} lanes  names that have a lane from the start
   * @param {(name: string) => NestingPath} [insideOf]  within whom it stands in the design
   */
  constructor(lanes, insideOf = () => TOP_LEVEL) {
    this.#insideOf = insideOf
    for (const lane of lanes) this.#open(lane)
  }

  /**
   * How many participants a lane stands within.
   * @param {string} lane
   */
  depthOf(lane) {
    return (this.#holders.get(lane) ?? this.#insideOf(lane)).length
  }

  /**
   * Whether a lane is only the name of those below it: a team says nothing itself.
   * @param {string} lane
   */
  isHolder(lane) {
    return this.#holders.has(lane)
  }

  /**
   * A lane below those that it stands within.
   * @param {string} lane
   */
  #open(lane) {
    const inside = this.#insideOf(lane)
    inside.forEach((name, depth) => {
      if (this.lanes.includes(name)) return
      this.#holders.set(name, inside.slice(0, depth))
      this.#insert(name, inside.slice(0, depth))
    })
    this.#insert(lane, inside)
  }

  /**
   * @param {string} lane
   * @param {NestingPath} inside
   */
  #insert(lane, inside) {
    const holder = this.lanes.indexOf(inside.at(-1) ?? '')
    let place = holder + 1
    while (
      holder >= 0 &&
      place < this.lanes.length &&
      this.depthOf(/** @type {string} */ (this.lanes[place])) >= inside.length
    )
      place += 1
    this.lanes.splice(holder < 0 ? this.lanes.length : place, 0, lane)
  }

  /**
   * @param {Batch} batch
   * @returns {boolean} whether there is something new to draw
   */
  apply(batch) {
    for (const entry of batch.entries) this.#entry(entry)
    return batch.entries.length > 0
  }

  /**
   * Length of an axis.
   * @param {Axis} axis
   */
  extent(axis) {
    return { time: this.span, order: this.bars.length, tokens: this.#tokens, cost: this.#cost }[
      axis
    ]
  }

  /**
   * What the bars cost.
   * @param {{seq: number, micro_usd: number}[]} costs  by what each led to
   */
  price(costs) {
    const known = new Map(costs.map(({ seq, micro_usd: micro }) => [seq, micro / 1e6]))
    this.#cost = 0
    for (const bar of this.bars) {
      bar.cost = known.get(bar.seq) ?? 0
      bar.on.cost = [this.#cost, (this.#cost += bar.cost)]
    }
  }

  /**
   * The bar of an entry, or of the next one that has a bar.
   * @param {number} seq
   */
  barOf(seq) {
    return this.bars[firstFrom(this.bars, (bar) => bar.seq >= seq)]
  }

  /**
   * Bars that reach into a part of an axis.
   * @param {Axis} axis
   * @param {number} from
   * @param {number} to  both in its measure
   */
  within(axis, from, to) {
    const first = firstFrom(this.bars, ({ on }) => on[axis][1] >= from)
    return this.bars.slice(
      first,
      firstFrom(this.bars, ({ on }) => on[axis][0] > to),
    )
  }

  /** @param {Entry} entry */
  #entry({ kind, body, seq, at, ...more }) {
    const now = Date.parse(at)
    if (Number.isNaN(now)) return
    if (kind === 'explanation') return this.#decided(body)
    this.#advance(now)
    if (kind === 'state') this.#onState(body)
    if (
      (kind !== 'message' && kind !== 'event') ||
      !body.source ||
      body.type === 'SelectSpeakerEvent'
    )
      return
    const lane = String(body.source)
    // the task took nobody any time
    if (lane === 'user' && !this.lanes.includes(lane)) return void (this.#idleFrom = this.span)
    if (!this.lanes.includes(lane)) this.#open(lane)
    const start = this.#begins.get(lane) ?? this.#idleFrom
    if (kind === 'message') this.#begins.delete(lane)
    else this.#begins.set(lane, this.span)
    this.#idleFrom = this.span
    this.#add({
      lane,
      seq,
      kind: kindOf(body.type),
      start,
      end: this.span,
      tokens: tokensOf(body),
      cost: 0,
      ...saidOf(body, more),
    })
  }

  /**
   * Somebody gets the word. The entry may be written much later; an index does not tell when it
   * was.
   * @param {Entry['body']} body
   */
  #decided(body) {
    const at = Date.parse(body.created_at ?? '')
    if (body.type !== 'SpeakerDecisionEvent' || Number.isNaN(at) || !Array.isArray(body.chosen))
      return
    this.#advance(at)
    for (const name of body.chosen) this.#begins.set(name, this.span)
  }

  /** @param {Entry['body']} body  of a state */
  #onState(body) {
    if (this.#isHeld && body.state === 'running') this.#idleFrom = this.span
    this.#isHeld = body.state === 'paused' || hasEnded(body.state)
  }

  /** @param {Omit<Bar, 'on'>} bar */
  #add(bar) {
    const count = this.bars.length
    const before = { tokens: this.#tokens, cost: this.#cost }
    this.#tokens += bar.tokens
    this.#cost += bar.cost
    this.bars.push({
      ...bar,
      on: {
        time: [bar.start, bar.end],
        order: [count, count + 1],
        tokens: [before.tokens, this.#tokens],
        cost: [before.cost, this.#cost],
      },
    })
  }

  /** @param {number} now  ms of the wall clock */
  #advance(now) {
    const gap = this.#clock === 0 ? 0 : Math.max(0, now - this.#clock)
    this.#clock = Math.max(this.#clock, now)
    this.span += this.#isHeld ? Math.min(gap, MAX_HOLD_MS) : gap
  }
}

/** @param {Entry['body']} body */
const tokensOf = ({ models_usage: usage }) =>
  (usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0)

/**
 * Of a whole entry, or of one that the index tells.
 * @param {Entry['body']} body
 * @param {{isError?: boolean, note?: string}} told
 */
function saidOf({ content, target }, { isError, note }) {
  const parts = Array.isArray(content) ? content : []
  return {
    isError: isError ?? parts.some((part) => part?.is_error === true),
    note: String(note ?? target ?? parts[0]?.name ?? ''),
  }
}

/**
 * @param {string} type
 * @returns {Bar['kind']}
 */
function kindOf(type) {
  if (type === 'ToolCallExecutionEvent' || type === 'CodeExecutionEvent') return 'tool'
  if (type === 'UserInputRequestedEvent') return 'input'
  return type.endsWith('Event') ? 'thought' : 'message'
}

/**
 * Place of the first bar for which it holds; it holds for all after that one.
 * @param {Bar[]} bars
 * @param {(bar: Bar) => boolean} holds
 */
function firstFrom(bars, holds) {
  let low = 0
  let high = bars.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (holds(/** @type {Bar} */ (bars[middle]))) high = middle
    else low = middle + 1
  }
  return low
}
