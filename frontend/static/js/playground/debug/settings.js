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
const NO_POLICY = {
  rules: [],
  otherwise: 'allow',
  timeout_s: null,
  on_timeout: 'deny',
  repeatable: [],
}

/**
 * Breakpoints and rules as they are kept with a team; a change goes to its runs at once.
 * Both are stored whole, so a change waits until what is stored has been read.
 */
export class Settings {
  /** @type {Breakpoint[]} */
  breakpoints = []
  policy = NO_POLICY
  /** Whether `breakpoints` and `policy` are those that are stored. */
  isRead = false
  #address
  #changed
  /** @type {Promise<void>} */
  #loaded

  /**
   * @param {string} teamId
   * @param {() => void} changed  called after every change
   */
  constructor(teamId, changed) {
    this.#address = `/api/teams/${teamId}`
    this.#changed = changed
    this.#loaded = Promise.reject(new Error('Not read yet.'))
    this.#loaded.catch(() => {})
  }

  /**
   * @param {AbortSignal} [signal]
   * @param {Promise<unknown>} [before]  they are asked for after this, however that ends
   */
  read(signal, before = Promise.resolve()) {
    const read = () => this.#read(signal)
    this.#loaded = before.then(read, read)
    return this.#loaded
  }

  /** @param {AbortSignal} [signal] */
  async #read(signal) {
    const [points, rules] = await Promise.all([
      api.get(`${this.#address}/breakpoints`, { signal }),
      api.get(`${this.#address}/policy`, { signal }),
    ])
    this.breakpoints = points.breakpoints
    this.policy = rules.policy
    this.isRead = true
    this.#changed()
  }

  /** @param {(breakpoints: Breakpoint[]) => Breakpoint[]} edit */
  changeBreakpoints(edit) {
    return this.#change('breakpoints', edit)
  }

  /** @param {(policy: Policy) => Policy} edit */
  changePolicy(edit) {
    return this.#change('policy', edit)
  }

  /**
   * Shown at once, taken back when the studio refuses.
   * @template {'breakpoints' | 'policy'} Part
   * @param {Part} part
   * @param {(value: Settings[Part]) => Settings[Part]} edit
   * @returns {Promise<boolean>} whether the change is stored
   */
  async #change(part, edit) {
    try {
      await this.#loaded.catch(() => this.read())
    } catch (error) {
      this.#changed()
      toastError(error)
      return false
    }
    const before = /** @type {Settings[Part]} */ (this[part])
    const after = edit(before)
    const show = (/** @type {Settings[Part]} */ value) => {
      Object.assign(this, { [part]: value })
      this.#changed()
    }
    show(after)
    try {
      await api.put(`${this.#address}/${part}`, { [part]: after }, TO_ITS_END)
      return true
    } catch (error) {
      show(before)
      toastError(error)
      return false
    }
  }
}
