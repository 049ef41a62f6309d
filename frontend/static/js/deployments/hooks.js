// @ts-check
// The tab Hooks: add one and copy its address and secret, change, pause, resume and delete it.
import { api } from '../core/api.js'
import { find, on } from '../core/dom.js'
import { FieldErrors } from '../core/field-errors.js'
import { change, isMeant } from './changes.js'

const FIELDS = ['label', 'task']

/**
 * @param {HTMLElement} page
 * @param {string} path  of the deployment, in the API
 */
export function hooks(page, path) {
  const found = page.querySelector('#hook-dialog')
  if (!(found instanceof HTMLDialogElement)) return
  const dialog = found
  const form = /** @type {HTMLFormElement} */ (find('[data-hook-form]', dialog))
  const submit = /** @type {HTMLButtonElement} */ (find('[data-hook-submit]', form))
  const errors = new FieldErrors(form)
  const kind = /** @type {HTMLSelectElement} */ (find('#hook-kind', form))
  let id = '' // of the hook that is edited; "" for a new one
  let isMade = false

  /** @param {string} name */
  const field = (name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name))

  /**
   * @param {string} hook  ID of it, or ""
   * @param {{ label: string, kind: string, task: string }} values
   */
  function open(hook, values) {
    id = hook
    find('#hook-dialog-title', form).textContent = hook ? 'Edit hook' : 'New hook'
    submit.textContent = hook ? 'Save hook' : 'Create hook'
    for (const [name, value] of Object.entries(values)) field(name).value = value
    errors.clear()
    kind.disabled = hook !== '' // the service signs as it was told when it was added
    dialog.showModal()
    field('label').focus()
  }

  /** @param {{ address: string, secret: string }} made */
  function show({ address, secret }) {
    isMade = true
    dialog.setAttribute('closedby', 'closerequest')
    find('[data-hook-fields]', form).hidden = true
    find('[data-hook-made]', form).hidden = false
    submit.hidden = true
    find('.dialog-footer [data-closes]', form).textContent = 'Close'
    const shown = /** @type {HTMLInputElement} */ (find('#hook-secret', form))
    shown.value = secret
    const place = /** @type {HTMLInputElement} */ (find('#hook-address', form))
    place.value = address
    place.focus()
    place.select()
  }

  on(page, 'click', '[data-new-hook]', () => open('', { label: '', kind: 'standard', task: '' }))

  on(page, 'click', '[data-edit-hook]', (_event, button) => {
    const { hook = '', label = '', kind = '', task = '' } = rowOf(button).dataset
    open(hook, { label, kind, task })
  })

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (isMade) return
    const body = Object.fromEntries(FIELDS.map((name) => [name, field(name).value]))
    errors.clear()
    submit.disabled = true
    try {
      if (id) {
        await api.patch(`${path}/hooks/${encodeURIComponent(id)}`, body)
        location.reload()
      } else show(await api.post(`${path}/hooks`, { ...body, kind: kind.value }))
    } catch (error) {
      submit.disabled = false
      errors.tellRefusal(error, body)
    }
  })

  dialog.addEventListener('close', () => {
    if (isMade) location.reload()
  })

  on(page, 'click', '[data-turn-hook]', (_event, button) =>
    change(() => api.patch(addressOf(button), { is_on: button.dataset['turnHook'] === 'on' })),
  )

  on(page, 'click', '[data-delete-hook]', async (_event, button) => {
    const text = 'From now on its posts are refused. The calls that it began are kept.'
    if (
      await isMeant(`Delete the hook for ${rowOf(button).dataset['label']}?`, text, 'Delete hook')
    )
      await change(() => api.delete(addressOf(button)))
  })

  /** @param {HTMLElement} button */
  function addressOf(button) {
    return `${path}/hooks/${encodeURIComponent(rowOf(button).dataset['hook'] ?? '')}`
  }
}

/** @param {HTMLElement} button */
function rowOf(button) {
  return /** @type {HTMLElement} */ (button.closest('[data-hook]'))
}
