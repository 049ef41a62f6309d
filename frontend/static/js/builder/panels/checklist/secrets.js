// @ts-check
import { api } from '../../../core/api.js'
import { el } from '../../../core/dom.js'
import { can } from '../../../core/permissions.js'
import { toastError } from '../../../core/toast.js'
import { referTo } from '../../document/findings.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {import('../../editor.js').Need} Need
 */

/**
 * @param {Editor} editor
 * @param {Need} need
 * @param {Map<string, HTMLElement>} forms
 */
export function secretForm(editor, need, forms) {
  if (need.name === '' || editor.whyNot !== '') return null
  if (need.is_stored)
    return el(
      'button',
      { type: 'button', class: 'button small', on: { click: () => refer(editor, need) } },
      `Use the stored secret ${need.name}`,
    )
  if (!can('admin'))
    return el('p', { class: 'muted small' }, 'You need the admin role to store a key.')
  const known = forms.get(need.reference)
  if (known) return known
  const form = el(
    'form',
    { class: 'checklist-secret', 'data-secret': need.reference },
    el('input', {
      class: 'input',
      type: 'password',
      'aria-label': `Value of ${need.name}`,
      placeholder: `Value of ${need.name}`,
      autocomplete: 'new-password',
      required: true,
    }),
    el('button', { class: 'button small' }, 'Set it here'),
  )
  forms.set(need.reference, form)
  return form
}

/**
 * What the server told is about the team as it was asked about.
 * @param {Editor} editor
 * @param {Need} need
 */
function refer(editor, need) {
  const places = need.places.flatMap((each) => editor.reportedPlace(each) ?? [])
  if (places.length > 0) editor.run(referTo(places, need.name))
}

/**
 * @param {Editor} editor
 * @param {Need} need
 * @param {HTMLInputElement} input
 */
export async function storeSecret(editor, need, input) {
  try {
    await api.put(`/api/secrets/${encodeURIComponent(need.name)}`, { value: input.value })
    input.value = ''
    refer(editor, need)
    editor.dispatchEvent(new Event('recheck'))
  } catch (error) {
    toastError(error)
  }
}
