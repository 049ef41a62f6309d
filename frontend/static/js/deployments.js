// @ts-check
// The pages of one deployment: try it, follow its calls, decide on releases, keys, limits and settings.
import { api } from './core/api.js'
import { ask } from './core/dialog.js'
import { el, find, on } from './core/dom.js'
import { makeReadOnly } from './core/read-only.js'
import { can } from './core/permissions.js'
import { readSettings, warnOfEmptyAnswers } from './core/settings-form.js'
import { tabs } from './core/tabs.js'
import { toast, toastError } from './core/toast.js'
import { change, isMeant } from './deployments/changes.js'
import { withOverride } from './deployments/gate.js'
import { hooks } from './deployments/hooks.js'
import { schedules } from './deployments/schedules.js'
import { tryCalls } from './deployments/try-calls.js'
import { webhooks } from './deployments/webhooks.js'
import { withApproval } from './playground/approval.js'
import { addToSuite } from './suites/case-of-run.js'

const REFRESH_MS = 3000
const page = find('[data-deployment]')
const name = page.dataset['deployment'] ?? ''
const path = `/api/deployments/${encodeURIComponent(name)}`
const home = `/deployments/${encodeURIComponent(name)}`
let isKeyMade = false

page
  .querySelector('nav.tabs [aria-current]')
  ?.scrollIntoView({ inline: 'center', block: 'nearest', behavior: 'instant' })
schedules(page, path)
hooks(page, path)
webhooks(page, path)
for (const each of /** @type {NodeListOf<HTMLElement>} */ (
  page.querySelectorAll('[data-snippets]')
))
  tabs(each)
const trying = page.querySelector('[data-try]')
if (trying instanceof HTMLFormElement) tryCalls(trying, name)
const calls = page.querySelector('[data-live-calls]')
if (calls instanceof HTMLElement) setInterval(() => void refresh(calls), REFRESH_MS)

for (const form of /** @type {NodeListOf<HTMLFormElement>} */ (
  page.querySelectorAll('[data-settings-form]')
)) {
  warnOfEmptyAnswers(form)
  if (!can('editor')) makeReadOnly(form)
}

on(page, 'submit', '[data-settings-form]', async (event, form) => {
  event.preventDefault()
  try {
    const { settings } = await api.get(path) // those of other forms may have changed
    await api.patch(path, { settings: readSettings(form, settings) })
    if ('reloads' in form.dataset) location.reload()
    else toast('Saved.', { tone: 'success' })
  } catch (error) {
    toastError(error)
  }
})

on(page, 'click', '[data-add-to-suite]', (_event, button) =>
  addToSuite(button.dataset['addToSuite'] ?? '').catch(toastError),
)

on(page, 'click', '[data-turn]', (_event, button) =>
  change(() => api.patch(path, { is_on: button.dataset['turn'] === 'on' })),
)

on(page, 'click', '[data-replay-calls]', async (_event, element) => {
  const button = /** @type {HTMLButtonElement} */ (element)
  const shown = find('#replayed-calls')
  button.disabled = true
  shown.setAttribute('aria-busy', 'true')
  try {
    shown.innerHTML = await api.get(button.dataset['replayCalls'] ?? '', { as: 'text' })
  } catch (error) {
    toastError(error)
  }
  shown.setAttribute('aria-busy', 'false')
  button.disabled = false
})

on(page, 'click', '[data-delete-deployment]', async () => {
  const text =
    'Its keys stop working immediately. The runs of its calls are kept; the list of calls and its usage are not.'
  if (await isMeant(`Delete ${name}?`, text, 'Delete deployment'))
    await change(() => api.delete(path), '/deployments')
})

on(page, 'click', '[data-go-live]', async (_event, button) => {
  const number = Number(button.dataset['goLive'])
  const text = `New threads get release ${number} from now on. Threads that have begun stay on theirs.`
  if (await isMeant(`Make release ${number} live?`, text, 'Make live', 'primary'))
    await change(
      () => withOverride((override) => api.put(`${path}/live`, { number, override })),
      `${home}/releases`,
    )
})

on(page, 'click', '[data-canary]', async (_event, button) => {
  const number = Number(button.dataset['canary'])
  const percent = el('input', {
    type: 'number',
    min: 1,
    max: 99,
    required: true,
    value: button.dataset['percent'] ?? '',
  })
  const chosen = await ask({
    title: `Try release ${number} on some threads`,
    text: 'A part of the new threads uses it as a canary. Each thread stays on the release that it began with.',
    body: el('label', { class: 'field' }, el('span', {}, 'Percent of new threads'), percent),
    choices: [
      { value: '', label: 'Cancel' },
      { value: 'yes', label: 'Start canary', tone: 'primary' },
    ],
  })
  if (chosen !== 'yes') return
  const body = { number, percent: percent.valueAsNumber }
  await change(
    () => withOverride((override) => api.put(`${path}/canary`, { ...body, override })),
    `${home}/releases`,
  )
})

on(page, 'click', '[data-end-canary]', () => change(() => api.delete(`${path}/canary`)))

on(page, 'submit', '[data-release-form]', async (event, form) => {
  event.preventDefault()
  const { note } = Object.fromEntries(new FormData(/** @type {HTMLFormElement} */ (form)))
  try {
    const made = await withApproval(() => api.post(`${path}/releases`, { note }), {
      action: 'make the release',
    })
    if (made) location.assign(`${home}/releases/${made.number}`)
  } catch (error) {
    toastError(error)
  }
})

on(page, 'click', '[data-revoke-key]', async (_event, button) => {
  const row = /** @type {HTMLElement} */ (button.closest('[data-key]'))
  const text =
    'The programs or people that use it are refused from now on. Calls that run continue.'
  if (await isMeant(`Revoke “${row.dataset['label']}”?`, text, 'Revoke key'))
    await change(() => api.delete(`${path}/keys/${encodeURIComponent(row.dataset['key'] ?? '')}`))
})

on(page, 'submit', '[data-key-form]', async (event, form) => {
  event.preventDefault()
  const { label, days } = Object.fromEntries(new FormData(/** @type {HTMLFormElement} */ (form)))
  const chat = form.dataset['linkBase'] // of a link; a key of a program has none
  const submit = /** @type {HTMLButtonElement} */ (find('[data-key-submit]', form))
  submit.disabled = true
  try {
    const made = await api.post(`${path}/keys`, {
      label,
      days: days ? Number(days) : null,
      opens: chat ? 'link' : 'calls',
    })
    isKeyMade = true
    form.closest('dialog')?.setAttribute('closedby', 'closerequest')
    find('[data-key-made]', form).hidden = false
    submit.hidden = true
    const shown = /** @type {HTMLInputElement} */ (find('#key-value', form))
    shown.value = chat ? `${chat}#${made.key}` : made.key
    shown.focus()
    shown.select()
  } catch (error) {
    submit.disabled = false
    toastError(error)
  }
})

page.querySelector('#key-dialog')?.addEventListener('close', () => {
  if (isKeyMade) location.reload()
})

on(page, 'change', '[data-filter] select', (_event, field) =>
  field.closest('form')?.requestSubmit(),
)

/**
 * Show the newest calls, unless a link among them has the focus.
 * @param {HTMLElement} rows
 */
async function refresh(rows) {
  if (document.hidden || rows.contains(document.activeElement)) return
  try {
    rows.innerHTML = await api.get(`/fragments/deployments/${encodeURIComponent(name)}/calls`, {
      as: 'text',
    })
  } catch {
    // The studio may be restarting; the next time shows what there is.
  }
}
