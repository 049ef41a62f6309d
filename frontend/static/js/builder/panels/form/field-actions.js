// @ts-check
// What the buttons of a form do.
import { api } from '../../../core/api.js'
import { announce } from '../../../core/dom.js'
import { get, join, last, parent } from '../../../core/pointer.js'
import { toastError } from '../../../core/toast.js'
import { fillSlot, removeSelected, notifyChanged } from '../../actions.js'
import { isComponent } from '../../document/catalogue.js'
import { addEntry, setValue } from '../../document/commands.js'
import { freeName } from '../../document/naming.js'
import { reshaped } from '../../document/values.js'
import { at, removeEntry } from './entries.js'
import { listModels } from './model-list.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {import('../../document/commands.js').Command} Command
 * @typedef {import('./entries.js').Form & { root: HTMLElement, editor: Editor, again: () => void }}
 *   Form
 */

/**
 * @param {string} pointer
 * @param {unknown} value
 * @param {string} verb
 * @returns {Command}
 */
function setOnce(pointer, value, verb) {
  return {
    label: `${verb} ${last(pointer).replaceAll('_', ' ')}`,
    apply: setValue(pointer, value).apply,
  }
}

/**
 * @param {Form} form
 * @param {HTMLElement} button
 */
export function runFieldAction(form, button) {
  const { editor } = form
  const { pointer = '', json = 'null', action } = button.dataset
  const here = get(editor.root, pointer)
  switch (action) {
    case 'select':
      return editor.select(pointer)
    case 'pick':
      return void fillSlot(editor, pointer)
    case 'reset':
      return void form.run(setOnce(pointer, JSON.parse(json), 'Reset'))
    case 'set':
      form.focusNext([`${at('data-field', pointer)} :is(input, select, textarea)`])
      return void form.run(setOnce(pointer, JSON.parse(json), 'Fill in'))
    case 'unset':
      form.focusNext([`.form-slot-add${at('data-pointer', pointer)}`])
      return void form.run(setOnce(pointer, null, 'Clear'))
    case 'add': {
      const added = join(pointer, Array.isArray(here) ? here.length : 0)
      form.run(addEntry(pointer, JSON.parse(json)))
      return form.focusNext([
        `${at('data-entry', added)} > .grow :is(input, textarea, select):not([data-variant])`,
      ])
    }
    case 'add-key': {
      const name = freeName('key', Object.keys(here ?? {}))
      form.focusNext([`[data-rename-key]${at('data-pointer', join(pointer, name))}`])
      return void form.run(setOnce(pointer, { ...here, [name]: JSON.parse(json) }, 'Add to'))
    }
    case 'remove':
      return isComponent(here) ? removeComponent(form, pointer) : removeEntry(form, pointer)
    case 'list-models':
      return void listModels(form.root, editor, /** @type {HTMLButtonElement} */ (button))
    case 'store-secret':
      return void storeSecret(form, button)
    default:
  }
}

/**
 * The form stays where it is.
 * @param {Form} form
 * @param {string} pointer
 */
function removeComponent(form, pointer) {
  const { selection } = form.editor
  form.focusNext([
    `${at('data-entry', pointer)} .form-slot-actions > .button:last-child`,
    `.form-slot-add${at('data-pointer', pointer)}`,
    `.form-slot-add${at('data-pointer', parent(pointer))}`,
  ])
  removeSelected(form.editor, pointer)
  form.editor.select(selection, { quiet: true })
}

/**
 * Write the value in another of its shapes.
 * @param {Form} form
 * @param {HTMLSelectElement} select
 */
export function reshape(form, select) {
  const { editor } = form
  const pointer = select.dataset['pointer'] ?? ''
  const { json = 'null', kept = '[]', textPart = '' } = select.selectedOptions[0]?.dataset ?? {}
  form.run(
    setOnce(
      pointer,
      reshaped(get(editor.root, pointer), JSON.parse(json), JSON.parse(kept), textPart),
      'Change kind of',
    ),
  )
}

/**
 * Send a key to the studio's own store, and name it here.
 * @param {Form} form
 * @param {HTMLElement} button
 */
async function storeSecret(form, button) {
  const pointer = button.dataset['pointer'] ?? ''
  const box = button.closest('[data-secret]')
  const name = box?.querySelector('[data-secret-name]')
  const key = box?.querySelector('[data-secret-value]')
  if (!(name instanceof HTMLInputElement && key instanceof HTMLInputElement)) return
  const wrong = /^[A-Za-z0-9_.-]+$/.test(name.value.trim()) ? undefined : name
  const missing = wrong ?? (key.value === '' ? key : undefined)
  name.setAttribute('aria-invalid', String(wrong === name))
  if (missing) {
    form.say(
      pointer,
      missing === name
        ? 'The name of a secret has letters, digits, `_`, `-` and `.` only.'
        : 'Paste the key.',
    )
    return missing.focus()
  }
  const placeOf = form.editor.keepPlace(pointer)
  try {
    await api.put(`/api/secrets/${encodeURIComponent(name.value.trim())}`, { value: key.value })
    key.value = ''
    button.closest('details')?.removeAttribute('open')
    const place = placeOf()
    if (place === undefined) return notifyChanged()
    form.focusNext([`input[data-kind]${at('data-pointer', place)}`])
    const isChanged = form.run(setOnce(place, `secret:${name.value.trim()}`, 'Set'))
    if (!isChanged) form.again()
    announce('The key is stored.')
  } catch (error) {
    toastError(error)
  }
}
