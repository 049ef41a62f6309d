// @ts-check
/** @import {Action} from '../../core/actions.js' */
/** @import {Editor} from '../editor.js' */
import { api, ApiError } from '../../core/api.js'
import { find, on } from '../../core/dom.js'
import { toastError } from '../../core/toast.js'
import { download } from './python-tab.js'

/**
 * What takes the team elsewhere.
 * @param {HTMLElement} root
 * @param {Editor} editor
 * @returns {Action[]}
 */
export function exportActions(root, editor) {
  const stem = () =>
    editor.doc.name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^_|_$/g, '') || 'team'
  const open = exportDialog(editor, stem)
  const json = () =>
    download(`${stem()}.json`, `${JSON.stringify(editor.root, null, 2)}\n`, 'application/json')
  const python = async () => {
    const { code } = await api.post('/api/python', { component: editor.root })
    download(`${stem()}.py`, code, 'text/x-python')
  }
  const save = { json, python: () => void python().catch(toastError) }
  on(root, 'click', '[data-export-dialog]', open)
  on(root, 'click', '[data-export]', (_event, button) =>
    save[button.dataset['export'] === 'json' ? 'json' : 'python'](),
  )
  /** @type {Omit<Action, 'group' | 'scope'>[]} */
  const list = [
    {
      id: 'export',
      label: 'Export for a framework…',
      words: 'python autogen agent framework spec',
      icon: 'file-code',
      run: open,
    },
    {
      id: 'download-json',
      label: 'Download JSON',
      words: 'export component file',
      icon: 'file-json',
      run: save.json,
    },
    {
      id: 'download-python',
      label: 'Download Python',
      words: 'export script code file',
      icon: 'file-code',
      run: save.python,
    },
  ]
  return list.map((each) => ({ ...each, group: 'Team', scope: 'page' }))
}

/**
 * Choose what the script is for, read what is different there, and download it.
 * @param {Editor} editor
 * @param {() => string} stem  name of the file without its ending
 * @returns {() => void} opens it
 */
function exportDialog(editor, stem) {
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

  on(dialog, 'change', '#export-target', () => void preview())
  on(dialog, 'submit', '[data-export-form]', async (event) => {
    event.preventDefault()
    try {
      const { code, filename } = await api.post('/api/python', body())
      const isJson = filename.endsWith('.json')
      const type = isJson ? 'application/json' : 'text/x-python'
      download(`${stem()}${isJson ? '.json' : '.py'}`, code, type)
      dialog.close()
    } catch (error) {
      refuse(error)
    }
  })
  return () => {
    dialog.showModal()
    target.focus()
    void preview()
  }
}
