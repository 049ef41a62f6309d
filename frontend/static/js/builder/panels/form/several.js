// @ts-check
// In place of a form while several parts are selected: which they are, and what can be done to all of them.
import { el, icon } from '../../../core/dom.js'
import { keysLabel } from '../../../core/shortcuts.js'
import { selectedSlots } from '../../actions/models.js'
import { kindIcon } from '../../canvas/draw/cards.js'
import { KIND_NAME } from '../../document/catalogue.js'
import { inOrderOfPlace } from '../../document/selection.js'

/** @typedef {import('../../editor.js').Editor} Editor */

const ACTS = /** @type {const} */ ([['duplicate', 'Duplicate', 'copy', 'mod+d'], ['copy', 'Copy', 'clipboard', 'mod+c'], ['cut', 'Cut', 'scissors', 'mod+x'], ['remove', 'Delete', 'trash-2', 'delete']])

/** @param {Editor} editor @returns {string} HTML */
export function severalParts(editor) {
  const parts = inOrderOfPlace([...editor.selected])
  const rows = parts.map((pointer) => el('li', {}, el('button', { type: 'button', class: 'several-part', 'data-action': 'select', 'data-pointer': pointer },
    kindIcon(kindAt(editor, pointer)), el('span', { class: 'truncate' }, editor.titleAt(pointer)))))
  const ofModels = selectedSlots(editor).length === parts.length ? /** @type {const} */ ([['choose-model', 'Choose a model', 'brain', '']]) : []
  const acts = [...ofModels, ...ACTS].map(([id, label, glyph, keys]) => el('button', { type: 'button', class: `button small${id === 'remove' ? ' danger' : ''}`, 'data-for-all': id, title: keys === '' ? label : `${label} (${keysLabel(keys)})` }, icon(glyph), label))
  return el('div', {}, el('div', { class: 'several', 'data-several': true }, el('p', { class: 'muted small' }, 'Select one of them to edit it.'),
    el('ul', { role: 'list', class: 'several-list' }, ...rows), el('div', { class: 'row-wrap' }, ...acts))).innerHTML
}

/** "2 agents, 1 tool". @param {Editor} editor */
export function kindsOfSeveral(editor) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const pointer of editor.selected) {
    const name = editor.at(pointer) ? KIND_NAME[kindAt(editor, pointer)] : 'connection'
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].map(([name, count]) => `${count} ${count === 1 ? name : name.replace(/y$/, 'ie')}${count === 1 ? '' : 's'}`).join(', ')
}

/** @param {Editor} editor @param {string} pointer */
function kindAt(editor, pointer) {
  return editor.catalogue.kindOf(editor.at(editor.catalogue.owner(editor.root, pointer)) ?? editor.root)
}
