// @ts-check
/** @typedef {import('./editor.js').Editor} Editor @typedef {import('./save.js').Saver} Saver */

const KEPT_STEPS = 40
const MAX_CHARS = 2_000_000

/** Undo survives a reload of this tab, as long as the server still has what this tab saved. @param {Editor} editor @param {Saver} saver @param {AbortSignal} signal */
export function keepHistory(editor, saver, signal) {
  const key = `studio-history-${saver.id}`
  try {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? 'null')
    if (kept && kept.revision === saver.revision) {
      editor.store.past = kept.past
      editor.store.future = kept.future
    }
  } catch {
    // Whatever stood there is not ours to read: begin with an empty history.
  }
  addEventListener('pagehide', () => {
    const { past, future } = editor.store
    const text = JSON.stringify({ revision: saver.revision, past: past.slice(-KEPT_STEPS), future: future.slice(-KEPT_STEPS) })
    try {
      if (saver.state === 'saved' && text.length < MAX_CHARS) sessionStorage.setItem(key, text)
      else sessionStorage.removeItem(key)
    } catch {
      // The storage is full: the history then ends with this page.
    }
  }, { signal })
}
