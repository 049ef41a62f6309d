// @ts-check
// The pages of one suite: its cases and scorers, and the suite as text.
import { api } from './core/api.js'
import { ask } from './core/dialog.js'
import { el, find, on } from './core/dom.js'
import { makeReadOnly } from './core/read-only.js'
import { can } from './core/permissions.js'
import { toast, toastError } from './core/toast.js'
import { change, isMeant } from './deployments/changes.js'
import { askingDialogs } from './suites/asking-dialogs.js'
import { caseDialog } from './suites/case-dialog.js'
import { changeShown, changeSuite, placeOf, readShown } from './suites/document.js'
import { gateDialog } from './suites/gate-dialog.js'
import { hideMistakes, showMistakes } from './suites/mistakes.js'
import { importCases } from './suites/import-cases.js'
import { pastRuns } from './suites/past-runs.js'
import { openScorer } from './suites/scorer-dialog.js'

/** @import {Entry, SuiteDocument} from './suites/document.js' */

const page = find('[data-suite]')
const path = `/api/suites/${encodeURIComponent(page.dataset['suite'] ?? '')}`

page
  .querySelector('nav.tabs [aria-current]')
  ?.scrollIntoView({ inline: 'center', block: 'nearest', behavior: 'instant' })
if (document.getElementById('case-dialog')) caseDialog(page, path)
gateDialog(page, path)
askingDialogs(page, path)
const past = page.querySelector('[data-past-runs]')
if (past instanceof HTMLFormElement) pastRuns(past, page.dataset['suite'] ?? '')
const importing = page.querySelector('[data-import-cases]')
if (importing instanceof HTMLFormElement) importCases(page, importing, path)
const text = page.querySelector('[data-suite-text]')
if (text instanceof HTMLFormElement) textForm(text)

on(document, 'click', '[data-rename-suite]', () => rename().catch(toastError))
on(document, 'click', '[data-delete-suite]', async () => {
  const warning =
    'Its cases, scorers and evaluations are lost. Runs of evaluations go to the trash.'
  if (await isMeant(`Delete “${page.dataset['name']}”?`, warning, 'Delete suite'))
    await change(() => api.delete(path), `/suites?team=${page.dataset['team']}`)
})

on(page, 'click', '[data-add-scorer]', () =>
  openScorer({
    save: async (entry, isInvariant) => {
      await changeSuite(path, (suite) => add(suite, isInvariant, entry))
      location.reload()
    },
  }),
)

on(page, 'click', '[data-edit-scorer]', async (_event, button) => {
  const { part, place } = scorerAt(button)
  try {
    const suite = await readShown(page, path)
    const before = suite[part]?.[place]
    if (before === undefined) return location.reload()
    openScorer({
      entry: before,
      isInvariant: part === 'always',
      save: async (entry, isInvariant) => {
        await changeSuite(path, (newest) => {
          const rows = newest[part] ?? []
          const at = placeOf(rows, before, place)
          if ((part === 'always') === isInvariant)
            return { ...newest, [part]: rows.with(at, entry) }
          return add({ ...newest, [part]: rows.toSpliced(at, 1) }, isInvariant, entry)
        })
        location.reload()
      },
    })
  } catch (error) {
    toastError(error)
  }
})

on(page, 'click', '[data-delete-scorer]', async (_event, button) => {
  const { part, place } = scorerAt(button)
  try {
    /** @type {Entry | undefined} */
    let gone
    await changeShown(page, path, (suite) => {
      gone = suite[part]?.[place]
      return { ...suite, [part]: (suite[part] ?? []).toSpliced(place, 1) }
    })
    button.closest('li')?.remove()
    offerUndo('The scorer is deleted.', (suite) => ({
      ...suite,
      [part]: (suite[part] ?? []).toSpliced(place, 0, /** @type {Entry} */ (gone)),
    }))
  } catch (error) {
    toastError(error)
  }
})

/**
 * @param {SuiteDocument} suite
 * @param {boolean} isInvariant
 * @param {Entry} entry
 */
function add(suite, isInvariant, entry) {
  const part = isInvariant ? 'always' : 'scorers'
  return { ...suite, [part]: [...(suite[part] ?? []), entry] }
}

/** @param {HTMLElement} button */
function scorerAt(button) {
  const { part, place } = /** @type {HTMLElement} */ (button.closest('[data-part]')).dataset
  return { part: /** @type {'always' | 'scorers'} */ (part), place: Number(place) }
}

/**
 * Count the places anew, and offer to put back what is gone.
 * @param {string} said
 * @param {(suite: SuiteDocument) => SuiteDocument} undo
 */
function offerUndo(said, undo) {
  for (const part of ['always', 'scorers'])
    for (const [place, row] of page.querySelectorAll(`[data-part="${part}"]`).entries())
      row.setAttribute('data-place', String(place))
  const run = () => void change(() => changeSuite(path, undo))
  toast(said, { tone: 'success', action: { label: 'Undo', run } })
}

async function rename() {
  const input = el('input', {
    class: 'input',
    'aria-label': 'Name',
    value: page.dataset['name'],
    maxlength: 200,
  })
  const asked = ask({
    title: 'Rename suite',
    body: input,
    choices: [
      { value: '', label: 'Cancel' },
      { value: 'save', label: 'Rename', tone: 'primary' },
    ],
  })
  input.select()
  if ((await asked) !== 'save' || !input.value.trim()) return
  await change(() => changeSuite(path, (suite) => ({ ...suite, suite: input.value.trim() })))
}

/** @param {HTMLFormElement} form */
function textForm(form) {
  const box = /** @type {HTMLTextAreaElement} */ (find('textarea', form))
  const saved = box.value
  let isSaving = false
  if (!can('editor')) makeReadOnly(form)
  addEventListener('beforeunload', (event) => {
    if (box.value !== saved && !isSaving) event.preventDefault()
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    hideMistakes(form)
    try {
      await api.put(`${path}/text`, {
        text: box.value,
        form: form.dataset['form'],
        revision: Number(page.dataset['revision']),
      })
      isSaving = true
      location.reload()
    } catch (error) {
      showMistakes(form, error, box)
    }
  })
}
