// @ts-check
import { el, icon, on } from '../../core/dom.js'
import { join, last } from '../../core/pointer.js'
import { addToSelection, duplicateSelected, removeSelected, shift } from '../actions.js'
import { kindIcon } from '../canvas/cards.js'
import { typeLabel } from '../document/catalogue.js'
import { conditionText } from '../canvas/scene.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../document/catalogue.js').Component} Component
 */

/** The team as a tree: the same document and selection as the canvas, for keyboard, screen reader and small screen. @param {HTMLElement} root @param {Editor} editor @param {AbortSignal} signal */
export function outline(root, editor, signal) {
  /** @type {Set<string>} */
  const folded = new Set()
  let isStale = false
  const draw = () => {
    isStale = root.closest('[hidden]') !== null
    if (isStale) return
    const hadFocus = root.contains(document.activeElement)
    root.replaceChildren(...branch(editor, editor.root, '', '', 1, folded))
    mark()
    if (hadFocus) focusRow(editor.selection)
  }
  const mark = () => {
    for (const row of rows()) {
      const isSelected = row.dataset['component'] === editor.selection
      row.setAttribute('aria-selected', String(isSelected))
      row.tabIndex = isSelected ? 0 : -1
      const count = editor.errorsWithin(row.dataset['component'] ?? '').length
      const badge = /** @type {HTMLElement} */ (row.querySelector('.badge'))
      badge.hidden = count === 0
      badge.textContent = String(count)
    }
  }
  const rows = () => /** @type {HTMLElement[]} */ ([...root.querySelectorAll('.tree-row')])
  const focusRow = (/** @type {string} */ pointer) => rows().find((row) => row.dataset['component'] === pointer)?.focus()

  editor.addEventListener('doc', draw, { signal })
  editor.addEventListener('select', mark, { signal })
  editor.addEventListener('report', (event) => (/** @type {CustomEvent} */ (event).detail.hasNewWords ? draw() : mark()), { signal })
  on(root, 'click', '.tree-row', (event, row) => {
    const pointer = row.dataset['component'] ?? ''
    if (event.target.closest('.tree-twist')) toggle(pointer)
    else editor.select(pointer)
    if (event.target.closest('[data-add]')) void addToSelection(editor, pointer)
    if (event.target.closest('[data-remove]')) removeSelected(editor, pointer)
  }, signal)
  root.addEventListener('keydown', (event) => {
    const row = event.target instanceof HTMLElement ? event.target.closest('.tree-row') : null
    if (row instanceof HTMLElement && press(event, row)) {
      event.preventDefault()
      event.stopPropagation()
    }
  }, { signal })
  root.closest('[role=tabpanel]')?.addEventListener('tab:show', () => queueMicrotask(() => { if (isStale) draw() }), { signal })
  draw()

  /** @param {string} pointer @param {boolean} [fold] */
  function toggle(pointer, fold = !folded.has(pointer)) {
    folded[fold ? 'add' : 'delete'](pointer)
    draw()
    focusRow(pointer)
  }

  /** @param {KeyboardEvent} event @param {HTMLElement} row @returns {boolean} whether the key meant something */
  function press(event, row) {
    const pointer = row.dataset['component'] ?? ''
    const shown = rows()
    const go = (/** @type {HTMLElement | undefined} */ next) => {
      if (next) editor.select(next.dataset['component'] ?? '')
      if (next) focusRow(next.dataset['component'] ?? '')
      return true
    }
    const here = shown.indexOf(row)
    const key = `${event.altKey ? 'Alt+' : ''}${event.ctrlKey || event.metaKey ? 'Ctrl+' : ''}${event.key}`
    /** @type {Record<string, () => unknown>} */
    const keys = {
      ArrowDown: () => go(shown[here + 1]), ArrowUp: () => go(shown[here - 1]), Home: () => go(shown[0]), End: () => go(shown.at(-1)),
      ArrowRight: () => (row.getAttribute('aria-expanded') === 'false' ? toggle(pointer, false) : go(shown[here + 1])),
      ArrowLeft: () => (row.getAttribute('aria-expanded') === 'true' ? toggle(pointer, true) : go(shown.findLast((each, index) => index < here && pointer.startsWith(`${each.dataset['component']}/`)))),
      'Alt+ArrowUp': () => shift(editor, -1, pointer), 'Alt+ArrowDown': () => shift(editor, 1, pointer),
      Delete: () => removeSelected(editor, pointer), Backspace: () => removeSelected(editor, pointer), 'Ctrl+d': () => duplicateSelected(editor, pointer),
      a: () => void addToSelection(editor, pointer), Insert: () => void addToSelection(editor, pointer), Enter: () => editor.select(pointer, { reveal: join(pointer, 'config', 'name') }), ' ': () => editor.select(pointer),
    }
    keys[key]?.()
    return keys[key] !== undefined
  }
}

/** @param {Editor} editor @param {Component} component @param {string} pointer @param {string} role @param {number} level @param {Set<string>} folded @returns {HTMLElement[]} */
function branch(editor, component, pointer, role, level, folded) {
  const { catalogue } = editor
  const kind = catalogue.kindOf(component)
  const slots = catalogue.slotsOf(component)
  const children = slots.flatMap((slot) => catalogue.filling(component, pointer, slot).map((each) => ({ ...each, role: slot.many ? '' : slot.field })))
  const isOpen = !folded.has(pointer)
  const isCondition = kind === 'termination' && children.length === 0
  const title = isCondition ? editor.report.words[pointer] ?? conditionText(component) : editor.titleAt(pointer)
  const twist = children.length > 0 ? icon(isOpen ? 'chevron-down' : 'chevron-right') : el('span', { class: 'icon' })
  twist.classList.add('tree-twist')
  const row = el('div', {
    class: 'tree-row', role: 'treeitem', 'data-component': pointer, 'data-kind': kind, 'data-level': level, 'aria-level': level, tabindex: '-1', 'data-drag': pointer || null,
    'aria-expanded': children.length > 0 ? String(isOpen) : null, 'aria-label': [title, typeLabel(component.provider), role.replaceAll('_', ' ')].filter(Boolean).join(', '),
  }, twist, kindIcon(kind), el('span', { class: 'truncate tree-name' }, title), !isCondition && typeLabel(component.provider) !== title && el('span', { class: 'tree-type truncate' }, typeLabel(component.provider)),
  el('span', { class: 'badge', 'data-state': 'error', hidden: true }),
  slots.length > 0 && el('button', { type: 'button', class: 'tree-act', 'data-add': true, tabindex: '-1', 'aria-label': `Add to ${title}`, title: 'Add (A)' }, icon('plus')),
  pointer && el('button', { type: 'button', class: 'tree-act', 'data-remove': true, tabindex: '-1', 'aria-label': `Remove ${title}`, title: 'Remove (Del)' }, icon('x')))
  row.style.setProperty('--level', String(level))
  const inner = isOpen ? children.flatMap((child) => branch(editor, child.component, child.pointer, child.role || last(child.pointer), level + 1, folded)) : []
  return [row, ...inner]
}
