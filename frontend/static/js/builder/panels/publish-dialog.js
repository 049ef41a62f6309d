// @ts-check
/** @import {Autosave} from '../autosave.js' */
/** @import {Action} from '../../core/actions.js' */
import { api } from '../../core/api.js'
import { el, find } from '../../core/dom.js'
import { FieldErrors } from '../../core/field-errors.js'
import { readSettings, warnOfEmptyAnswers } from '../../core/settings-form.js'
import { toast, toastError } from '../../core/toast.js'
import { withOverride } from '../../deployments/gate.js'
import { withApproval } from '../../playground/approval.js'

/**
 * Let other programs call the team.
 * @param {Autosave} saver
 * @param {string} teamId
 * @returns {Action[]}
 */
export function publishActions(saver, teamId) {
  return [
    {
      id: 'publish',
      label: 'Publish…',
      words: 'deploy deployment api endpoint key share callers release',
      icon: 'globe',
      group: 'Team',
      scope: 'page',
      needs: 'editor',
      run: () => void openDialog(saver, teamId).catch(toastError),
    },
  ]
}

/**
 * @param {Autosave} saver
 * @param {string} teamId
 */
async function openDialog(saver, teamId) {
  await saver.save()
  if (saver.state !== 'saved') {
    toast('The team is not saved yet.', { tone: 'warning', fix: 'Save it, then publish it.' })
    return
  }
  const html = await api.get(`/fragments/teams/${encodeURIComponent(teamId)}/publish`, {
    as: 'text',
  })
  const dialog = el('dialog', {
    class: 'dialog publish',
    'aria-labelledby': 'publish-title',
    on: { close: () => dialog.remove() },
  })
  dialog.innerHTML = html // of the server, which escapes what people wrote
  document.body.append(dialog)
  const form = /** @type {HTMLFormElement} */ (find('[data-publish-form]', dialog))
  const name = /** @type {HTMLInputElement} */ (find('#publish-name', form))
  const errors = new FieldErrors(form)
  warnOfEmptyAnswers(form)
  name.addEventListener('input', () => {
    find('[data-shown-name]', form).textContent = name.value || 'name'
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void publish(dialog, form, errors, teamId)
  })
  dialog.showModal()
  name.select()
}

/**
 * @param {HTMLDialogElement} dialog
 * @param {HTMLFormElement} form
 * @param {FieldErrors} errors
 * @param {string} teamId
 */
async function publish(dialog, form, errors, teamId) {
  const { name, key_label } = Object.fromEntries(new FormData(form))
  const button = /** @type {HTMLButtonElement} */ (find('.button.primary', form))
  const body = { team_id: teamId, name, key_label, settings: readSettings(form) }
  button.disabled = true
  try {
    const send = (/** @type {string} */ override) =>
      api.post('/api/deployments', { ...body, override })
    const made = await withApproval(() => withOverride(send), { action: 'publish' })
    if (made) showKey(dialog, made)
  } catch (error) {
    errors.tellRefusal(error, body)
  } finally {
    button.disabled = false
  }
}

/**
 * The key is told this once, so a click beside the dialog does not close it.
 * @param {HTMLDialogElement} dialog
 * @param {{ name: string, key: { key: string } }} made
 */
function showKey(dialog, { name, key: { key } }) {
  const page = `/deployments/${encodeURIComponent(name)}`
  const shown = find('[data-published]', dialog)
  find('[data-publish-form]', dialog).hidden = true
  dialog.setAttribute('closedby', 'closerequest')
  dialog.setAttribute('aria-labelledby', 'published-title')
  for (const link of shown.querySelectorAll('a')) link.href = page
  find('[data-deployment]', shown).textContent = name
  const curl = find('#published-curl', shown)
  curl.textContent = (curl.textContent ?? '').replaceAll('{name}', name).replaceAll('{key}', key)
  shown.hidden = false
  const field = /** @type {HTMLInputElement} */ (find('#published-key', shown))
  field.value = key
  field.focus()
  field.select()
}
