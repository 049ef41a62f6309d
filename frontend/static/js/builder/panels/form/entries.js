// @ts-check
// The entries of lists and maps in a form: add, remove, name anew, and move, by pointer and by
// keys.
import { on } from '../../../core/dom.js'
import { explainDisabled } from '../../../core/keyboard.js'
import { get, join, last, parent } from '../../../core/pointer.js'
import { addEntry, removeAt, renameEntry, reorder } from '../../document/commands.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {{ focusNext: (selectors: string[]) => void, say: (pointer: string, problem: string) =>
 *   void, run: (command: import('../../document/commands.js').Command) => unknown }} Form
 *   `focusNext`: the first of
 *   these that is there once the form shows the change
 */

/**
 * @param {string} name
 * @param {string} pointer
 */
export const at = (name, pointer) => `[${name}="${CSS.escape(pointer)}"]`

/**
 * @param {HTMLElement} root
 * @param {Editor} editor
 * @param {Form} form
 * @param {AbortSignal} signal
 */
export function bindEntries(root, editor, form, signal) {
  on(
    root,
    'change',
    '[data-rename-key]',
    (_event, input) => rename(editor, form, /** @type {HTMLInputElement} */ (input)),
    signal,
  )
  on(
    root,
    'keydown',
    '[data-grip]',
    (event, grip) => {
      const by = { ArrowUp: -1, ArrowDown: 1 }[/** @type {KeyboardEvent} */ (event).key]
      if (by === undefined) return
      event.preventDefault()
      const pointer = grip.dataset['pointer'] ?? ''
      moveEntry(editor, form, pointer, Number(last(pointer)) + by)
    },
    signal,
  )
  on(
    root,
    'keydown',
    '.form-entry > .grow > input[data-pointer]',
    (event, input) => typeThrough(form, event, /** @type {HTMLInputElement} */ (input)),
    signal,
  )
  on(
    root,
    'pointerdown',
    '[data-grip]',
    (event, grip) => {
      if (event.button === 0) dragEntry(editor, form, grip, event)
    },
    signal,
  )
}

/**
 * The same change, with the selection left as it is.
 * @param {import('../../document/commands.js').Command} command
 */
const staying = ({ label, apply }) => ({ label, apply })

/**
 * @param {Editor} editor
 * @param {Form} form
 * @param {string} pointer
 * @param {number} to
 */
function moveEntry(editor, form, pointer, to) {
  const list = get(editor.root, parent(pointer))
  if (!Array.isArray(list) || to < 0 || to >= list.length)
    return explainDisabled(to < 0 ? 'Already first.' : 'Already last.')
  form.focusNext([`[data-grip]${at('data-pointer', join(parent(pointer), to))}`])
  form.run(staying(reorder(pointer, to)))
}

/**
 * @param {Form} form
 * @param {string} pointer
 */
export function removeEntry(form, pointer) {
  const list = parent(pointer)
  const before = Number(last(pointer)) - 1
  form.focusNext([
    `${at('data-entry', pointer)} > :is(.button, .form-slot-actions > .button:last-child)`,
    `${at('data-entry', join(list, before))} > :is(.button, .form-slot-actions > .button:last-child)`,
    `.form-slot-add${at('data-pointer', list)}`,
  ])
  form.run(staying(removeAt(pointer, `entry of ${last(list).replaceAll('_', ' ')}`)))
}

/**
 * Enter begins the next entry, Backspace in an empty one takes it away.
 * @param {Form} form
 * @param {KeyboardEvent} event
 * @param {HTMLInputElement} input
 */
function typeThrough(form, event, input) {
  const pointer = input.dataset['pointer'] ?? ''
  const list = parent(pointer)
  const adder = input
    .closest('.component-form')
    ?.querySelector(`.form-slot-add[data-action="add"]${at('data-pointer', list)}`)
  if (!(adder instanceof HTMLElement)) return
  if (event.key === 'Enter' && !event.isComposing) {
    event.preventDefault()
    const index = Number(last(pointer)) + 1
    form.focusNext([`input${at('data-pointer', join(list, index))}`])
    form.run(addEntry(list, JSON.parse(adder.dataset['json'] ?? 'null'), index))
  } else if (event.key === 'Backspace' && input.value === '') {
    event.preventDefault()
    removeEntry(form, pointer)
    form.focusNext([
      `input${at('data-pointer', join(list, Math.max(0, Number(last(pointer)) - 1)))}`,
      `.form-slot-add${at('data-pointer', list)}`,
    ])
  }
}

/**
 * @param {Editor} editor
 * @param {Form} form
 * @param {HTMLInputElement} input
 */
function rename(editor, form, input) {
  const pointer = input.dataset['pointer'] ?? ''
  const names = Object.keys(get(editor.root, parent(pointer)) ?? {})
  const name = input.value.trim()
  if (name === last(pointer)) return
  if (name === '' || names.includes(name)) {
    input.value = last(pointer)
    return form.say(
      pointer,
      name === '' ? 'An entry needs a name.' : `There is already an entry named ${name}.`,
    )
  }
  form.focusNext([`[data-rename-key]${at('data-pointer', join(parent(pointer), name))}`])
  form.run(staying(renameEntry(pointer, name)))
}

/**
 * Drag an entry among its neighbours; Escape leaves all as it was.
 * @param {Editor} editor
 * @param {Form} form
 * @param {HTMLElement} grip
 * @param {PointerEvent} down
 */
function dragEntry(editor, form, grip, down) {
  const entry = grip.closest('[data-entry]')
  const rows = [...(entry?.parentElement?.children ?? [])].filter(
    (row) => row instanceof HTMLElement && row.dataset['entry'] !== undefined,
  )
  const from = entry ? rows.indexOf(entry) : -1
  if (from < 0) return
  const ended = new AbortController()
  let to = from
  grip.setPointerCapture(down.pointerId)
  const finish = () => {
    ended.abort()
    for (const row of rows) row.removeAttribute('data-drop-position')
    entry?.removeAttribute('data-dragged')
  }
  const show = (/** @type {PointerEvent} */ event) => {
    const above = rows.filter((row) => row !== entry && middle(row) < event.clientY).length
    to = above
    entry?.setAttribute('data-dragged', '')
    rows.forEach((row, index) => {
      const isLanding = to !== from && index === to
      if (isLanding) row.setAttribute('data-drop-position', to < from ? 'before' : 'after')
      else row.removeAttribute('data-drop-position')
    })
  }
  grip.addEventListener('pointermove', show, { signal: ended.signal })
  grip.addEventListener(
    'pointerup',
    () => {
      finish()
      if (to !== from) moveEntry(editor, form, grip.dataset['pointer'] ?? '', to)
    },
    { signal: ended.signal },
  )
  grip.addEventListener('pointercancel', finish, { signal: ended.signal })
  document.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      event.stopPropagation()
      finish()
    },
    { signal: ended.signal, capture: true },
  )
}

/** @param {Element} row */
function middle(row) {
  const { top, height } = row.getBoundingClientRect()
  return top + height / 2
}
