// @ts-check
import { api, ApiError } from '../core/api.js'
import { copy } from '../core/copy.js'
import { debounce, find, on } from '../core/dom.js'

/** @typedef {import('./editor.js').Editor} Editor */

/** The whole team as a Python script. @param {HTMLElement} root @param {Editor} editor @param {AbortSignal} signal */
export function pythonTab(root, editor, signal) {
  const code = /** @type {HTMLElement & { text: string }} */ (find('[data-python]', root))
  let isShown = false
  let shown = /** @type {unknown} */ (null)

  const load = async () => {
    if (!isShown || shown === editor.root) return
    const asked = editor.root
    root.setAttribute('aria-busy', 'true')
    try {
      const answer = await api.post('/api/python', { component: asked })
      code.text = answer.code
      shown = asked
    } catch (error) {
      code.text = error instanceof ApiError ? `# ${error.message}\n# ${error.fix}` : String(error)
    } finally {
      root.removeAttribute('aria-busy')
    }
  }
  editor.addEventListener('doc', debounce(load, 400), { signal })
  root.addEventListener('tab:show', () => {
    isShown = true
    void load()
  }, { signal })
  root.addEventListener('tab:hide', () => { isShown = false }, { signal })
  on(root, 'click', '[data-copy-python]', () => void copy(code.text, 'Python copied.'), signal)
}

/** @param {string} name @param {string} text @param {string} type */
export function download(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
