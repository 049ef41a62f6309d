// @ts-check
// What the frame shows besides its cards: title, sentence, slots of the team, and the box in place of a first member.
import { el, icon } from '../../core/dom.js'
import { kindIcon, makeSlot } from './cards.js'
import { conditionSentence } from './condition.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('./scene.js').Scene} Scene
 */

/** All that a drawing of the head depends on. @param {Editor} editor @param {Scene} scene */
export function headKey(editor, scene) {
  return JSON.stringify([scene.pointer, editor.titleAt(scene.pointer), scene.type, scene.conditionSlot, scene.condition, scene.slots])
}

/** @param {HTMLElement} head @param {Editor} editor @param {Scene} scene */
export function drawHead(head, editor, scene) {
  const isRequired = editor.catalogue.slotsOf(scene.team).find((slot) => scene.conditionSlot.endsWith(`/${slot.field}`))?.required ?? false
  head.replaceChildren(
    el('div', { class: 'frame-title' }, kindIcon('team'), el('button', { type: 'button', class: 'frame-name', 'data-component': scene.pointer, tabindex: '-1' }, editor.titleAt(scene.pointer)),
      el('span', { class: 'muted small' }, scene.type),
      el('span', { class: 'badge', 'data-state': 'error', 'data-problems-at': scene.pointer, hidden: true })),
    scene.conditionSlot ? conditionSentence(scene.condition, scene.conditionSlot, isRequired) : el('span'),
    el('div', { class: 'frame-slots' }, ...scene.slots.filter((slot) => slot.chips.length > 0 || slot.isRequired).map(makeSlot)))
}

/** The box that stands for the first member; node.css has its size. @param {HTMLElement} frame @param {Scene} scene @param {number} left @param {number} top */
export function drawEmpty(frame, scene, left, top) {
  frame.querySelector('.frame-empty')?.remove()
  if (scene.cards.length > 0 || !scene.memberSlot) return
  const empty = el('button', { type: 'button', class: 'frame-empty slot-add', 'data-fill': scene.memberSlot, 'data-drop': scene.memberSlot }, icon('plus'), el('span', {}, 'Drop an agent here, or choose one'))
  empty.style.left = `${left}px`
  empty.style.top = `${top}px`
  frame.append(empty)
}
