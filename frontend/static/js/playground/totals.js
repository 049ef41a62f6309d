// @ts-check
/** @import {Batch, Usage} from './types.js' */
import { usageTotal } from './format.js'
import { usageOf } from './chat/message-parts.js'

/**
 * What the run has used so far. The server also counts calls that show no message, such as the
 * selector's, but tells its sum only when the state changes; in between, what the messages say is
 * ahead.
 */
export class Totals {
  /** @type {Usage} */
  #seen = { prompt_tokens: 0, completion_tokens: 0 }
  /** @type {Usage} */
  #reported = { prompt_tokens: 0, completion_tokens: 0 }
  messages = 0
  #first = 0
  #last = 0
  #pausedSince = 0
  #pausedMs = 0
  #begin

  /** @param {number} [parentSeq]  the last entry that is another run's */
  constructor(parentSeq = 0) {
    this.#begin = parentSeq
  }

  /** The server's sum, with what it cost. */
  get reported() {
    return this.#reported
  }

  /** From the first entry of its own to the last, without the time that it was paused. */
  get ms() {
    return (
      this.#last -
      this.#first -
      this.#pausedMs -
      (this.#pausedSince ? this.#last - this.#pausedSince : 0)
    )
  }

  get usage() {
    return usageTotal(this.#reported) > usageTotal(this.#seen) ? this.#reported : this.#seen
  }

  /** @param {Usage | null | undefined} usage  the server's sum */
  tell(usage) {
    if (usage) this.#reported = usage
  }

  /** @param {Batch} batch */
  apply(batch) {
    for (const { seq, kind, body, at } of batch.entries) {
      if (seq > this.#begin)
        this.#passed(kind === 'state' ? String(body.state) : '', Date.parse(at))
      if (kind === 'message') this.messages += 1
      const usage = kind === 'message' || kind === 'event' ? usageOf(body.models_usage) : null
      if (!usage) continue
      this.#seen.prompt_tokens += usage.prompt_tokens
      this.#seen.completion_tokens += usage.completion_tokens
    }
  }
  /**
   * @param {string} state  that began then, if one did
   * @param {number} at
   */
  #passed(state, at) {
    this.#last = Math.max(this.#last, at)
    this.#first ||= this.#last
    if (state === '') return
    if (this.#pausedSince) this.#pausedMs += this.#last - this.#pausedSince
    this.#pausedSince = state === 'paused' ? this.#last : 0
  }
}
