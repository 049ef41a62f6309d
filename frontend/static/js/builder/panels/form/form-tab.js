// @ts-check
// The form of the selection: HTML from the server, edits into the document.
import { api } from '../../../core/api.js'
import { debounce, on } from '../../../core/dom.js'
import { get } from '../../../core/pointer.js'
import { recordTypedCode, trustsTypedCode } from '../../../core/typed-code.js'
import { haveSameType } from '../../document/shared-fields.js'
import { ownerOf } from '../../document/commands.js'
import { stepped } from '../../document/values.js'
import { runFieldAction, reshape } from './field-actions.js'
import { bindEntries } from './entries.js'
import { focusField, Form, ORIGIN, rangeOf } from './form.js'
import { showImportFindings } from './import-findings.js'
import { labelParts } from './part-labels.js'
import { multiEditForm, selectionSummary } from './multi-edit.js'
import { bindTypeSwitch } from './type-switch.js'

/** @typedef {import('../../editor.js').Editor} Editor */

const AFTER_TYPING_MS = 450

/**
 * @param {HTMLElement} root
 * @param {Editor} editor
 * @param {AbortSignal} signal
 * @param {import('./form.js').Draw} [draw]  asks for the HTML, where it is not the form of a
 *   component
 */
export function formTab(root, editor, signal, draw = drawForm) {
  const form = new Form(root, editor, draw)
  const soon = debounce(() => void form.load(), 90)
  const later = debounce(() => void form.load(), AFTER_TYPING_MS)
  form.again = soon

  editor.addEventListener(
    'select',
    (event) => {
      const { reveal, changed } = /** @type {CustomEvent} */ (event).detail
      form.revealed = reveal ?? ''
      if (changed) form.leave()
      else if (focusField(root, form.revealed)) form.revealed = ''
      else soon()
    },
    { signal },
  )
  editor.addEventListener(
    'doc',
    (event) => {
      const { origin, key, placeNow } = /** @type {CustomEvent} */ (event).detail
      form.moveAlong(placeNow)
      showImportFindings(root, editor)
      if (origin === ORIGIN && key) later()
      else soon()
    },
    { signal },
  )
  editor.addEventListener(
    'report',
    (event) => {
      form.showErrors()
      if (!form.showsErrorsOf(editor.report)) soon()
      if (/** @type {CustomEvent} */ (event).detail.hasNewWords) labelParts(root, editor)
    },
    { signal },
  )
  bindEdits(form, signal)
  bindEntries(root, editor, form, signal)
  bindTypeSwitch(root, editor, signal)
  void form.load()
}

/**
 * @param {Editor} editor
 * @param {AbortSignal} signal
 * @returns {Promise<string>}
 */
function drawForm(editor, signal) {
  const isAlike = haveSameType(editor.root, editor.selected)
  if (editor.selected.length > 1 && !isAlike) return Promise.resolve(selectionSummary(editor))
  const html = api.html(
    '/fragments/form',
    { component: editor.root, pointer: editor.selection, errors: editor.report.errors },
    { signal },
  )
  return isAlike ? html.then((form) => multiEditForm(editor, form)) : html
}

/**
 * What the field holds in a new component.
 * @param {Editor} editor
 * @param {string} pointer
 */
function beginningAt(editor, pointer) {
  const owner = ownerOf(pointer)
  const component = editor.at(owner)
  return String(
    get(component && editor.catalogue.entry(component)?.template, pointer.slice(owner.length)) ??
      '',
  )
}

/**
 * @param {Form} form
 * @param {AbortSignal} signal
 */
function bindEdits(form, signal) {
  const { root, editor } = form
  root.addEventListener(
    'input',
    (event) => {
      const control = event.target
      if (
        !(
          control instanceof HTMLInputElement ||
          control instanceof HTMLTextAreaElement ||
          control instanceof HTMLSelectElement
        )
      )
        return
      const { pointer, kind } = control.dataset
      if (pointer === undefined || kind === undefined) return
      form.edit(
        pointer,
        kind,
        control instanceof HTMLInputElement && control.type === 'checkbox'
          ? String(control.checked)
          : control.value,
        control,
      )
    },
    { signal },
  )
  root.addEventListener(
    'json-code:input',
    (event) => {
      const code = /** @type {HTMLElement} */ (event.target)
      const { pointer, kind } = code.dataset
      const { text, isTyped } = /** @type {CustomEvent} */ (event).detail
      if (pointer !== undefined && isTyped && trustsTypedCode())
        recordTypedCode(String(get(editor.root, pointer) ?? ''), text, beginningAt(editor, pointer))
      if (pointer !== undefined) form.edit(pointer, kind ?? 'string', text, code)
    },
    { signal },
  )
  on(
    root,
    'keydown',
    '[role=spinbutton]',
    (event, control) => {
      const by = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[
        /** @type {KeyboardEvent} */ (event).key
      ]
      if (
        by === undefined ||
        event.altKey ||
        !(control instanceof HTMLInputElement) ||
        control.readOnly
      )
        return
      event.preventDefault()
      control.value = stepped(control.value, by, rangeOf(control))
      control.dispatchEvent(new Event('input', { bubbles: true }))
    },
    signal,
  )
  on(root, 'click', '[data-action]', (_event, button) => runFieldAction(form, button), signal)
  on(
    root,
    'change',
    '[data-variant]',
    (_event, select) => reshape(form, /** @type {HTMLSelectElement} */ (select)),
    signal,
  )
}
