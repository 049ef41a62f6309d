// @ts-check
// What the frame shows besides its cards: title, sentence, slots of the team, and the box in place
// of a first member.
import { el, icon } from '../../../core/dom.js'
import { kindIcon, makeSlot } from './cards.js'
import { conditionSentence } from './condition.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {import('./scene.js').Scene} Scene
 */

/**
 * What comes of the agents that are put there.
 * @type {Record<import('./scene.js').Flow, string>}
 */
const WHO_SPEAKS = {
  order: 'Agents speak in turn, in this order.',
  hub: 'A model chooses which agent speaks next.',
  handoffs: 'Agents hand off to each other.',
  graph: 'Edges between agents set the order.',
}

/**
 * All that a drawing of the head depends on.
 * @param {Editor} editor
 * @param {Scene} scene
 */
export function headKey(editor, scene) {
  return JSON.stringify([
    scene.pointer,
    editor.titleAt(scene.pointer),
    scene.type,
    scene.kind,
    scene.conditionSlot,
    scene.condition,
    scene.slots,
  ])
}

/**
 * @param {HTMLElement} head
 * @param {Editor} editor
 * @param {Scene} scene
 */
export function drawHead(head, editor, scene) {
  const isRequired =
    editor.catalogue
      .slotsOf(scene.team)
      .find((slot) => scene.conditionSlot.endsWith(`/${slot.field}`))?.required ?? false
  const title = frameTitle(editor, scene)
  head.replaceChildren(
    el(
      'div',
      { class: 'frame-title' },
      el('span', { class: 'frame-kind', 'data-kind': scene.kind }, kindIcon(scene.kind)),
      el(
        'button',
        {
          type: 'button',
          class: 'frame-name truncate',
          'data-component': scene.pointer,
          tabindex: '-1',
          title,
        },
        title,
      ),
      scene.type.toLowerCase() !== title.toLowerCase() &&
        el('span', { class: 'muted small truncate' }, scene.type),
      el('span', {
        class: 'badge',
        'data-state': 'error',
        'data-problems-at': scene.pointer,
        hidden: true,
      }),
      el('span', { class: 'import-mark', 'data-imported-at': scene.pointer, hidden: true }),
    ),
    scene.conditionSlot || scene.condition
      ? conditionSentence(scene.condition, scene.conditionSlot, isRequired)
      : el('span'),
    el(
      'div',
      { class: 'frame-slots' },
      ...scene.slots.filter((slot) => slot.chips.length > 0 || slot.isRequired).map(makeSlot),
    ),
  )
}

/**
 * A tool without a name of its own is called as the one that does its work.
 * @param {Editor} editor
 * @param {Scene} scene
 */
function frameTitle(editor, scene) {
  const own = editor.titleAt(scene.pointer)
  const [only] = scene.cards
  return scene.kind === 'tool' && own === scene.type && only ? only.name : own
}

/**
 * The box that stands for the first member; node.css has its size.
 * @param {HTMLElement} frame
 * @param {Scene} scene
 * @param {number} left
 * @param {number} top
 */
export function drawEmpty(frame, scene, left, top) {
  frame.querySelector('.frame-empty')?.remove()
  if (scene.cards.length > 0 || !scene.memberSlot) return
  const empty = el(
    'button',
    {
      type: 'button',
      class: 'frame-empty slot-add',
      'data-fill': scene.memberSlot,
      'data-drop': scene.memberSlot,
    },
    icon('plus'),
    el('span', {}, 'Drop an agent here, or choose one'),
    el('span', { class: 'frame-empty-hint' }, WHO_SPEAKS[scene.flow]),
  )
  empty.style.left = `${left}px`
  empty.style.top = `${top}px`
  frame.append(empty)
}
