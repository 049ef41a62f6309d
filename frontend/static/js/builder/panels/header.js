// @ts-check
import { find, on } from '../../core/dom.js'
import { noTeam } from '../document/findings.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../autosave.js').Autosave} Saver
 */

/** @type {Record<string, string>} */
const STATES = {
  saved: 'Saved',
  dirty: 'Edited',
  saving: 'Saving',
  failed: 'Not saved',
  conflict: 'Changed elsewhere',
}

/**
 * The bar on top: name, save state, undo and redo, run.
 * @param {HTMLElement} root
 * @param {Editor} editor
 * @param {Saver} saver
 * @param {AbortSignal} signal
 */
export function header(root, editor, saver, signal) {
  const undo = /** @type {HTMLButtonElement} */ (find('[data-undo]', root))
  const redo = /** @type {HTMLButtonElement} */ (find('[data-redo]', root))
  const name = /** @type {HTMLInputElement} */ (find('[data-team-name]', root))
  const state = find('[data-save-state]', root)
  const show = () => {
    const { past, future } = editor.store
    undo.disabled = past.length === 0
    redo.disabled = future.length === 0
    undo.title = past.length > 0 ? `Undo: ${past.at(-1)?.label} (Ctrl+Z)` : 'Nothing to undo'
    redo.title =
      future.length > 0 ? `Redo: ${future.at(-1)?.label} (Ctrl+Shift+Z)` : 'Nothing to redo'
    if (document.activeElement !== name || name.value.trim() !== editor.doc.name)
      name.value = editor.doc.name
    find('[data-team-title]', root).textContent = editor.doc.name
    document.title = `${editor.doc.name} · Team Studio`
    showRunState(find('[data-run]', root), noTeam(editor.doc))
  }
  editor.addEventListener('doc', show, { signal })
  name.addEventListener('blur', show, { signal })
  saver.addEventListener(
    'state',
    () => {
      state.dataset['state'] = saver.state
      state.textContent = STATES[saver.state] ?? saver.state
    },
    { signal },
  )
  on(root, 'click', '[data-undo]', () => editor.undo(), signal)
  on(root, 'click', '[data-redo]', () => editor.redo(), signal)
  on(root, 'click', '[data-save-state]', () => void saver.save(), signal)
  show()
}

/**
 * @param {HTMLElement} button
 * @param {string} why  it cannot be run; "" when it can
 */
function showRunState(button, why) {
  button.title = why
  if (why) button.setAttribute('aria-disabled', 'true')
  else button.removeAttribute('aria-disabled')
}

/**
 * What is in the way comes first; the list leads to each place.
 * @param {HTMLElement} root
 */
export function openChecklist(root) {
  const list = find('#checklist', root)
  // which focuses the first of it
  if (!list.matches(':popover-open')) find('[data-checklist]', root).click()
}

/**
 * On a narrow screen one of palette, outline, canvas and run is shown at a time.
 * @param {HTMLElement} root
 * @param {import('../editor.js').Editor} editor
 * @param {(tab: HTMLElement) => void} chooseSide
 * @param {() => void} onCanvas
 * @param {AbortSignal} signal
 */
export function narrowTabs(root, editor, chooseSide, onCanvas, signal) {
  const tabs = find('[data-builder-tabs]', root)
  const show = (/** @type {string} */ name) => {
    root.dataset['tab'] = name
    for (const tab of tabs.children) {
      if (tab.getAttribute('data-show') === name) tab.setAttribute('aria-current', 'true')
      else tab.removeAttribute('aria-current')
    }
    if (name === 'canvas') onCanvas()
    else if (name !== 'run') chooseSide(find(`#tab-${name}`, root))
  }
  on(
    tabs,
    'click',
    '[data-show]:not([data-show=run])',
    (_event, tab) => show(tab.dataset['show'] ?? 'outline'),
    signal,
  )
  root.addEventListener(
    'palette:added',
    () => {
      if (tabs.checkVisibility()) show('outline')
    },
    { signal },
  )
  // Neither of these has its form below.
  const hidesForm = () => ['run', 'palette'].includes(root.dataset['tab'] ?? '')
  editor.addEventListener(
    'select',
    (event) => {
      const { reveal } = /** @type {CustomEvent} */ (event).detail
      if (reveal && hidesForm() && tabs.checkVisibility()) show('outline')
    },
    { signal },
  )
  if (matchMedia('(max-width: 720px)').matches) show('outline')
  return show
}
