// @ts-check
/** @import {Editor} from '../editor.js' */
import { api, ApiError } from '../../core/api.js'
import { find, on } from '../../core/dom.js'
import { toastError } from '../../core/toast.js'
import { download } from './python-tab.js'

/**
 * Choose what the script is for, read what is different there, and download it.
 * @param {HTMLElement} root
 * @param {Editor} editor
 * @param {() => string} stem  name of the file without its ending
 */
export function exportDialog(root, editor, stem) {
  const dialog = /** @type {HTMLDialogElement} */ (find('#export-dialog'))
  const target = /** @type {HTMLSelectElement} */ (find('#export-target', dialog))
  const report = find('[data-export-report]', dialog)
  const refusal = find('[data-export-refusal]', dialog)
  const submit = /** @type {HTMLButtonElement} */ (find('[data-export-submit]', dialog))
  let asked = 0

  const body = () => ({ component: editor.root, target: target.value })

  /** Shows the report of the chosen target; an answer to an earlier choice is passed over. */
  async function preview() {
    const mine = ++asked
    report.replaceChildren()
    refuse()
    submit.disabled = true
    try {
      const html = await api.post('/fragments/export', body(), { as: 'text' })
      if (mine !== asked) return
      report.innerHTML = html
      submit.disabled = false
    } catch (error) {
      if (mine === asked) refuse(error)
    }
  }

  /** @param {unknown} [error]  nothing hides the notice */
  function refuse(error) {
    refusal.hidden = error === undefined
    if (error === undefined) return
    if (!(error instanceof ApiError)) return toastError(error)
    find('[data-export-refusal-text]', refusal).textContent = error.message
    find('[data-export-refusal-fix]', refusal).textContent = error.fix
  }

  on(root, 'click', '[data-export-dialog]', () => {
    dialog.showModal()
    target.focus()
    void preview()
  })
  on(dialog, 'change', '#export-target', () => void preview())
  on(dialog, 'submit', '[data-export-form]', async (event) => {
    event.preventDefault()
    try {
      const { code } = await api.post('/api/python', body())
      download(`${stem()}.py`, code, 'text/x-python')
      dialog.close()
    } catch (error) {
      refuse(error)
    }
  })
}
