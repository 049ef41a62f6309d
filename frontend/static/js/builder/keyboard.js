// @ts-check
import { bindShortcuts, keysLabel } from '../core/shortcuts.js'
import { el } from '../core/dom.js'
import { ask } from '../core/dialog.js'
import { addToSelection, copySelected, duplicateSelected, paste, removeSelected, shift } from './actions.js'
import { ownerOf } from './document/commands.js'
import { neighbour } from './canvas/geometry.js'

/**
 * @typedef {import('./editor.js').Editor} Editor
 * @typedef {import('./canvas/canvas.js').Canvas} Canvas
 * @typedef {import('./save.js').Saver} Saver
 * @typedef {import('../core/shortcuts.js').Shortcut} Shortcut
 */

/** Keys of the whole page, and those of the canvas. @param {Editor} editor @param {Canvas} canvas @param {Saver} saver @param {() => void} search @param {AbortSignal} signal */
export function keyboard(editor, canvas, saver, search, signal) {
  /** @type {Shortcut[]} */
  const page = [
    { keys: 'mod+s', label: 'Save', inFields: true, run: () => void saver.save() },
    { keys: 'mod+z', label: 'Undo', run: () => editor.undo() },
    { keys: 'mod+shift+z', label: 'Redo', run: () => editor.redo() },
    { keys: 'mod+y', label: 'Redo', run: () => editor.redo() },
    { keys: '/', label: 'Search the palette', run: search },
    { keys: '?', label: 'Show all keys', run: () => void showKeys([...page, ...onCanvas]) },
  ]
  const go = (/** @type {'left' | 'right' | 'up' | 'down'} */ direction) => () => walk(editor, canvas, direction)
  /** @type {Shortcut[]} */
  const onCanvas = [
    { keys: 'arrowleft', label: 'Go to the card on the left', run: go('left') },
    { keys: 'arrowright', label: 'Go to the card on the right', run: go('right') },
    { keys: 'arrowup', label: 'Go to the card above', run: go('up') },
    { keys: 'arrowdown', label: 'Go to the card below', run: go('down') },
    { keys: 'alt+arrowleft', label: 'Move earlier', run: () => shift(editor, -1) },
    { keys: 'alt+arrowup', label: 'Move earlier', run: () => shift(editor, -1) },
    { keys: 'alt+arrowright', label: 'Move later', run: () => shift(editor, 1) },
    { keys: 'alt+arrowdown', label: 'Move later', run: () => shift(editor, 1) },
    { keys: 'enter', label: 'Edit, or open a nested team', run: (event) => enter(editor, event) },
    { keys: 'escape', label: 'Select what is around', run: () => editor.select(ownerOf(editor.selection)) },
    { keys: 'a', label: 'Add something here', run: () => void addToSelection(editor) },
    { keys: 'delete', label: 'Remove', run: () => removeSelected(editor) },
    { keys: 'backspace', label: 'Remove', run: () => removeSelected(editor) },
    { keys: 'mod+d', label: 'Duplicate', run: () => duplicateSelected(editor) },
    { keys: 'mod+c', label: 'Copy', run: () => (String(getSelection()) === '' ? void copySelected(editor) : false) },
    { keys: 'mod+v', label: 'Paste', run: () => void paste(editor) },
    { keys: '+', label: 'Zoom in', run: () => canvas.viewport.zoomBy(1.2) },
    { keys: '-', label: 'Zoom out', run: () => canvas.viewport.zoomBy(1 / 1.2) },
    { keys: '0', label: 'Fit the team', run: () => canvas.fit() },
  ]
  bindShortcuts(canvas.root, onCanvas, signal)
  bindShortcuts(document, page, signal)
}

/** @param {Editor} editor @param {Canvas} canvas @param {'left' | 'right' | 'up' | 'down'} direction */
function walk(editor, canvas, direction) {
  const cards = canvas.scene?.cards ?? []
  const here = cards.findIndex((card) => card.pointer === canvas.cardOf(editor.selection))
  const next = neighbour(canvas.boxes, here, direction)
  const card = cards[next]
  const box = canvas.boxes[next]
  if (!card || !box) return
  editor.select(card.pointer)
  canvas.viewport.reveal(box)
  const node = canvas.root.querySelector(`[data-card="${CSS.escape(card.pointer)}"]`)
  if (node instanceof HTMLElement) node.focus({ preventScroll: true })
}

/** @param {Editor} editor @param {KeyboardEvent} event @returns {false | void} */
function enter(editor, event) {
  const target = event.target instanceof Element ? event.target : null
  if (target?.matches('button, a')) return false
  const component = editor.at(editor.selection)
  if (component && editor.selection !== editor.view && editor.catalogue.kindOf(component) === 'team') return editor.open(editor.selection)
  editor.select(editor.selection, { reveal: `${editor.selection}/config/name` })
}

/** @param {Shortcut[]} shortcuts */
function showKeys(shortcuts) {
  const labels = [...new Set(shortcuts.map((each) => each.label))]
  const keysOf = (/** @type {string} */ label) => shortcuts.filter((each) => each.label === label).flatMap((each) => [' ', el('kbd', {}, keysLabel(each.keys))])
  const rows = labels.map((label) => el('tr', {}, el('td', {}, label), el('td', { class: 'end' }, ...keysOf(label))))
  return ask({ title: 'Keys', body: el('table', { class: 'table' }, el('tbody', {}, ...rows)), choices: [{ value: '', label: 'Close' }] })
}
