// @ts-check

/**
 * A named change of the document. Commands with the same `key` in close succession are one step of undo.
 * @template D
 * @typedef {{ label: string, apply: (doc: D) => D, key?: string, select?: string | null }} Command
 */

/**
 * @template D
 * @typedef {{ doc: D, label: string, selection: string | null }} Step
 */

const BURST_MS = 1200
const KEPT_STEPS = 200

/**
 * Holds one immutable document and the way back. Knows nothing of what the document means.
 * @template D
 */
export class Store extends EventTarget {
  /** @type {Step<D>[]} */
  past = []
  /** @type {Step<D>[]} */
  future = []
  #burst = { key: '', at_ms: -Infinity }

  /** @param {D} doc @param {() => number} [now] */
  constructor(doc, now = () => performance.now()) {
    super()
    this.doc = doc
    this.now = now
  }

  /**
   * Fires `change` with the label and the selection to take, unless nothing changed.
   * @param {Command<D>} command
   * @param {string | null} selection  what is selected now, to come back to on undo
   */
  run(command, selection = null) {
    const before = this.doc
    const after = command.apply(before)
    if (after === before) return false
    const isBurst = command.key !== undefined && command.key === this.#burst.key && this.now() - this.#burst.at_ms < BURST_MS
    if (!isBurst) this.past = [...this.past.slice(1 - KEPT_STEPS), { doc: before, label: command.label, selection }]
    this.#burst = { key: command.key ?? '', at_ms: this.now() }
    this.future = []
    this.doc = after
    this.#tell(command.label, command.select, 'run', command.key ?? '')
    return true
  }

  /** @param {string | null} selection */
  undo(selection = null) {
    const step = this.past.at(-1)
    if (!step) return
    this.past = this.past.slice(0, -1)
    this.future = [...this.future, { doc: this.doc, label: step.label, selection }]
    this.#jump(step, `Undone: ${step.label}`)
  }

  /** @param {string | null} selection */
  redo(selection = null) {
    const step = this.future.at(-1)
    if (!step) return
    this.future = this.future.slice(0, -1)
    this.past = [...this.past, { doc: this.doc, label: step.label, selection }]
    this.#jump(step, `Redone: ${step.label}`)
  }

  /** Start over with a document that came from elsewhere; no way back behind it. @param {D} doc @param {string} label */
  replace(doc, label) {
    this.past = []
    this.future = []
    this.#jump({ doc, label, selection: null }, label)
  }

  /** @param {Step<D>} step @param {string} label */
  #jump(step, label) {
    this.#burst = { key: '', at_ms: -Infinity }
    this.doc = step.doc
    this.#tell(label, step.selection, 'jump', '')
  }

  /** @param {string} label @param {string | null | undefined} select @param {'run' | 'jump'} how @param {string} key */
  #tell(label, select, how, key) {
    this.dispatchEvent(new CustomEvent('change', { detail: { label, select, how, key } }))
  }
}
