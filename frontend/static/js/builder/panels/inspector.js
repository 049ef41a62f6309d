// @ts-check
import { find, on } from '../../core/dom.js'
import { duplicateSelected, keepInLibrary, removeSelected } from '../actions.js'
import { KIND_ICON, KIND_NAME, typeLabel } from '../document/catalogue.js'
import { ownerOf } from '../document/commands.js'

/** @typedef {import('../editor.js').Editor} Editor */

/**
 * The panel on the right: what is selected, and the tabs over it. Panels get `tab:show` and `tab:hide`.
 * @param {HTMLElement} root @param {Editor} editor @param {AbortSignal} signal
 */
export function inspector(root, editor, signal) {
  const head = find('[data-inspector-head]', root)
  const describe = () => {
    const component = editor.at(editor.selection) ?? editor.root
    const kind = editor.catalogue.kindOf(component)
    const glyph = find('.icon', head)
    head.dataset['kind'] = kind
    glyph.dataset['icon'] = KIND_ICON[kind]
    find('[data-title]', head).textContent = editor.titleAt(editor.selection)
    find('[data-type]', head).textContent = [KIND_NAME[kind], typeLabel(component.provider)].join(' · ')
    find('[data-type]', head).title = component.provider
    const up = find('[data-up]', head)
    up.hidden = editor.selection === ''
    up.title = editor.selection === '' ? '' : `Back to ${editor.titleAt(ownerOf(editor.selection))}`
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (head.querySelectorAll('[data-needs-member]'))) button.hidden = editor.selection === ''
  }
  for (const type of ['select', 'doc']) editor.addEventListener(type, describe, { signal })
  on(head, 'click', '[data-up]', () => editor.select(ownerOf(editor.selection)), signal)
  on(head, 'click', '[data-to-library]', () => void keepInLibrary(editor), signal)
  on(head, 'click', '[data-duplicate]', () => duplicateSelected(editor), signal)
  on(head, 'click', '[data-remove-selected]', () => removeSelected(editor), signal)
  tabs(root, signal)
  describe()
}

/** Native tabs: arrow keys move, the chosen panel is shown. @param {HTMLElement} root @param {AbortSignal} [signal] */
export function tabs(root, signal) {
  const list = find('[role=tablist]', root)
  const buttons = /** @type {HTMLElement[]} */ ([...list.querySelectorAll('[role=tab]')])
  const panelOf = (/** @type {HTMLElement} */ tab) => document.getElementById(tab.getAttribute('aria-controls') ?? '')
  const choose = (/** @type {HTMLElement} */ chosen) => {
    for (const tab of buttons) {
      const isChosen = tab === chosen
      if ((tab.getAttribute('aria-selected') === 'true') !== isChosen) panelOf(tab)?.dispatchEvent(new CustomEvent(isChosen ? 'tab:show' : 'tab:hide'))
      tab.setAttribute('aria-selected', String(isChosen))
      tab.tabIndex = isChosen ? 0 : -1
      const panel = panelOf(tab)
      if (panel) panel.hidden = !isChosen
    }
  }
  on(list, 'click', '[role=tab]', (_event, tab) => choose(tab), signal)
  list.addEventListener('keydown', (event) => {
    const here = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement))
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (by === undefined || here < 0) return
    event.preventDefault()
    const next = buttons[(here + by + buttons.length) % buttons.length]
    if (next) choose(next)
    next?.focus()
  }, signal ? { signal } : {})
  return choose
}
