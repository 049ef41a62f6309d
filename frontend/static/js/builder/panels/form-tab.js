// @ts-check
// The form of the selected component: HTML from the server, edits into the document.
import { api } from '../../core/api.js'
import { debounce, on, prose } from '../../core/dom.js'
import { get, join, last, parent } from '../../core/pointer.js'
import { toastError } from '../../core/toast.js'
import { fillSlot, removeSelected } from '../actions.js'
import { isComponent, KIND_ICON, titleOf, typeLabel } from '../document/catalogue.js'
import { ownerOf, removeAt, renameAgent, renameEntry, setValue } from '../document/commands.js'
import { conditionText } from '../canvas/scene.js'
import { freeName } from '../document/naming.js'
import { readValue } from '../document/values.js'

/** @typedef {import('../editor.js').Editor} Editor */

const ORIGIN = 'form'

/** @param {HTMLElement} root @param {Editor} editor @param {AbortSignal} signal */
export function formTab(root, editor, signal) {
  /** @type {AbortController | undefined} */
  let asking
  let wanted = ''

  const load = async () => {
    asking?.abort()
    asking = new AbortController()
    const pointer = editor.selection
    try {
      const body = { component: editor.root, pointer, errors: editor.report.errors }
      const html = await api.html('/fragments/form', body, { signal: asking.signal })
      if (pointer === editor.selection) show(root, html)
      if (wanted) focusField(root, wanted)
      wanted = ''
      nameParts(root, editor)
    } catch (error) {
      toastError(error)
    } finally {
      root.removeAttribute('aria-busy')
    }
  }
  const soon = debounce(load, 90)

  editor.addEventListener('select', (event) => {
    const { reveal, changed } = /** @type {CustomEvent} */ (event).detail
    wanted = reveal ?? ''
    if (changed) root.setAttribute('aria-busy', 'true')
    if (changed || !focusField(root, wanted)) soon()
    else wanted = ''
  }, { signal })
  editor.addEventListener('doc', (event) => {
    const { origin, key } = /** @type {CustomEvent} */ (event).detail
    if (origin !== ORIGIN || !key) soon()
  }, { signal })
  editor.addEventListener('report', () => showErrors(root, editor), { signal })
  bindEdits(root, editor, signal)
  void load()
}

/** Swap the form, keeping what was unfolded, scrolled and focused. @param {HTMLElement} root @param {string} html */
function show(root, html) {
  const isSame = (/** @type {string} */ text) => root.querySelector('[data-form]')?.getAttribute('data-form') === text
  const open = root.querySelector('details[data-keep]')?.hasAttribute('open') ?? false
  const focused = document.activeElement instanceof HTMLElement && root.contains(document.activeElement) ? document.activeElement.id : ''
  const template = document.createElement('template')
  template.innerHTML = html
  const isSamePlace = isSame(template.content.querySelector('[data-form]')?.getAttribute('data-form') ?? '')
  root.replaceChildren(template.content)
  if (!isSamePlace) root.scrollTop = 0
  if (open && isSamePlace) root.querySelector('details[data-keep]')?.setAttribute('open', '')
  if (focused && isSamePlace) document.getElementById(focused)?.focus({ preventScroll: true })
}

/** Components in slots look and read as they do on the canvas. @param {HTMLElement} root @param {Editor} editor */
function nameParts(root, editor) {
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll('.form-slot-name'))) {
    const pointer = button.dataset['pointer'] ?? ''
    const component = editor.at(pointer)
    if (!component) continue
    const kind = editor.catalogue.kindOf(component)
    const [glyph, name, type] = /** @type {HTMLElement[]} */ ([...button.children])
    button.dataset['kind'] = kind
    glyph?.setAttribute('data-icon', KIND_ICON[kind])
    const isCondition = kind === 'termination' && editor.catalogue.children(component, '').length === 0
    name?.replaceChildren(isCondition ? editor.report.words[pointer] ?? conditionText(component) : titleOf(component))
    type?.replaceChildren(isCondition || titleOf(component) === typeLabel(component.provider) ? '' : typeLabel(component.provider))
  }
}

