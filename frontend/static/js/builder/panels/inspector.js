// @ts-check
import { find, on } from '../../core/dom.js'
import { tabs } from '../../core/tabs.js'
import { duplicateSelected, saveToLibrary, removeSelected } from '../actions.js'
import { KIND_ICON, KIND_NAME, typeLabel } from '../document/catalogue.js'
import { ownerOf } from '../document/commands.js'
import { endsOf } from '../document/parts.js'
import { selectionKinds } from './form/multi-edit.js'

/** @typedef {import('../editor.js').Editor} Editor */

/**
 * The panel on the right: what is selected, and the tabs over it. Panels get `tab:show` and
 * `tab:hide`.
 * @param {HTMLElement} root
 * @param {Editor} editor
 * @param {AbortSignal} signal
 */
export function inspector(root, editor, signal) {
  const head = find('[data-inspector-head]', root)
  const showTitle = (/** @type {string} */ title) => {
    const heading = find('[data-title]', head)
    heading.textContent = title
    heading.title = title
  }
  const describe = () => {
    const { selection } = editor
    const isSeveral = editor.selected.length > 1
    for (const name of ['json', 'try']) find(`#tab-${name}`, root).hidden = isSeveral
    if (isSeveral && root.querySelector('[role=tab][aria-selected=true][hidden]'))
      chooseTab(find('#tab-form', root))
    const component = editor.at(selection)
    const around = editor.at(editor.catalogue.owner(editor.root, selection)) ?? editor.root
    const kind = editor.catalogue.kindOf(around)
    head.dataset['kind'] = kind
    find('.icon', head).dataset['icon'] = KIND_ICON[kind]
    const title = isSeveral ? `${editor.selected.length} selected` : editor.titleAt(selection)
    if (title !== '') showTitle(title) // else the form says it
    find('[data-type]', head).textContent = isSeveral
      ? selectionKinds(editor)
      : component
        ? typeWords(
            typeLabel(component.provider),
            kind === 'termination' ? 'condition' : KIND_NAME[kind],
          )
        : `Part of ${editor.titleAt(editor.catalogue.owner(editor.root, selection))}`
    find('[data-type]', head).title = around.provider
    const up = find('[data-up]', head)
    up.hidden = selection === ''
    up.title =
      selection === ''
        ? ''
        : `Back to ${editor.titleAt(component ? ownerOf(selection) : editor.catalogue.owner(editor.root, selection))}`
    for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (
      head.querySelectorAll('[data-needs-member]')
    ))
      button.hidden =
        selection === '' ||
        !(component || (button.matches('[data-remove-selected]') && endsOf(editor.root, selection)))
    find('[data-to-library]', head).hidden = !component
    find('[data-tool-rules]', head).hidden = isSeveral || !['tool', 'workbench'].includes(kind)
  }
  root.addEventListener(
    'form:shown',
    (event) => {
      const { title } = /** @type {CustomEvent} */ (event).detail
      if (title !== '' && editor.titleAt(editor.selection) === '') showTitle(title)
    },
    { signal },
  )
  for (const type of ['select', 'doc']) editor.addEventListener(type, describe, { signal })
  editor.addEventListener(
    'report',
    (event) => {
      if (/** @type {CustomEvent} */ (event).detail.hasNewWords) describe()
    },
    { signal },
  )
  on(
    head,
    'click',
    '[data-up]',
    () =>
      editor.select(
        editor.at(editor.selection)
          ? ownerOf(editor.selection)
          : editor.catalogue.owner(editor.root, editor.selection),
      ),
    signal,
  )
  on(head, 'click', '[data-to-library]', () => void saveToLibrary(editor), signal)
  on(head, 'click', '[data-duplicate]', () => duplicateSelected(editor), signal)
  on(head, 'click', '[data-remove-selected]', () => removeSelected(editor), signal)
  const chooseTab = tabs(root, signal)
  describe()
}

/**
 * "Assistant · agent", but "Agent as a tool".
 * @param {string} label
 * @param {string} kind
 */
function typeWords(label, kind) {
  return label.endsWith(` ${kind}`) ? label : `${label} · ${kind}`
}
