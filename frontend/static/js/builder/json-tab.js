// @ts-check
import { debounce, find } from '../core/dom.js'
import { get, isSame, set } from '../core/pointer.js'
import { isComponent } from './catalogue.js'

/** @typedef {import('./editor.js').Editor} Editor */

const ORIGIN = 'json'

/**
 * The JSON of the selection. Text that is no valid component never reaches the document.
 * @param {HTMLElement} root  holds `<json-code>` and `[data-json-problem]`
 * @param {Editor} editor @param {AbortSignal} signal
 */
export function jsonTab(root, editor, signal) {
  const code = /** @type {HTMLElement & { text: string }} */ (find('json-code', root))
  const problem = find('[data-json-problem]', root)
  let isShown = false

  const show = () => {
    if (!isShown) return
    problem.hidden = true
    code.text = JSON.stringify(get(editor.root, editor.selection), null, 2)
  }
  const take = debounce((/** @type {string} */ text) => {
    const result = parseComponent(text)
    problem.hidden = !('problem' in result)
    problem.textContent = 'problem' in result ? result.problem : ''
    if ('problem' in result) return
    const pointer = editor.selection
    editor.run({
      label: 'Edit JSON', key: `json ${pointer}`, select: pointer,
      apply: (doc) => (isSame(get(doc.component, pointer), result.value) ? doc : { ...doc, component: set(doc.component, pointer, result.value) }),
    }, ORIGIN)
  }, 300)

  code.addEventListener('json-code:input', (event) => take(/** @type {CustomEvent} */ (event).detail.text), { signal })
  editor.addEventListener('select', () => {
    take.flush()
    show()
  }, { signal })
  editor.addEventListener('doc', (event) => {
    if (/** @type {CustomEvent} */ (event).detail.origin !== ORIGIN) show()
  }, { signal })
  root.addEventListener('tab:show', () => {
    isShown = true
    show()
  }, { signal })
  root.addEventListener('tab:hide', () => {
    take.flush()
    isShown = false
  }, { signal })
}

/** @param {string} text @returns {{ value: import('./catalogue.js').Component } | { problem: string }} */
export function parseComponent(text) {
  try {
    const value = JSON.parse(text)
    if (!isComponent(value)) return { problem: 'A component is an object with “provider” and “config”. The team is unchanged.' }
    if (typeof value.config !== 'object' || value.config === null || Array.isArray(value.config)) return { problem: '“config” must be an object. The team is unchanged.' }
    return { value }
  } catch (error) {
    return { problem: `Not valid JSON, so the team is unchanged: ${error instanceof Error ? error.message : error}` }
  }
}
