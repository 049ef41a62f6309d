// @ts-check
// Notes on the canvas, and groups of cards.
import { ask } from '../../core/dialog.js'
import { el } from '../../core/dom.js'
import { notifyChanged } from '../actions.js'
import { addNote, groupParts, groupsIn, MAX_NAME, removeGroup } from '../document/annotations.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../canvas/canvas.js').Canvas} Canvas
 * @typedef {import('../canvas/draw/annotations.js').Annotations} Annotations
 * @typedef {import('../../core/actions.js').Action} Action
 */

/** Beside what it is about: right of the cards, each a little below the last. */
const GAP_PX = 40
const STEP_PX = 30

/**
 * @param {Editor} editor
 * @param {Canvas} canvas
 * @param {Annotations} annotations
 * @returns {Action[]}
 */
export function annotationActions(editor, canvas, annotations) {
  const chosen = () =>
    canvas.selectedCards().map((index) => canvas.scene?.cards[index]?.pointer ?? '')
  const around = () =>
    groupsIn(editor.doc, canvas.scene?.memberSlot ?? '').find(
      ({ pointers }) => chosen().length > 0 && chosen().every((each) => pointers.includes(each)),
    )
  /** @type {Omit<Action, 'group' | 'scope'>[]} */
  const list = [
    {
      id: 'add-note',
      label: 'Add note',
      icon: 'scroll-text',
      keys: ['n'],
      menu: true,
      run: () => {
        const id = crypto.randomUUID().slice(0, 8)
        if (
          editor.run(
            addNote(editor.root, editor.view, freePositionFor(canvas, annotations.count), id),
          )
        )
          void annotations.write(id)
      },
    },
    {
      id: 'go-note',
      label: 'Go to next note',
      icon: 'chevron-right',
      keys: ['shift+n'],
      needs: 'viewer',
      when: () => (annotations.count > 0 ? true : 'This canvas has no notes.'),
      run: () => annotations.focusNext(),
    },
    {
      id: 'group-cards',
      label: 'Group or rename group…',
      icon: 'layout-grid',
      keys: ['mod+g'],
      menu: true,
      when: () => (chosen().length > 0 ? true : 'Select the cards to group.'),
      run: () => void askForGroup(editor, chosen, around()),
    },
    {
      id: 'ungroup-cards',
      label: 'Remove group',
      icon: 'x',
      keys: ['mod+shift+g'],
      menu: true,
      when: () => (around() ? true : 'The selection is not in a group.'),
      run: () => {
        const group = around()
        if (group) editor.run(removeGroup(group.id))
      },
    },
  ]
  return list.map((each) => ({ needs: 'editor', ...each, group: 'Notes', scope: 'canvas' }))
}

/**
 * @param {Canvas} canvas
 * @param {number} count  of notes that are there
 */
function freePositionFor(canvas, count) {
  return { x: canvas.content.width - canvas.inset.x + GAP_PX, y: count * STEP_PX }
}

/**
 * @param {Editor} editor
 * @param {() => string[]} chosen
 * @param {{ id: string, name: string, pointers: string[] } | undefined} group  that the selection
 *   is in
 */
async function askForGroup(editor, chosen, group) {
  const name = el('input', {
    class: 'input',
    id: 'group-name',
    maxlength: MAX_NAME,
    autocomplete: 'off',
  })
  name.value = group?.name ?? ''
  const body = el(
    'div',
    { class: 'stack' },
    el('label', { class: 'field-label', for: 'group-name' }, 'Name'),
    name,
  )
  const parts = group?.pointers ?? chosen()
  const now = parts.map((pointer) => editor.keepPlace(pointer))
  const asking = ask({
    title: group
      ? 'Rename group'
      : `Group ${parts.length === 1 ? editor.titleAt(parts[0] ?? '') : `${parts.length} cards`}`,
    body,
    choices: [
      { value: '', label: 'Cancel' },
      { value: 'group', label: group ? 'Rename' : 'Group', tone: 'primary' },
    ],
  })
  name.focus()
  if ((await asking) !== 'group') return
  const pointers = now.flatMap((placeNow) => placeNow() ?? [])
  if (pointers.length === 0) return notifyChanged()
  editor.run(
    groupParts(
      editor.root,
      pointers,
      name.value.trim() || 'Group',
      group?.id ?? crypto.randomUUID().slice(0, 8),
    ),
  )
}
