// @ts-check

/** @typedef {'chat' | 'flow' | 'timeline' | 'keys' | 'link'} View */

/** Which entry of the log is selected: one for all views of the page. */
export function createSelection() {
  /** @type {Set<(seq: number | null, by: View) => void>} */
  const listeners = new Set()
  return {
    seq: /** @type {number | null} */ (null),
    /** @param {number | null} seq @param {View} by */
    select(seq, by) {
      this.seq = this.seq === seq && by !== 'link' ? null : seq
      for (const listener of listeners) listener(this.seq, by)
    },
    /** @param {(seq: number | null, by: View) => void} listener @param {AbortSignal} signal */
    subscribe(listener, signal) {
      listeners.add(listener)
      signal.addEventListener('abort', () => listeners.delete(listener))
    },
  }
}
/** @typedef {ReturnType<typeof createSelection>} Selection */
