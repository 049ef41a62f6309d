// @ts-check
/** @import {Breakpoint} from './breakpoint-words.js' */
import { api } from '../../core/api.js'
import { toastError } from '../../core/toast.js'

/**
 * @typedef {{argument: string, test: 'equals' | 'starts_with' | 'inside' | 'matches', value:
 *   string}} ArgumentTest
 * @typedef {{tool: string, when: ArgumentTest[], verdict: Verdict, reason: string, exactly?:
 *   boolean}} ToolRule
 * @typedef {'ask' | 'allow' | 'deny'} Verdict
 * @typedef {{rules: ToolRule[], otherwise: Verdict, timeout_s: number | null, on_timeout: 'allow' |
 *   'deny', repeatable: string[]}} Policy
 */

/** A change is sent to its end also when the page is left at once. */
const TO_ITS_END = { keepalive: true }

/** @type {Policy} */
export const NO_POLICY = {
  rules: [],
  otherwise: 'allow',
  timeout_s: null,
  on_timeout: 'deny',
  repeatable: [],
}

/** Breakpoints and rules as they are kept with a team; a change goes to its runs at once. */
export class Settings {
  /** @type {Breakpoint[]} */
  breakpoints = []
  policy = NO_POLICY
  #address
  #told

  /**
   * @param {string} teamId
   * @param {() => void} told  of every change
   */
  constructor(teamId, told) {
    this.#address = `/api/teams/${teamId}`
    this.#told = told
  }

  /** @param {AbortSignal} signal */
  async read(signal) {
    const [points, rules] = await Promise.all([
      api.get(`${this.#address}/breakpoints`, { signal }),
      api.get(`${this.#address}/policy`, { signal }),
    ])
    this.breakpoints = points.breakpoints
    this.policy = rules.policy
    this.#told()
  }

  /** @param {Breakpoint[]} breakpoints */
  setBreakpoints(breakpoints) {
    const before = this.breakpoints
    this.breakpoints = breakpoints
    return this.#save(api.put(`${this.#address}/breakpoints`, { breakpoints }, TO_ITS_END), () => {
      this.breakpoints = before
    })
  }

  /** @param {Policy} policy */
  setPolicy(policy) {
    const before = this.policy
    this.policy = policy
    return this.#save(api.put(`${this.#address}/policy`, { policy }, TO_ITS_END), () => {
      this.policy = before
    })
  }

  /**
   * Shown at once, taken back when the studio refuses.
   * @param {Promise<unknown>} saving
   * @param {() => void} undo
   */
  async #save(saving, undo) {
    this.#told()
    try {
      await saving
      return true
    } catch (error) {
      undo()
      this.#told()
      toastError(error)
      return false
    }
  }
}
