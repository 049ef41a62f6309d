// @ts-check
// Past runs, chosen and scored.
import { api } from '../core/api.js'
import { find, on } from '../core/dom.js'
import { toast, toastError } from '../core/toast.js'

/**
 * @param {HTMLFormElement} form
 * @param {string} suiteId
 */
export function pastRuns(form, suiteId) {
  const most = Number(form.dataset['most'])
  const boxes = /** @type {NodeListOf<HTMLInputElement>} */ (
    form.querySelectorAll('[name="run"]:not(:disabled)')
  )
  on(form, 'click', '[data-select-runs]', () => {
    for (const [place, box] of boxes.entries()) box.checked = place < most
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const run_ids = [...boxes].filter((box) => box.checked).map((box) => box.value)
    if (run_ids.length === 0 || run_ids.length > most) {
      toast(`Choose 1 to ${most} runs.`, { tone: 'warning' })
      return
    }
    const button = /** @type {HTMLButtonElement} */ (find('.button.primary', form))
    const shown = find('[data-scores]')
    button.disabled = true
    try {
      const path = `/fragments/suites/${encodeURIComponent(suiteId)}/scores`
      shown.innerHTML = await api.html(path, { run_ids })
      shown.hidden = false
      shown.tabIndex = -1
      shown.focus()
    } catch (error) {
      toastError(error)
    } finally {
      button.disabled = false
    }
  })
}
