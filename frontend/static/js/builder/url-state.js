// @ts-check
// The team in view is in the address, and the selection beside it in the browser's history: both
// are there after a reload, and Back leads to the team that was open before.
import { isSame } from '../core/pointer.js'

/** @typedef {import('./editor.js').Editor} Editor */

/**
 * Take up what the address says, and keep it up to date.
 * @param {Editor} editor
 * @param {AbortSignal} signal
 */
export function syncUrl(editor, signal) {
  let isFollowing = false
  const restore = () => {
    const view = viewIn(location.hash)
    if (view === undefined) return
    isFollowing = true
    editor.open(editor.at(view) ? view : '')
    editor.selectAll(selectedIn(history.state))
    isFollowing = false
  }
  const note = (/** @type {'pushState' | 'replaceState'} */ how) => {
    const state = { selected: [...editor.selected] }
    const isThere = viewIn(location.hash) === editor.view
    if (isFollowing || (isThere && isSame(state, history.state))) return
    history[isThere ? 'replaceState' : how](
      state,
      '',
      `${location.pathname}${location.search}${editor.view === '' ? '' : `#${editor.view}`}`,
    )
  }
  if (location.hash !== '' || history.state !== null) restore()
  const at = new URLSearchParams(location.search).get('at')
  if (at !== null) {
    history.replaceState(history.state, '', `${location.pathname}${location.hash}`)
    editor.select(editor.catalogue.owner(editor.root, at), { reveal: at })
  }
  editor.addEventListener('view', () => note('pushState'), { signal })
  for (const type of ['select', 'doc'])
    editor.addEventListener(type, () => note('replaceState'), { signal })
  window.addEventListener('popstate', restore, { signal })
}

/**
 * @param {string} hash
 * @returns {string | undefined} undefined where the address leads to something else of the page
 */
function viewIn(hash) {
  if (hash === '') return ''
  try {
    return hash.startsWith('#/') ? decodeURI(hash.slice(1)) : undefined
  } catch {
    return ''
  }
}

/**
 * @param {unknown} state
 * @returns {string[]}
 */
function selectedIn(state) {
  const selected =
    typeof state === 'object' && state !== null && 'selected' in state ? state.selected : []
  return Array.isArray(selected) ? selected.filter((each) => typeof each === 'string') : []
}
