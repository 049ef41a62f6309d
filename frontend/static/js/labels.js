// @ts-check
// Runs of an evaluation are labeled one after the other, by keys or by buttons.
import { api } from './core/api.js'
import { announce, find, on } from './core/dom.js'
import { bindShortcuts } from './core/shortcuts.js'
import { toastError } from './core/toast.js'

/** @typedef {'pass' | 'fail' | 'skip'} Verdict */

const place = find('[data-labels]')
const id = encodeURIComponent(place.dataset['labels'] ?? '')
let isBusy = false

/** @param {string} [query]  such as `?cell=7`; the next run that waits where it is empty */
async function show(query = '') {
  place.innerHTML = await api.get(`/fragments/evaluations/${id}/labels${query}`, { as: 'text' })
  history.replaceState(null, '', `${location.pathname}${query}`)
  find('[data-label-title]', place).focus()
}

/** @param {() => Promise<void>} work */
async function once(work) {
  if (isBusy) return
  isBusy = true
  try {
    await work()
  } catch (error) {
    toastError(error)
  } finally {
    isBusy = false
  }
}

/** @param {Verdict} verdict */
function label(verdict) {
  const cell = place.querySelector('[data-cell]')
  if (!(cell instanceof HTMLElement)) return false
  const position = Number(cell.dataset['cell'])
  const note = /** @type {HTMLTextAreaElement} */ (find('[name=note]', cell)).value
  void once(async () => {
    await api.post(`/api/evaluations/${id}/labels`, { position, verdict, note })
    await show()
    announce(place.querySelector('[data-progress]')?.textContent ?? '')
  })
  return true
}

/** Show what was labeled last. */
function back() {
  const link = place.querySelector('[data-back]')
  if (!(link instanceof HTMLAnchorElement)) return false
  void once(() => show(new URL(link.href).search))
  return true
}

on(place, 'click', '[data-verdict]', (_event, button) => {
  label(/** @type {Verdict} */ (button.dataset['verdict']))
})

on(place, 'click', '[data-back]', (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  back()
})

bindShortcuts(document, [
  { keys: 'p', label: 'Label the run: pass', run: () => label('pass') },
  { keys: 'f', label: 'Label the run: fail', run: () => label('fail') },
  { keys: 's', label: 'Skip the run', run: () => label('skip') },
  { keys: 'b', label: 'See the last label', run: back },
  { keys: 'n', label: 'Write a note', run: () => place.querySelector('textarea')?.focus() },
  {
    keys: 'escape',
    label: 'Leave the note',
    inFields: (field) => field.matches('[name=note]'),
    run: () => find('[data-label-title]', place).focus(),
  },
])
