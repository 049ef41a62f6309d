// @ts-check
// The page Runs: filters apply as they are chosen; ended runs are selected and deleted together.
import { api } from './core/api.js'
import { ask } from './core/dialog.js'
import { announce, on } from './core/dom.js'
import { toastError } from './core/toast.js'

const all = /** @type {HTMLInputElement | null} */ (document.querySelector('[data-select-all]'))
const button = /** @type {HTMLButtonElement | null} */ (document.querySelector('[data-delete-runs]'))

/** @returns {HTMLInputElement[]} */
const boxes = () => [...document.querySelectorAll('input[data-select]')].filter((box) => box instanceof HTMLInputElement)
const chosen = () => boxes().filter((box) => box.checked)

function show() {
  const count = chosen().length
  if (all) {
    all.checked = count > 0 && count === boxes().length
    all.indeterminate = count > 0 && !all.checked
    all.disabled = boxes().length === 0
  }
  if (!button) return
  button.hidden = count === 0
  const label = button.querySelector('[data-part="delete-label"]')
  if (label) label.textContent = `Delete ${count} run${count === 1 ? '' : 's'}…`
}

on(document, 'change', '[data-select-all]', () => {
  for (const box of boxes()) box.checked = all?.checked ?? false
  show()
})

on(document, 'change', 'input[data-select]', show)

on(document, 'change', '[data-filter] select, [data-filter] input[type="date"]', (_event, field) => {
  field.closest('form')?.requestSubmit()
})

on(document, 'click', '[data-delete-runs]', async () => {
  const selected = chosen().map((box) => /** @type {HTMLElement} */ (box.closest('tr')))
  const count = selected.length
  const noun = `${count} run${count === 1 ? '' : 's'}`
  const choices = [{ value: '', label: 'Cancel' }, { value: 'delete', label: `Delete ${noun}`, tone: /** @type {const} */ ('danger') }]
  const text = 'Their messages and recorded answers are deleted. This cannot be undone.'
  if ((await ask({ title: `Delete ${noun}?`, text, choices })) !== 'delete') return
  let deleted = 0
  try {
    // A run can be deleted once nothing continues from it, and what does is always newer.
    selected.sort((one, other) => (other.dataset['created'] ?? '').localeCompare(one.dataset['created'] ?? ''))
    for (const row of selected) {
      await api.delete(`/api/runs/${row.dataset['run']}`)
      deleted += 1
    }
    location.reload()
  } catch (error) {
    toastError(error)
    for (const row of selected.slice(0, deleted)) row.remove()
    announce(`${deleted} of ${count} deleted.`)
    show()
  }
})

show()
