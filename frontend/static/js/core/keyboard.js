// @ts-check
import { announce, el } from './dom.js'
import { ask } from './dialog.js'
import { keysLabel } from './shortcuts.js'
import { toast } from './toast.js'

/** @typedef {import('./actions.js').Actions} Actions */

/**
 * Hear the keys of all actions: those of the canvas on each of its surfaces, those of the page
 * everywhere.
 * @param {Actions} actions
 * @param {EventTarget[]} surfaces  the canvas, and the outline that stands for it
 * @param {AbortSignal} signal
 */
export function bindKeyboard(actions, surfaces, signal) {
  actions.add([
    {
      id: 'keys',
      label: 'Show keyboard shortcuts',
      icon: 'keyboard',
      keys: ['?'],
      group: 'Help',
      scope: 'page',
      run: () => void showKeys(actions),
    },
  ])
  for (const surface of surfaces) actions.bind(surface, 'canvas', signal)
  actions.bind(document, 'page', signal)
}

/**
 * Said and shown, once at a time however often the key is pressed.
 * @param {string} reason
 */
export function explainDisabled(reason) {
  const isShown = [...document.querySelectorAll('.toast')].some((each) =>
    each.textContent?.includes(reason),
  )
  if (isShown) announce(reason)
  else toast(reason)
}

/** @param {Actions} actions */
function showKeys(actions) {
  const withKeys = actions.all().filter((each) => each.keys?.length)
  const groups = [...new Set(withKeys.map((each) => each.group))]
  const row = (/** @type {import('./actions.js').Action} */ each) =>
    el(
      'tr',
      {},
      el('td', {}, each.label),
      el(
        'td',
        { class: 'end' },
        ...(each.keys ?? []).flatMap((keys) => [' ', el('kbd', {}, keysLabel(keys))]),
      ),
    )
  const body = groups.flatMap((group) => [
    el(
      'tbody',
      {},
      el('tr', {}, el('th', { colspan: 2, scope: 'rowgroup' }, group)),
      ...withKeys.filter((each) => each.group === group).map(row),
    ),
  ])
  const table = el(
    'div',
    { tabindex: 0, role: 'group', 'aria-label': 'Keyboard shortcuts by group' },
    el('table', { class: 'table' }, ...body),
  )
  return ask({ title: 'Keyboard shortcuts', body: table, choices: [{ value: '', label: 'Close' }] })
}
