// @ts-check

/**
 * Who selected: a view by its name, or `keys`, `link`, `search`.
 * @typedef {string} View
 */

/** To press what is selected already ends the selection; these lead somewhere, and stay there. */
const LEADING = new Set(['link', 'keys', 'search'])

/** Which entry of the log is selected: one for all views of the page. */
export function createSelection() {
  /** @type {Set<(seq: number | null, by: View) => void>} */
  const listeners = new Set()
  return {
    seq: /** @type {number | null} */ (null),
    /**
     * @param {number | null} seq
     * @param {View} by
     */
    select(seq, by) {
      this.seq = this.seq === seq && !LEADING.has(by) ? null : seq
      for (const listener of listeners) listener(this.seq, by)
    },
    /**
     * @param {(seq: number | null, by: View) => void} listener
     * @param {AbortSignal} signal
     */
    subscribe(listener, signal) {
      listeners.add(listener)
      signal.addEventListener('abort', () => listeners.delete(listener))
    },
  }
}
/** @typedef {ReturnType<typeof createSelection>} Selection */
