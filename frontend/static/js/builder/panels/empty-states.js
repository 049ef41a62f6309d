// @ts-check
// What stands where nothing is yet: in the outline of a team without members, and in a search that
// found nothing.
import { find, on } from '../../core/dom.js'
import { join } from '../../core/pointer.js'
import { fillSlot } from '../actions.js'
import { memberSlot } from '../document/views.js'

/** @typedef {import('../editor.js').Editor} Editor */

/**
 * @param {HTMLElement} page
 * @param {Editor} editor
 * @param {AbortSignal} signal
 */
export function emptyStates(page, editor, signal) {
  const hint = find('[data-outline-empty]', page)
  const slot = () => memberSlot(editor.catalogue, editor.root)
  const show = () => {
    const members = slot()
    hint.hidden =
      members === undefined || editor.catalogue.filling(editor.root, '', members).length > 0
  }
  editor.addEventListener('doc', show, { signal })
  on(
    page,
    'click',
    '[data-add-first]',
    () => {
      const members = slot()
      if (members) void fillSlot(editor, join('', 'config', members.field))
    },
    signal,
  )
  show()
  emptySearch(find('#panel-palette', page), signal)
}

/**
 * @param {HTMLElement} panel
 * @param {AbortSignal} signal
 */
function emptySearch(panel, signal) {
  const input = /** @type {HTMLInputElement} */ (find('input[type=search]', panel))
  const none = find('[data-palette-none]', panel)
  const list = find('[data-palette-list]', panel)
  const show = () => {
    find('[data-palette-query]', none).textContent = input.value.trim()
    none.hidden = list.childElementCount > 0 || input.value.trim() === ''
    list.hidden = !none.hidden
  }
  new MutationObserver(show).observe(list, { childList: true })
  on(
    none,
    'click',
    '[data-palette-clear]',
    () => {
      input.value = ''
      input.dispatchEvent(new Event('input'))
      input.focus()
    },
    signal,
  )
}
