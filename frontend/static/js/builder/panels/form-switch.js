// @ts-check
// Another type in the same place: the server keeps the values that fit the new one.
import { api } from '../../core/api.js'
import { on } from '../../core/dom.js'
import { toast, toastError } from '../../core/toast.js'
import { typeLabel } from '../document/catalogue.js'
import { replaceComponent } from '../document/commands.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../../core/actions.js').Action} Action
 */

/** @param {HTMLElement} root @param {Editor} editor @param {AbortSignal} signal */
export function bindTypeSwitch(root, editor, signal) {
  on(root, 'change', '[data-switch-type]', (_event, select) => {
    if (select instanceof HTMLSelectElement) void switchType(editor, select.dataset['pointer'] ?? '', select.value)
  }, signal)
}

/** Replace a component by another type, with its compatible values. @param {Editor} editor @param {string} pointer @param {string} provider */
export async function switchType(editor, pointer, provider) {
  const component = editor.at(pointer)
  if (!component || component.provider === provider) return
  try {
    const answer = await api.post('/api/components/switch', { component, provider })
    if (editor.at(pointer) !== component) return
    const type = typeLabel(provider)
    editor.run({ ...replaceComponent(pointer, answer.component), label: `Change type to ${type}` })
    const left = /** @type {string[]} */ (answer.left)
    if (left.length > 0) toast(`${type} has no place for ${left.map((each) => each.replaceAll('_', ' ')).join(', ')}. Undo brings it back.`)
  } catch (error) {
    toastError(error)
  }
}

/** For the command palette. @param {HTMLElement} root  the form @param {Editor} editor @returns {Action[]} */
export function formActions(root, editor) {
  const select = () => root.querySelector('[data-switch-type]')
  return [{
    id: 'switch-type', label: 'Change type', group: 'Edit', scope: 'page', icon: 'refresh-cw',
    when: () => (editor.at(editor.selection) && select() ? true : 'Nothing else can stand here.'),
    run: () => {
      document.getElementById('tab-form')?.click()
      const control = select()
      if (!(control instanceof HTMLSelectElement)) return
      control.focus()
      control.showPicker?.()
    },
  }]
}
