// @ts-check
import { get, last, parent } from '../../core/pointer.js'
import {
  addToSelection,
  duplicateSelected,
  saveToLibrary,
  moveSomewhere,
  removeSelected,
  shift,
} from '../actions.js'
import { ownerOf } from '../document/commands.js'
import { existingPart } from '../document/parts.js'
import { openingAt } from '../document/views.js'
import { moveTargets } from '../document/move-targets.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../../core/actions.js').Action} Action
 */

/** What changes nothing. */
const LOOKING = ['edit', 'open', 'copy', 'select-around']

/**
 * What is done to the selection.
 * @param {Editor} editor
 * @param {import('../clipboard.js').Clipboard} clipboard
 * @returns {Action[]}
 */
export function editActions(editor, clipboard) {
  const isMember = () => (editor.selection === '' ? 'The team itself cannot be removed.' : true)
  const isPart = () =>
    editor.at(editor.selection) ? true : 'Select a component; connections cannot be edited here.'
  const inList = () =>
    Array.isArray(get(editor.root, parent(editor.selection))) && editor.selection !== ''
      ? true
      : 'Only items in a list can be moved.'
  const elsewhere = () =>
    editor.selected.length > 1
      ? 'Select one component to move.'
      : moveTargets(editor.catalogue, editor.root, editor.selection).length > 0
        ? true
        : 'No other slot in this team accepts this component.'
  const nested = () =>
    openable(editor) !== undefined
      ? true
      : 'Only components that contain agents or teams can be opened.'
  /** @type {Omit<Action, 'group' | 'scope'>[]} */
  const list = [
    {
      id: 'edit',
      label: 'Edit',
      icon: 'pencil',
      keys: ['enter'],
      menu: true,
      run: (event) => enter(editor, event),
    },
    {
      id: 'open',
      label: 'Open contents',
      icon: 'log-in',
      keys: ['o'],
      menu: true,
      when: nested,
      run: () => editor.open(openable(editor) ?? editor.view),
    },
    {
      id: 'add',
      label: 'Add…',
      icon: 'plus',
      keys: ['a', 'insert'],
      menu: true,
      when: isPart,
      run: () => void addToSelection(editor),
    },
    {
      id: 'move-to',
      label: 'Move to…',
      icon: 'move',
      keys: ['m'],
      menu: true,
      when: elsewhere,
      run: () => void moveSomewhere(editor),
    },
    {
      id: 'move-earlier',
      label: 'Move earlier',
      icon: 'arrow-up',
      keys: ['alt+arrowleft', 'alt+arrowup'],
      menu: true,
      when: inList,
      run: () => shift(editor, -1),
    },
    {
      id: 'move-later',
      label: 'Move later',
      icon: 'arrow-down',
      keys: ['alt+arrowright', 'alt+arrowdown'],
      menu: true,
      when: inList,
      run: () => shift(editor, 1),
    },
    {
      id: 'duplicate',
      label: 'Duplicate',
      icon: 'copy',
      keys: ['mod+d'],
      menu: true,
      when: () =>
        isEntry(editor) && isPart() === true ? true : 'Only items in a list can be duplicated.',
      run: () => duplicateSelected(editor),
    },
    ...clipboard.actions(),
    {
      id: 'keep',
      label: 'Save to library',
      icon: 'star',
      menu: true,
      when: isPart,
      run: () => void saveToLibrary(editor),
    },
    {
      id: 'select-around',
      label: 'Select parent',
      icon: 'corner-left-up',
      keys: ['escape'],
      when: isMember,
      run: () => leaveTeam(editor),
    },
    {
      id: 'remove',
      label: 'Delete',
      icon: 'trash-2',
      keys: ['delete', 'backspace'],
      menu: true,
      isDanger: true,
      when: isMember,
      run: () => removeSelected(editor),
    },
  ]
  return list.map((each) => ({
    needs: LOOKING.includes(each.id) ? 'viewer' : 'editor',
    ...each,
    group: 'Edit',
    scope: 'canvas',
  }))
}

/** @param {Editor} editor */
function isEntry(editor) {
  return editor.selection !== '' && /^\d+$/.test(last(editor.selection))
}

/**
 * To what holds the selection; out of an open team, to its card.
 * @param {Editor} editor
 */
function leaveTeam(editor) {
  const inner = editor.selection
  if (inner !== editor.view) return editor.select(ownerOf(inner))
  editor.open(editor.trail().at(-2)?.pointer ?? '')
  editor.select(inner)
}

/**
 * What opening the selection shows: a nested team, the team that an agent thinks with, an agent
 * used as a tool.
 * @param {Editor} editor
 */
function openable(editor) {
  const opens = openingAt(editor.catalogue, editor.root, editor.selection)
  return opens === editor.view ? undefined : opens
}

/**
 * @param {Editor} editor
 * @param {Event} [event]
 * @returns {false | void}
 */
function enter(editor, event) {
  const target = event?.target instanceof Element ? event.target : null
  if (
    event instanceof KeyboardEvent &&
    target?.matches('button:not(.chip[data-component], .frame-name), a')
  )
    return false
  const opens = openable(editor)
  if (
    event instanceof KeyboardEvent &&
    opens !== undefined &&
    opens === editor.selection &&
    !target?.closest('[role=tree]')
  )
    return editor.open(opens)
  const part = editor.at(editor.selection) ? undefined : existingPart(editor.root, editor.selection)
  const field = part
    ? part.kind === 'handoff'
      ? 'target'
      : 'condition'
    : editor.selection !== '' && editor.at(editor.selection)?.config['name'] !== undefined
      ? 'config/name'
      : 'config'
  editor.select(editor.selection, { reveal: `${editor.selection}/${field}` })
}
