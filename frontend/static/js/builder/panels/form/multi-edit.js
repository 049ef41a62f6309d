// @ts-check
// In place of a form while several parts are selected: which they are, and what can be done to all
// of them.
import { el, icon } from '../../../core/dom.js'
import { join } from '../../../core/pointer.js'
import { keysLabel } from '../../../core/shortcuts.js'
import { selectedSlots } from '../../actions/models.js'
import { kindIcon } from '../../canvas/draw/cards.js'
import { differingFields } from '../../document/shared-fields.js'
import { KIND_NAME } from '../../document/catalogue.js'
import { inDocumentOrder } from '../../document/selection.js'

/** @typedef {import('../../editor.js').Editor} Editor */

const ACTS = /** @type {const} */ ([
  ['duplicate', 'Duplicate', 'copy', 'mod+d'],
  ['copy', 'Copy', 'clipboard', 'mod+c'],
  ['cut', 'Cut', 'scissors', 'mod+x'],
  ['remove', 'Delete', 'trash-2', 'delete'],
])

/**
 * The form of several parts of one type: that of one of them, without what each has of its own.
 * @param {Editor} editor
 * @param {string} html  the form of the one
 * @returns {string} HTML
 */
export function multiEditForm(editor, html) {
  const page = document.createElement('template')
  page.innerHTML = html
  const form = page.content.querySelector('[data-form]')
  if (!form) return html
  const { root, selection, selected } = editor
  form.querySelector('.form-type')?.remove() // the type is changed one by one
  for (const field of form.querySelectorAll('[data-field]')) {
    const isOwn =
      /** @type {HTMLElement} */ (field).dataset['field'] === join(selection, 'config', 'name')
    if (isOwn || field.querySelector('.form-slot-item, [data-action="pick"]')) field.remove()
  }
  for (const name of differingFields(root, selected)) {
    form
      .querySelector(`[data-field="${CSS.escape(join(selection, 'config', name))}"]`)
      ?.append(
        el(
          'p',
          { class: 'field-help', 'data-key': `differs ${name}` },
          icon('info'),
          'Values differ. A change here applies to all.',
        ),
      )
  }
  const whole = document.createElement('template')
  whole.innerHTML = selectionSummary(editor, 'Changes here apply to all of them.')
  whole.content.firstElementChild?.setAttribute('data-key', `several ${selected.join(' ')}`)
  form.prepend(whole.content)
  return page.innerHTML
}

/**
 * @param {Editor} editor
 * @param {string} [words]
 * @returns {string} HTML
 */
export function selectionSummary(editor, words = 'Select one to edit it.') {
  const parts = inDocumentOrder([...editor.selected])
  const rows = parts.map((pointer) =>
    el(
      'li',
      {},
      el(
        'button',
        {
          type: 'button',
          class: 'multi-edit-part',
          'data-action': 'select',
          'data-pointer': pointer,
        },
        kindIcon(kindAt(editor, pointer)),
        el('span', { class: 'truncate' }, editor.titleAt(pointer)),
      ),
    ),
  )
  const ofModels =
    selectedSlots(editor).length === parts.length
      ? /** @type {const} */ ([['choose-model', 'Choose a model', 'brain', '']])
      : []
  const acts = [...ofModels, ...ACTS].map(([id, label, glyph, keys]) =>
    el(
      'button',
      {
        type: 'button',
        class: `button small${id === 'remove' ? ' danger' : ''}`,
        'data-for-all': id,
        title: keys === '' ? label : `${label} (${keysLabel(keys)})`,
      },
      icon(glyph),
      label,
    ),
  )
  return el(
    'div',
    {},
    el(
      'div',
      { class: 'multi-edit', 'data-multi-edit': true },
      el('p', { class: 'muted small' }, words),
      el('ul', { role: 'list', class: 'multi-edit-list' }, ...rows),
      el('div', { class: 'row-wrap' }, ...acts),
    ),
  ).innerHTML
}

/**
 * "2 agents, 1 tool".
 * @param {Editor} editor
 */
export function selectionKinds(editor) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const pointer of editor.selected) {
    const name = editor.at(pointer) ? KIND_NAME[kindAt(editor, pointer)] : 'connection'
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts]
    .map(
      ([name, count]) =>
        `${count} ${count === 1 ? name : name.replace(/y$/, 'ie')}${count === 1 ? '' : 's'}`,
    )
    .join(', ')
}

/**
 * @param {Editor} editor
 * @param {string} pointer
 */
function kindAt(editor, pointer) {
  return editor.catalogue.kindOf(
    editor.at(editor.catalogue.owner(editor.root, pointer)) ?? editor.root,
  )
}
