// @ts-check
import { debounce, find, on } from '../../core/dom.js'
import { placesIn } from '../../core/json-places.js'
import { get, isSame, set } from '../../core/pointer.js'
import { isComponent } from '../document/catalogue.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {{ text: string, problem: string, base: unknown }} Draft  `base`: the component it was written over
 */

const ORIGIN = 'json'

/**
 * The JSON of the selection. Text that is no valid component never reaches the document; it is kept as a draft of its
 * component until it is valid or discarded.
 * @param {HTMLElement} root  holds `<json-code>` and `[data-json-problem]`
 * @param {HTMLElement} badge  on the tab: shown while a draft is not applied
 * @param {Editor} editor @param {AbortSignal} signal
 */
export function jsonTab(root, badge, editor, signal) {
  const code = /** @type {import('../../elements/json-code.js').JsonCode} */ (find('json-code', root))
  /** @type {Map<string, Draft>} */
  const drafts = new Map()
  let isShown = false
  /** Whose text is in the editor. */
  let pointer = ''

  const tell = () => {
    const own = drafts.get(editor.selection)
    const [elsewhere] = drafts.keys()
    badge.hidden = elsewhere === undefined
    find('[data-json-problem]', root).hidden = elsewhere === undefined
    find('[data-json-reason]', root).textContent = own ? own.problem : elsewhere === undefined ? '' : `The JSON you wrote for ${editor.titleAt(elsewhere)} is not applied.`
    find('[data-json-there]', root).hidden = own !== undefined
  }
  const show = () => {
    if (isShown) {
      pointer = editor.selection
      code.text = drafts.get(pointer)?.text ?? JSON.stringify(get(editor.root, pointer), null, 2)
    }
    tell()
    markErrors()
  }
  /** What the server found wrong inside the selection, at its lines. */
  const markErrors = () => {
    if (!isShown) return
    const isDocument = !drafts.has(pointer) && 'value' in parseComponent(code.text)
    const found = isDocument ? editor.errorsWithin(pointer).map((each) => ({ ...each, inside: each.where.slice(pointer.length) })) : []
    const places = placesIn(isDocument ? code.text : '', new Set(found.map((each) => each.inside)))
    code.mark(found.map(({ inside, message, fix }) => ({ line: 1, column: 1, ...places.get(inside), message: `${message} ${fix}`.trim() })))
  }
  const take = debounce((/** @type {string} */ text) => {
    const result = parseComponent(text)
    const place = pointer
    if ('problem' in result) drafts.set(place, { text, problem: result.problem, base: get(editor.root, place) })
    else drafts.delete(place)
    if ('value' in result) {
      editor.run({
        label: 'Edit JSON', key: `json ${place}`,
        apply: (doc) => (isSame(get(doc.component, place), result.value) ? doc : { ...doc, component: set(doc.component, place, result.value) }),
      }, ORIGIN)
    }
    tell()
  }, 300)
  const finish = () => {
    code.flush()
    take.flush()
  }

  code.addEventListener('json-code:input', (event) => take(/** @type {CustomEvent} */ (event).detail.text), { signal })
  editor.addEventListener('select', () => {
    finish()
    show()
  }, { signal })
  editor.addEventListener('doc', (event) => {
    if (/** @type {CustomEvent} */ (event).detail.origin === ORIGIN) return
    follow(drafts, editor)
    show()
  }, { signal })
  editor.addEventListener('report', markErrors, { signal })
  root.addEventListener('tab:show', () => {
    isShown = true
    show()
  }, { signal })
  root.addEventListener('tab:hide', () => {
    finish()
    isShown = false
  }, { signal })
  on(root, 'click', '[data-json-discard]', () => {
    drafts.delete(drafts.has(editor.selection) ? editor.selection : [...drafts.keys()][0] ?? '')
    show()
  }, signal)
  on(root, 'click', '[data-json-there]', () => editor.select([...drafts.keys()][0] ?? ''), signal)
}

/** A draft goes where its component goes, and ends with it. @param {Map<string, Draft>} drafts @param {Editor} editor */
export function follow(drafts, editor) {
  const places = new Map([...editor.catalogue.walk(editor.root)].map((each) => [/** @type {unknown} */ (each.component), each.pointer]))
  const kept = [...drafts].map(([place, draft]) => /** @type {[string, Draft]} */ ([places.get(draft.base) ?? place, { ...draft, base: get(editor.root, places.get(draft.base) ?? place) }]))
  drafts.clear()
  for (const [place, draft] of kept) if (isComponent(draft.base)) drafts.set(place, draft)
}

/** @param {string} text @returns {{ value: import('../document/catalogue.js').Component } | { problem: string }} */
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
