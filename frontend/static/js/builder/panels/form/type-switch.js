// @ts-check
// Another type in the same place: the server keeps the values that fit the new one.
import { api } from '../../../core/api.js'
import { on } from '../../../core/dom.js'
import { toast, toastError } from '../../../core/toast.js'
import { notifyChanged } from '../../actions.js'
import { typeLabel } from '../../document/catalogue.js'
import { replaceComponent } from '../../document/commands.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {import('../../../core/actions.js').Action} Action
 */

/**
 * @param {HTMLElement} root
 * @param {Editor} editor
 * @param {AbortSignal} signal
 */
export function bindTypeSwitch(root, editor, signal) {
  on(
    root,
    'change',
    '[data-switch-type]',
    (_event, select) => {
      if (!(select instanceof HTMLSelectElement)) return
      void switchType(editor, select.dataset['pointer'] ?? '', select.value).then((isDone) => {
        if (!isDone) select.value = editor.at(select.dataset['pointer'] ?? '')?.provider ?? ''
      })
    },
    signal,
  )
}

/**
 * Replace a component by another type, with its compatible values.
 * @param {Editor} editor
 * @param {string} pointer
 * @param {string} provider
 * @returns {Promise<boolean>}
 */
async function switchType(editor, pointer, provider) {
  const component = editor.at(pointer)
  if (!component || component.provider === provider) return true
  const placeOf = editor.keepPlace(pointer)
  try {
    const answer = await api.post('/api/components/switch', { component, provider })
    const place = placeOf()
    if (place === undefined || editor.at(place) !== component) {
      notifyChanged()
      return false
    }
    const type = typeLabel(provider)
    editor.run({ ...replaceComponent(place, answer.component), label: `Change type to ${type}` })
    const left = /** @type {string[]} */ (answer.left)
    if (left.length > 0)
      toast(
        `${type} has no field for ${left.map((each) => each.replaceAll('_', ' ')).join(', ')}. Undo restores it.`,
      )
    return true
  } catch (error) {
    toastError(error)
    return false
  }
}

/**
 * For the command palette.
 * @param {HTMLElement} root  the form
 * @param {Editor} editor
 * @returns {Action[]}
 */
export function formActions(root, editor) {
  const select = () => root.querySelector('[data-switch-type]')
  return [
    {
      id: 'switch-type',
      label: 'Change type',
      group: 'Edit',
      scope: 'page',
      icon: 'refresh-cw',
      needs: 'editor',
      when: () => (editor.at(editor.selection) && select() ? true : 'No other type fits here.'),
      run: () => {
        document.getElementById('tab-form')?.click()
        const control = select()
        if (!(control instanceof HTMLSelectElement)) return
        control.focus()
        control.showPicker?.()
      },
    },
  ]
}
