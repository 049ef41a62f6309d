// @ts-check
// The tab Schedules: write one with its next times in view, call it now, pause, resume
// and delete it.
import { api } from '../core/api.js'
import { debounce, find, on } from '../core/dom.js'
import { FieldErrors } from '../core/field-errors.js'
import { toastError } from '../core/toast.js'
import { change, isMeant } from './changes.js'

const FIELDS = ['task', 'cron', 'zone']
const PREVIEW_MS = 250
const LOOKS = 20
const LOOK_MS = 250
const YOUR_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

/**
 * @param {HTMLElement} page
 * @param {string} path  of the deployment, in the API
 */
export function schedules(page, path) {
  const found = page.querySelector('#schedule-dialog')
  if (!(found instanceof HTMLDialogElement)) return
  const dialog = found
  const form = /** @type {HTMLFormElement} */ (find('[data-schedule-form]', dialog))
  const errors = new FieldErrors(form)
  let id = '' // of the schedule that is edited; "" for a new one
  let reading = new AbortController()

  yourTimes(page)
  find('#schedule-zones', form).append(
    ...Intl.supportedValuesOf('timeZone').map((zone) => new Option(zone, zone)),
  )

  /** @param {string} name */
  const field = (name) => /** @type {HTMLInputElement} */ (form.elements.namedItem(name))
  const preset = /** @type {HTMLSelectElement} */ (find('[data-preset]', form))

  const preview = async () => {
    reading.abort()
    reading = new AbortController()
    const { signal } = reading
    const shown = find('[data-preview]', form)
    const asked = new URLSearchParams({ cron: field('cron').value, zone: field('zone').value })
    try {
      const times = await api.get(`/fragments/schedule-times?${asked}`, { as: 'text', signal })
      shown.innerHTML = times
      yourTimes(shown)
      errors.clear('cron', 'zone')
    } catch (error) {
      if (signal.aborted) return
      shown.replaceChildren()
      if (!errors.tell(error)) toastError(error)
    }
  }
  const previewSoon = debounce(() => void preview(), PREVIEW_MS)

  /**
   * @param {string} title
   * @param {string} schedule  ID of it, or ""
   * @param {{ task: string, cron: string, zone: string }} values
   */
  function open(title, schedule, values) {
    id = schedule
    find('#schedule-dialog-title', form).textContent = title
    for (const [name, value] of Object.entries(values)) field(name).value = value
    errors.clear()
    choosePreset()
    find('[data-preview]', form).replaceChildren()
    dialog.showModal()
    field('task').focus()
    void preview()
  }

  function choosePreset() {
    const known = [...preset.options].some((option) => option.value === field('cron').value)
    preset.value = known ? field('cron').value : ''
  }

  on(page, 'click', '[data-new-schedule]', () =>
    open('New schedule', '', { task: '', cron: preset.options[1]?.value ?? '', zone: YOUR_ZONE }),
  )

  on(page, 'click', '[data-edit-schedule]', (_event, button) => {
    const { task = '', cron = '', scheduleZone: zone = '' } = rowOf(button).dataset
    open('Edit schedule', rowOf(button).dataset['schedule'] ?? '', { task, cron, zone })
  })

  preset.addEventListener('change', () => {
    if (preset.value) field('cron').value = preset.value
    else field('cron').focus()
    void preview()
  })
  form.addEventListener('input', (event) => {
    if (event.target === field('cron')) choosePreset()
    if (event.target === field('cron') || event.target === field('zone')) previewSoon()
  })

  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    previewSoon.cancel()
    const submit = /** @type {HTMLButtonElement} */ (find('[data-schedule-submit]', form))
    const body = Object.fromEntries(FIELDS.map((name) => [name, field(name).value]))
    submit.disabled = true
    try {
      if (id) await api.patch(`${path}/schedules/${encodeURIComponent(id)}`, body)
      else await api.post(`${path}/schedules`, body)
      location.reload()
    } catch (error) {
      submit.disabled = false
      errors.tellRefusal(error, body)
    }
  })

  on(page, 'click', '[data-call-schedule]', (_event, button) =>
    change(async () => {
      const firings = `${addressOf(button)}/firings`
      await api.post(firings, {})
      for (let look = 0; look < LOOKS; look++) {
        const [newest] = await api.get(firings)
        if (newest?.state !== 'due') return
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      }
    }),
  )

  on(page, 'click', '[data-turn-schedule]', (_event, button) =>
    change(() => api.patch(addressOf(button), { is_on: button.dataset['turnSchedule'] === 'on' })),
  )

  on(page, 'click', '[data-delete-schedule]', async (_event, button) => {
    const text = 'It calls no more. The calls that it began are kept.'
    if (await isMeant(`Delete “${rowOf(button).dataset['label']}”?`, text, 'Delete schedule'))
      await change(() => api.delete(addressOf(button)))
  })

  /** @param {HTMLElement} button */
  function addressOf(button) {
    return `${path}/schedules/${encodeURIComponent(rowOf(button).dataset['schedule'] ?? '')}`
  }
}

/** @param {HTMLElement} button */
function rowOf(button) {
  return /** @type {HTMLElement} */ (button.closest('[data-schedule]'))
}

/**
 * Say beside a time of another zone what clocks show here.
 * @param {ParentNode} root
 */
function yourTimes(root) {
  for (const time of /** @type {NodeListOf<HTMLTimeElement>} */ (
    root.querySelectorAll('time[data-zone]')
  )) {
    const at = new Date(time.dateTime)
    const here = shownIn(YOUR_ZONE, at)
    if (shownIn(time.dataset['zone'] ?? YOUR_ZONE, at) !== here) time.append(` (${here} your time)`)
  }
}

/**
 * @param {string} zone
 * @param {Date} at
 */
function shownIn(zone, at) {
  const parts = /** @type {const} */ ({ weekday: 'short', hour: '2-digit', minute: '2-digit' })
  try {
    return new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: zone }).format(at)
  } catch {
    return '' // a zone that this browser does not know
  }
}
