// @ts-check
import { el, icon, on } from '../../core/dom.js'
import { addToSelection } from '../actions.js'
import { kindIcon } from '../canvas/draw/cards.js'
import { markImportedRow } from '../canvas/draw/import-marks.js'
import { findingsByPlace, markBadge } from '../canvas/draw/marks.js'
import { markMocked } from '../canvas/draw/mock-marks.js'
import { treeRows } from '../document/tree.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../document/tree.js').Row} Row
 */

/**
 * The team as a tree: the same document and selection as the canvas, for keyboard, screen reader
 * and small screen. What can be done to a row are the actions of the canvas; only the keys that
 * move in a tree are its own.
 * @param {HTMLElement} root
 * @param {Editor} editor
 * @param {AbortSignal} signal
 * @returns {{ focus: (pointer?: string) => boolean }}
 */
export function outline(root, editor, signal) {
  /** @type {Set<string>} */
  const folded = new Set()
  /**
   * Rows as drawn; one is made anew only when it says something else.
   * @type {Map<string, { key: string, node: HTMLElement }>}
   */
  let drawn = new Map()
  let isStale = false
  let isToggling = false
  root.setAttribute('aria-multiselectable', 'true')
  root.setAttribute('data-keeps-focus', '')

  const rows = () => /** @type {HTMLElement[]} */ ([...root.children])
  const draw = () => {
    isStale = root.closest('[hidden]') !== null
    if (isStale) return
    drawn = redrawn(rowsOf(editor, folded), drawn)
    const nodes = [...drawn.values()].map((each) => each.node)
    if (
      nodes.length !== root.children.length ||
      nodes.some((node, index) => node !== root.children[index])
    )
      root.replaceChildren(...nodes)
    mark()
  }
  const mark = () => {
    const current = rowOf(editor.selection)
    const { within } = findingsByPlace(editor)
    for (const row of rows()) {
      row.setAttribute('aria-selected', String(editor.selected.includes(pointerOf(row))))
      row.tabIndex = row === current ? 0 : -1
      markBadge(
        /** @type {HTMLElement} */ (row.querySelector('.badge')),
        within.get(pointerOf(row)),
      )
      markMocked(row, editor)
      markImportedRow(row, editor)
    }
  }
  /**
   * The row of a part; that of what holds it, when it has none or is folded away.
   * @param {string} pointer
   * @returns {HTMLElement | undefined}
   */
  const rowOf = (pointer) =>
    drawn.get(pointer)?.node ?? rows().findLast((row) => pointer.startsWith(`${pointerOf(row)}/`))
  const focus = (pointer = editor.selection) => {
    if (isStale || !root.checkVisibility()) return false
    rowOf(pointer)?.focus({ preventScroll: true })
    rowOf(pointer)?.scrollIntoView({ block: 'nearest' })
    return true
  }

  editor.addEventListener('doc', draw, { signal })
  editor.addEventListener(
    'select',
    () => {
      const isHere = root.contains(document.activeElement)
      mark()
      if (isHere && editor.selected.length === 1 && !isToggling) focus()
    },
    { signal },
  )
  editor.addEventListener(
    'report',
    (event) => (/** @type {CustomEvent} */ (event).detail.hasNewWords ? draw() : mark()),
    { signal },
  )
  root.addEventListener(
    'focus:lost',
    (event) => {
      event.preventDefault()
      focus()
    },
    { signal },
  )
  on(
    root,
    'click',
    '.tree-row',
    (event, row) => {
      const pointer = pointerOf(row)
      if (event.target.closest('.tree-toggle[data-icon]')) return toggle(pointer)
      if (event.shiftKey) selectTo(row)
      else if (event.ctrlKey || event.metaKey) add(pointer)
      else editor.select(pointer)
      if (event.target.closest('[data-add]')) void addToSelection(editor, pointer)
    },
    signal,
  )
  root.addEventListener(
    'keydown',
    (event) => {
      const row = event.target instanceof HTMLElement ? event.target.closest('.tree-row') : null
      if (!(row instanceof HTMLElement)) return
      // Keys are about the row that has the focus, however it came there.
      if (editor.selected.length === 1 && pointerOf(row) !== editor.selection)
        editor.select(pointerOf(row))
      if (press(event, row)) event.preventDefault()
    },
    { signal },
  )
  root.closest('[role=tabpanel]')?.addEventListener(
    'tab:show',
    () =>
      queueMicrotask(() => {
        if (isStale) draw()
      }),
    { signal },
  )
  draw()
  return { focus }

  /**
   * @param {string} pointer
   * @param {boolean} [fold]
   */
  function toggle(pointer, fold = !folded.has(pointer)) {
    folded[fold ? 'add' : 'delete'](pointer)
    draw()
    focus(pointer)
  }

  /**
   * To the selection, or out of it; the focus stays.
   * @param {string} pointer
   */
  function add(pointer) {
    isToggling = true
    editor.select(pointer, { add: true })
    isToggling = false
  }

  /**
   * From where the selection began to this row, its level only.
   * @param {HTMLElement | undefined} row
   */
  function selectTo(row) {
    if (!row) return
    const shown = rows()
    const from = shown.findIndex((each) => pointerOf(each) === editor.selected[0])
    const to = shown.indexOf(row)
    const range =
      from < to ? shown.slice(Math.max(0, from), to + 1) : shown.slice(to, from + 1).reverse()
    editor.selectAll(
      range.filter((each) => each.ariaLevel === (shown[from] ?? row).ariaLevel).map(pointerOf),
    )
    row.focus({ preventScroll: true })
  }

  /**
   * @param {KeyboardEvent} event
   * @param {HTMLElement} row
   * @returns {boolean} whether the key moved in the tree
   */
  function press(event, row) {
    const pointer = pointerOf(row)
    const shown = rows()
    const here = shown.indexOf(row)
    const go = (/** @type {HTMLElement | undefined} */ next) => {
      if (!next) return
      editor.select(pointerOf(next))
      focus(pointerOf(next))
    }
    const around = () =>
      shown.findLast(
        (each, index) => index < here && Number(each.ariaLevel) < Number(row.ariaLevel),
      )
    const level = shown.filter((each) => each.ariaLevel === row.ariaLevel)
    const beside = (/** @type {1 | -1} */ by) => level[level.indexOf(row) + by]
    const key = [
      event.ctrlKey || event.metaKey ? 'Ctrl+' : '',
      event.altKey ? 'Alt+' : '',
      event.shiftKey ? 'Shift+' : '',
      event.key,
    ].join('')
    /** @type {Record<string, () => unknown>} */
    const keys = {
      ArrowDown: () => go(shown[here + 1]),
      ArrowUp: () => go(shown[here - 1]),
      Home: () => go(shown[0]),
      End: () => go(shown.at(-1)),
      ArrowRight: () =>
        row.ariaExpanded === 'false'
          ? toggle(pointer, false)
          : row.ariaExpanded && go(shown[here + 1]),
      ArrowLeft: () => (row.ariaExpanded === 'true' ? toggle(pointer, true) : go(around())),
      'Shift+ArrowDown': () => selectTo(beside(1)),
      'Shift+ArrowUp': () => selectTo(beside(-1)),
      ' ': () => editor.select(pointer),
      'Ctrl+ ': () => add(pointer),
    }
    keys[key]?.()
    return keys[key] !== undefined
  }
}