/** @param {HTMLElement} root @param {string} pointer @returns {boolean} whether it is there */
function focusField(root, pointer) {
  if (!pointer) return false
  const control = root.querySelector(`[data-pointer="${CSS.escape(pointer)}"]`) ?? root.querySelector(`[data-field="${CSS.escape(pointer)}"] :is(input, select, textarea, button)`)
  if (!(control instanceof HTMLElement)) return false
  control.closest('details')?.setAttribute('open', '')
  control.scrollIntoView({ block: 'center' })
  control.focus()
  return true
}

/** @param {HTMLElement} root @param {Editor} editor */
function showErrors(root, editor) {
  for (const place of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll('[data-error-for]'))) {
    const pointer = place.dataset['errorFor'] ?? ''
    const found = editor.report.errors.find((each) => each.where === pointer)
    setError(root, pointer, found ? `${found.message} ${found.fix}`.trim() : '')
  }
}

/** @param {HTMLElement} root @param {string} pointer @param {string} text */
function setError(root, pointer, text) {
  const place = root.querySelector(`[data-error-for="${CSS.escape(pointer)}"]`)
  const control = root.querySelector(`:is(input, textarea, select)[data-pointer="${CSS.escape(pointer)}"]`)
  if (place instanceof HTMLElement) {
    place.replaceChildren(...prose(text))
    place.hidden = text === ''
  }
  if (text) control?.setAttribute('aria-invalid', 'true')
  else control?.removeAttribute('aria-invalid')
}

/** @param {HTMLElement} root @param {Editor} editor @param {AbortSignal} signal */
function bindEdits(root, editor, signal) {
  root.addEventListener('input', (event) => {
    const control = event.target
    if (!(control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement || control instanceof HTMLSelectElement)) return
    const { pointer, kind } = control.dataset
    if (pointer === undefined || kind === undefined) return
    edit(pointer, kind, control instanceof HTMLInputElement && control.type === 'checkbox' ? String(control.checked) : control.value)
  }, { signal })
  root.addEventListener('json-code:input', (event) => {
    const { dataset } = /** @type {HTMLElement} */ (event.target)
    if (dataset['pointer'] !== undefined) edit(dataset['pointer'], dataset['kind'] ?? 'string', /** @type {CustomEvent} */ (event).detail.text)
  }, { signal })
  on(root, 'click', '[data-action]', (_event, button) => act(editor, button), signal)
  on(root, 'change', '[data-action-change]', (_event, control) => {
    if (!(control instanceof HTMLInputElement || control instanceof HTMLSelectElement)) return
    const pointer = control.dataset['pointer'] ?? ''
    if (control.dataset['actionChange'] === 'rename-key') editor.run(renameEntry(pointer, control.value))
    else editor.run({ ...setValue(pointer, JSON.parse(control.value)), key: '' })
  }, signal)

  /** @param {string} pointer @param {string} kind @param {string} text */
  function edit(pointer, kind, text) {
    const result = readValue(kind, text)
    setError(root, pointer, 'problem' in result ? result.problem : '')
    if ('problem' in result) return
    const owner = ownerOf(pointer)
    const isName = pointer === join(owner, 'config', 'name') && isComponent(get(editor.root, owner)) && typeof result.value === 'string'
    editor.run(isName ? renameAgent(owner, String(result.value)) : setValue(pointer, result.value), ORIGIN)
  }
}

/** @param {Editor} editor @param {HTMLElement} button */
function act(editor, button) {
  const pointer = button.dataset['pointer'] ?? ''
  const json = button.dataset['json']
  const here = get(editor.root, pointer)
  switch (button.dataset['action']) {
    case 'select': return editor.select(pointer)
    case 'pick': return void fillSlot(editor, pointer)
    case 'set': return void editor.run({ ...setValue(pointer, JSON.parse(json ?? 'null')), key: '', label: `Reset ${last(pointer)}` })
    case 'add': return void editor.run({ ...setValue(pointer, [...(Array.isArray(here) ? here : []), JSON.parse(json ?? 'null')]), key: '', label: `Add to ${last(pointer)}` })
    case 'add-key': return void editor.run({ ...setValue(pointer, { ...here, [freeName('key', Object.keys(here ?? {}))]: JSON.parse(json ?? 'null') }), key: '' })
    case 'remove': {
      const selection = editor.selection
      if (isComponent(here)) removeSelected(editor, pointer)
      else editor.run({ ...removeAt(pointer, `entry of ${last(parent(pointer))}`), select: selection })
      return editor.select(selection, { quiet: true })
    }
    default:
  }
}
