// @ts-check
import { find, on } from '../../core/dom.js'
import { duplicateSelected, keepInLibrary, removeSelected } from '../actions.js'
import { KIND_ICON, KIND_NAME, titleOf, typeLabel } from '../document/catalogue.js'
import { ownerOf } from '../document/commands.js'
import { endsOf } from '../document/connections.js'

/** @typedef {import('../editor.js').Editor} Editor */

/**
 * The panel on the right: what is selected, and the tabs over it. Panels get `tab:show` and `tab:hide`.
 * @param {HTMLElement} root @param {Editor} editor @param {AbortSignal} signal
 */
export function inspector(root, editor, signal) {
  const head = find('[data-inspector-head]', root)
  const describe = () => {
    const { selection } = editor
    const component = editor.at(selection)
    const around = editor.at(editor.catalogue.owner(editor.root, selection)) ?? editor.root
    const kind = editor.catalogue.kindOf(around)
    head.dataset['kind'] = kind
    find('.icon', head).dataset['icon'] = KIND_ICON[kind]
    if (component) find('[data-title]', head).textContent = editor.titleAt(selection)
    find('[data-type]', head).textContent = component ? [KIND_NAME[kind], typeLabel(component.provider)].join(' · ') : `Part of ${titleOf(around)}`
    find('[data-type]', head).title = around.provider
    const up = find('[data-up]', head)
    up.hidden = selection === ''
    up.title = selection === '' ? '' : `Back to ${component ? editor.titleAt(ownerOf(selection)) : titleOf(around)}`
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (head.querySelectorAll('[data-needs-member]'))) button.hidden = selection === '' || !(component || (button.matches('[data-remove-selected]') && endsOf(editor.root, selection)))
    find('[data-to-library]', head).hidden = !component
  }
  root.addEventListener('form:shown', (event) => {
    const { title } = /** @type {CustomEvent} */ (event).detail
    if (title !== '') find('[data-title]', head).textContent = title
  }, { signal })
  for (const type of ['select', 'doc']) editor.addEventListener(type, describe, { signal })
  on(head, 'click', '[data-up]', () => editor.select(editor.at(editor.selection) ? ownerOf(editor.selection) : editor.catalogue.owner(editor.root, editor.selection)), signal)
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
