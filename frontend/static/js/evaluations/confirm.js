// @ts-check
// The dialog that runs the cases that got worse again.
import { api } from '../core/api.js'
import { find, on } from '../core/dom.js'
import { toastError } from '../core/toast.js'

/** Let the button *Confirm what got worse* open its dialog, now or once it is there. */
export function confirmDialog() {
  on(document, 'click', '[data-confirm-cases]', () => {
    const dialog = /** @type {HTMLDialogElement} */ (find('#confirm-dialog'))
    dialog.showModal()
  })

  on(document, 'submit', '[data-confirm-form]', async (event, found) => {
    event.preventDefault()
    const form = /** @type {HTMLFormElement} */ (found)
    const submit = /** @type {HTMLButtonElement} */ (find('.primary', form))
    const id = encodeURIComponent(form.dataset['confirmForm'] ?? '')
    submit.disabled = true
    try {
      const usd = Number(new FormData(form).get('usd'))
      const made = await api.post(`/api/evaluations/${id}/confirm`, { usd })
      location.assign(`/evaluations/${encodeURIComponent(made.id)}`)
    } catch (error) {
      submit.disabled = false
      toastError(error)
    }
  })
}
