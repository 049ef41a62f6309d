// @ts-check

/**
 * A named change of the document. Commands with the same `key` in close succession are one step of
 * undo.
 * @template D
 * @typedef {{ label: string, apply: (doc: D) => D, key?: string, select?: Selection | null }}
 *   Command
 */

/**
 * One place, or several of which the last is the primary one.
 * @typedef {string | string[]} Selection
 */

/**
 * @template D
 * @typedef {{ doc: D, label: string, selection: Selection | null }} Step
 */

const BURST_MS = 1200

/**
 * Holds one immutable document and the way back, to the first document that there was. Steps share
 * what they have in common, so none is ever dropped. Knows nothing of what the document means.
 * @template D
 */
export class Store extends EventTarget {
  /** @type {Step<D>[]} */
  past = []
  /** @type {Step<D>[]} */
  future = []
  #burst = { key: '', at_ms: -Infinity }

  /**
   * @param {D} doc
   * @param {() => number} [now]
   */
  constructor(doc, now = () => performance.now()) {
    super()
    this.doc = doc
    this.now = now
  }

  /**
   * Fires `change` with the label and the selection to take, unless nothing changed.
   * @param {Command<D>} command
   * @param {Selection | null} selection  what is selected now, to come back to on undo
   */
  run(command, selection = null) {
    const before = this.doc
    const after = command.apply(before)
    if (after === before) return false
    const isBurst =
      command.key !== undefined &&
      command.key === this.#burst.key &&
      this.now() - this.#burst.at_ms < BURST_MS
    if (!isBurst) this.past.push({ doc: before, label: command.label, selection })
    this.#burst = { key: command.key ?? '', at_ms: this.now() }
    this.future = []
    this.doc = after
    this.#tell(command.label, command.select, 'run', command.key ?? '')
    return true
  }

  /** @param {Selection | null} selection */
  undo(selection = null) {
    const step = this.past.pop()
    if (!step) return
    this.future.push({ doc: this.doc, label: step.label, selection })
    this.#jump(step, `Undone: ${step.label}`)
  }

  /** @param {Selection | null} selection */
  redo(selection = null) {
    const step = this.future.pop()
    if (!step) return
    this.past.push({ doc: this.doc, label: step.label, selection })
    this.#jump(step, `Redone: ${step.label}`)
  }

  /**
   * Go on with a history that was kept.
   * @param {{ past: Step<D>[], doc: D, future: Step<D>[] }} history
   */
  load({ past, doc, future }) {
    this.past = past
    this.future = future
    this.#jump(
      { doc, label: 'Resumed where you left off', selection: past.at(-1)?.selection ?? null },
      '',
    )
  }

  /**
   * Change every document of the history alike, such as to take out what must not be kept.
   * @param {(doc: D) => D} change
   */
  rewrite(change) {
    for (const step of [...this.past, ...this.future]) step.doc = change(step.doc)
    this.doc = change(this.doc)
    this.#tell('', null, 'rewrite', 'rewrite')
  }

  /**
   * @param {Step<D>} step
   * @param {string} label
   */
  #jump(step, label) {
    this.#burst = { key: '', at_ms: -Infinity }
    this.doc = step.doc
    this.#tell(label, step.selection, 'jump', '')
  }

  /**
   * @param {string} label
   * @param {Selection | null | undefined} select
   * @param {'run' | 'jump' | 'rewrite'} how
   * @param {string} key
   */
  #tell(label, select, how, key) {
    this.dispatchEvent(new CustomEvent('change', { detail: { label, select, how, key } }))
  }
}
