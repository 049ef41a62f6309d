// @ts-check
// The tab Webhooks: add one, turn it on or off, send what was not delivered again.
import { api } from '../core/api.js'
import { find, on } from '../core/dom.js'
import { FieldErrors } from '../core/field-errors.js'
import { change, isMeant } from './changes.js'

/**
 * @param {HTMLElement} page
 * @param {string} path  of the deployment, in the API
 */
export function webhooks(page, path) {
  const form = page.querySelector('[data-webhook-form]')
  if (form instanceof HTMLFormElement) newWebhook(form, path)

  on(page, 'click', '[data-turn-webhook]', (_event, button) =>
    change(() => api.patch(addressOf(button), { is_on: button.dataset['turnWebhook'] === 'on' })),
  )

  on(page, 'click', '[data-delete-webhook]', async (_event, button) => {
    const text = 'Nothing more is sent to its program, and its deliveries are deleted.'
    if (await isMeant(`Delete the webhook to ${rowOf(button).dataset['label']}?`, text, 'Delete'))
      await change(() => api.delete(addressOf(button)))
  })

  on(page, 'click', '[data-send-again]', (_event, button) => {
    const row = /** @type {HTMLElement} */ (button.closest('[data-delivery]'))
    const id = encodeURIComponent(row.dataset['delivery'] ?? '')
    return change(() => api.post(`${path}/deliveries/${id}/send`, {}))
  })

  /** @param {HTMLElement} button */
  function addressOf(button) {
    return `${path}/webhooks/${encodeURIComponent(rowOf(button).dataset['webhook'] ?? '')}`
  }
}

/**
 * Add a webhook, and show its secret once.
 * @param {HTMLFormElement} form
 * @param {string} path  of the deployment, in the API
 */
function newWebhook(form, path) {
  const errors = new FieldErrors(form)
  const dialog = /** @type {HTMLDialogElement} */ (form.closest('dialog'))
  const submit = /** @type {HTMLButtonElement} */ (find('[data-webhook-submit]', form))
  let isMade = false

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const given = new FormData(form)
    const body = {
      address: given.get('address'),
      kinds: given.getAll('kinds'),
      shows_answer: given.has('shows_answer'),
    }
    submit.disabled = true
    errors.clear()
    try {
      const made = await api.post(`${path}/webhooks`, body)
      isMade = true
      dialog.setAttribute('closedby', 'closerequest')
      find('[data-secret-made]', form).hidden = false
      submit.hidden = true
      const shown = /** @type {HTMLInputElement} */ (find('#webhook-secret', form))
      shown.value = made.secret
      shown.focus()
      shown.select()
    } catch (error) {
      submit.disabled = false
      errors.tellRefusal(error, body)
    }
  })

  dialog.addEventListener('close', () => {
    if (isMade) location.reload()
  })
}

/** @param {HTMLElement} button */
function rowOf(button) {
  return /** @type {HTMLElement} */ (button.closest('[data-webhook]'))
}