/**
 * @param {Editor} editor
 * @param {Set<string>} folded
 */
function rowsOf(editor, folded) {
  return treeRows({
    catalogue: editor.catalogue,
    root: editor.root,
    folded,
    wordsAt: (pointer) => editor.titleAt(pointer),
  })
}

/**
 * @param {Row[]} rows
 * @param {Map<string, { key: string, node: HTMLElement }>} before
 */
function redrawn(rows, before) {
  return new Map(
    rows.map((row) => {
      const key = JSON.stringify(row)
      const known = before.get(row.pointer)
      return [row.pointer, known?.key === key ? known : { key, node: rowNode(row) }]
    }),
  )
}

/** @param {HTMLElement} row */
function pointerOf(row) {
  return row.dataset['component'] ?? ''
}

/** @param {Row} row */
function rowNode({
  pointer,
  label,
  type,
  spoken,
  kind,
  isConnection,
  canAdd,
  level,
  place,
  count,
  isOpen,
}) {
  const twist =
    isOpen === null
      ? el('span', { class: 'icon' })
      : icon(isOpen ? 'chevron-down' : 'chevron-right')
  twist.classList.add('tree-toggle')
  const node = el(
    'div',
    {
      class: 'tree-row',
      role: 'treeitem',
      'data-component': pointer,
      'data-kind': kind,
      'data-level': level,
      'data-connection': isConnection,
      tabindex: '-1',
      'data-drag': isConnection ? null : pointer || null,
      'aria-level': level,
      'aria-posinset': place,
      'aria-setsize': count,
      'aria-expanded': isOpen === null ? null : String(isOpen),
      'aria-label': spoken,
      'data-spoken': spoken,
    },
    twist,
    isConnection ? icon('arrow-right') : kindIcon(kind),
    el('span', { class: 'truncate tree-name' }, label),
    type && el('span', { class: 'tree-type truncate' }, type),
    el('span', { class: 'badge', 'data-state': 'error', hidden: true }),
    el('span', { class: 'import-mark', hidden: true }),
    canAdd &&
      el(
        'button',
        {
          type: 'button',
          class: 'tree-action',
          'data-add': true,
          tabindex: '-1',
          'aria-label': `Add to ${label}`,
          title: 'Add (A)',
        },
        icon('plus'),
      ),
    el(
      'button',
      {
        type: 'button',
        class: 'tree-action',
        'data-menu': true,
        tabindex: '-1',
        'aria-haspopup': 'menu',
        'aria-label': `Actions for ${label}`,
        title: 'More (Shift+F10)',
      },
      icon('ellipsis'),
    ),
  )
  node.style.setProperty('--level', String(level))
  return node
}
