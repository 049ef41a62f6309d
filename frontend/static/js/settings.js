// @ts-check
// The page Settings: secrets, theme.
import { api } from './core/api.js'
import { ask } from './core/dialog.js'
import { find, on } from './core/dom.js'
import { currentTheme, setTheme } from './core/theme.js'
import { toastError } from './core/toast.js'
/** @import {Theme} from './core/theme.js' */

const dialog = /** @type {HTMLDialogElement} */ (find('#secret-dialog'))

on(document, 'click', '[data-set-secret]', (_event, button) => {
  const form = /** @type {HTMLFormElement} */ (find('form', dialog))
  form.reset()
  const name = /** @type {HTMLInputElement} */ (find('[name="name"]', dialog))
  name.value = button.dataset.setSecret ?? ''
  name.readOnly = name.value !== ''
  dialog.showModal()
  if (name.readOnly) find('[name="value"]', dialog).focus()
})

on(document, 'submit', '[data-secret-form]', (event, form) => {
  event.preventDefault()
  const { name, value } = Object.fromEntries(new FormData(/** @type {HTMLFormElement} */ (form)))
  change(() => api.put(`/api/secrets/${encodeURIComponent(String(name))}`, { value }))
})

on(document, 'click', '[data-delete-secret]', async (_event, button) => {
  const name = button.dataset.deleteSecret ?? ''
  const title = `Delete the secret “${name}”?`
  const text = 'Teams that use it cannot run until you set it again.'
  const choices = [
    { value: '', label: 'Cancel' },
    { value: 'delete', label: 'Delete secret', tone: /** @type {const} */ ('danger') },
  ]
  if ((await ask({ title, text, choices })) !== 'delete') return
  change(() => api.delete(`/api/secrets/${encodeURIComponent(name)}`))
})

on(document, 'change', '[data-theme-choice]', (event) => {
  setTheme(/** @type {Theme} */ (event.target.value))
})

showTheme()
document.addEventListener('theme:change', showTheme)

function showTheme() {
  const choice = document.querySelector(`[data-theme-choice] [value="${currentTheme()}"]`)
  if (choice instanceof HTMLInputElement) choice.checked = true
}

/**
 * The server owns the lists: after a change the page is read again.
 * @param {() => Promise<unknown>} work
 */
async function change(work) {
  try {
    await work()
    location.reload()
  } catch (error) {
    toastError(error)
  }
}
