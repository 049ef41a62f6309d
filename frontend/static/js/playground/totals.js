// @ts-check
/** @import {Batch, Usage} from './types.js' */
import { usageTotal } from './format.js'
import { usageOf } from './chat/message-parts.js'

/**
 * What the run has used so far. The server also counts calls that show no message, such as the selector's, but tells
 * its sum only when the state changes; in between, what the messages say is ahead.
 */
export class Totals {
  /** @type {Usage} */
  #seen = { prompt_tokens: 0, completion_tokens: 0 }
  /** @type {Usage} */
  #told = { prompt_tokens: 0, completion_tokens: 0 }
  messages = 0
  #first = 0
  #last = 0

  /** The server's sum, with what it cost. */
  get told() {
    return this.#told
  }

  /** From the first entry to the last. */
  get ms() {
    return this.#last - this.#first
  }

  get usage() {
    return usageTotal(this.#told) > usageTotal(this.#seen) ? this.#told : this.#seen
  }

  /** @param {Usage | null | undefined} usage  the server's sum */
  tell(usage) {
    if (usage) this.#told = usage
  }

  /** @param {Batch} batch */
  apply(batch) {
    for (const { kind, body, at } of batch.entries) {
      this.#last = Math.max(this.#last, Date.parse(at))
      this.#first ||= this.#last
      if (kind === 'message') this.messages += 1
      const usage = kind === 'message' || kind === 'event' ? usageOf(body.models_usage) : null
      if (!usage) continue
      this.#seen.prompt_tokens += usage.prompt_tokens
      this.#seen.completion_tokens += usage.completion_tokens
    }
  }
}
