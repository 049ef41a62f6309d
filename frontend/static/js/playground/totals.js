// @ts-check
/** @import {Batch, Usage} from './types.js' */
import { usageOf } from './message-parts.js'

/** Counts what the run has used so far. */
export class Totals {
  /** @type {Usage} */
  usage = { prompt_tokens: 0, completion_tokens: 0 }
  messages = 0

  /** @param {Batch} batch */
  apply(batch) {
    for (const { kind, body } of batch.entries) {
      if (kind === 'message') this.messages += 1
      const usage = kind === 'message' || kind === 'event' ? usageOf(body.models_usage) : null
      if (!usage) continue
      this.usage.prompt_tokens += usage.prompt_tokens
      this.usage.completion_tokens += usage.completion_tokens
    }
  }
}
