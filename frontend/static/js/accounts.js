// @ts-check
// The pages Account and Users.
import { api } from './core/api.js'
import { ask } from './core/dialog.js'
import { find, on } from './core/dom.js'
import { toastError } from './core/toast.js'

const ACCOUNT = '/api/account'
let isTokenMade = false

on(document, 'click', '[data-opens]', (_event, button) => {
  const dialog = /** @type {HTMLDialogElement} */ (find(`#${button.dataset.opens}`))
  const form = /** @type {HTMLFormElement} */ (find('form', dialog))
  form.reset()
  dialog.showModal()
})

on(document, 'click', '[data-sign-out]', () => leave(() => api.post(`${ACCOUNT}/sign-out`, {})))

on(document, 'click', '[data-sign-out-everywhere]', async () => {
  const text = 'This signs you out of every browser, including this one. API tokens are kept.'
  if (await isMeant('Sign out everywhere?', text, 'Sign out everywhere'))
    leave(() => api.delete(`${ACCOUNT}/sign-ins`))
})

on(document, 'click', '[data-end-sign-in]', (_event, button) => {
  const { signIn } = /** @type {HTMLElement} */ (button.closest('[data-sign-in]')).dataset
  change(() => api.delete(`${ACCOUNT}/sign-ins/${signIn}`))
})

on(document, 'submit', '[data-password-form]', (event, form) => {
  event.preventDefault()
  const { old, new: fresh } = fieldsOf(form)
  change(() => api.put(`${ACCOUNT}/password`, { old, new: fresh }))
})

on(document, 'submit', '[data-token-form]', async (event, form) => {
  event.preventDefault()
  const { label, days } = fieldsOf(form)
  try {
    const made = await api.post(`${ACCOUNT}/tokens`, { label, days: Number(days) })
    isTokenMade = true
    find('[data-token-made]', form).hidden = false
    find('[data-token-submit]', form).hidden = true
    const shown = /** @type {HTMLInputElement} */ (find('#token-value', form))
    shown.value = made.token
    shown.focus()
    shown.select()
  } catch (error) {
    toastError(error)
  }
})

document.querySelector('#token-dialog')?.addEventListener('close', () => {
  if (isTokenMade) location.reload()
})

on(document, 'submit', '[data-user-form]', (event, form) => {
  event.preventDefault()
  const make = () => api.post('/api/users', fieldsOf(form))
  if ('first' in form.dataset) leave(make)
  else change(make)
})

on(document, 'change', '[data-role-choice]', (event, select) => {
  const role = /** @type {HTMLSelectElement} */ (event.target).value
  change(() => api.put(`/api/users/${rowOf(select).user}/role`, { role }))
})

on(document, 'click', '[data-set-password]', (_event, button) => {
  const dialog = /** @type {HTMLDialogElement} */ (find('#password-dialog'))
  const form = /** @type {HTMLFormElement} */ (find('form', dialog))
  form.reset()
  form.dataset.user = rowOf(button).user
  find('h2', dialog).textContent = `Set the password of ${rowOf(button).name}`
  dialog.showModal()
})

on(document, 'submit', '[data-reset-form]', (event, form) => {
  event.preventDefault()
  change(() => api.put(`/api/users/${form.dataset.user}/password`, fieldsOf(form)))
})

on(document, 'click', '[data-end-all]', (_event, button) => {
  change(() => api.delete(`/api/users/${rowOf(button).user}/sign-ins`))
})

on(document, 'click', '[data-remove-user]', async (_event, button) => {
  const { user, name } = rowOf(button)
  const text = 'They are signed out immediately. Their teams, versions and runs are kept.'
  if (await isMeant(`Remove ${name}?`, text, 'Remove user'))
    change(() => api.delete(`/api/users/${user}`))
})

/**
 * @param {string} title
 * @param {string} text
 * @param {string} label
 */
async function isMeant(title, text, label) {
  const choices = [
    { value: '', label: 'Cancel' },
    { value: 'yes', label, tone: /** @type {const} */ ('danger') },
  ]
  return (await ask({ title, text, choices })) === 'yes'
}

/** @param {HTMLElement} element */
function rowOf(element) {
  return /** @type {HTMLElement} */ (element.closest('[data-user]')).dataset
}

/**
 * @param {Element} form
 * @returns {Record<string, string>}
 */
function fieldsOf(form) {
  const fields = Object.fromEntries(new FormData(/** @type {HTMLFormElement} */ (form)))
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
}

/**
 * The server owns the lists: after a change the page is read again.
 * @param {() => Promise<unknown>} work
 */
async function change(work) {
  try {
    await work()
  } catch (error) {
    toastError(error)
    return
  }
  location.reload()
}

/**
 * After this nobody is signed in here.
 * @param {() => Promise<unknown>} work
 */
async function leave(work) {
  try {
    await work()
    location.assign('/login')
  } catch (error) {
    toastError(error)
  }
}
