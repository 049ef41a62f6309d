// @ts-check
// What a person can do to the selection, from whichever part of the page: one meaning for key, button and menu.
import { api } from '../core/api.js'
import { announce } from '../core/dom.js'
import { get, last, parent } from '../core/pointer.js'
import { toast, toastError } from '../core/toast.js'
import { isComponent, titleOf } from './document/catalogue.js'
import { addComponent, duplicate, moveTo, ownerOf, removeAt, reorder, replaceComponent } from './document/commands.js'
import { chooseFrom, pickComponent } from './panels/picker.js'
import { placesFor, placesNear, refusal, slotAt } from './document/places.js'

/**
 * @typedef {import('./editor.js').Editor} Editor
 * @typedef {import('./document/catalogue.js').Component} Component
 */

/**
 * Put a component at a target; asks when there are several ways, says why when there is none.
 * @param {Editor} editor @param {Component} component @param {string} target
 * @param {{ x: number, y: number }} [at]  where the question appears
 */
export async function place(editor, component, target, at) {
  const fresh = structuredClone(component)
  const places = placesFor(editor.catalogue, editor.root, fresh, target)
  if (places.length > 0) await putInto(editor, fresh, places, at)
  else toast(refusal(editor.catalogue, editor.root, fresh, target), { tone: 'warning' })
}

/**
 * Put a component at the selection, or where the nearest agent or team around it takes it.
 * @param {Editor} editor @param {Component} component @param {{ target?: string, at?: { x: number, y: number } }} [options]
 */
export async function placeNear(editor, component, { target = editor.selection, at } = {}) {
  const fresh = structuredClone(component)
  const places = placesNear(editor.catalogue, editor.root, fresh, target)
  if (places.length > 0) await putInto(editor, fresh, places, at)
  else toast(refusal(editor.catalogue, editor.root, fresh, ''), { tone: 'warning' })
}

/** @param {Editor} editor @param {Component} fresh @param {import('./document/places.js').Place[]} places @param {{ x: number, y: number }} [at] */
async function putInto(editor, fresh, places, at) {
  const index = places.length === 1 ? 0 : await chooseFrom(`Where should ${titleOf(fresh)} go?`, places.map((each) => each.label), at)
  const chosen = places[index]
  if (chosen) editor.run(chosen.command)
}

/** Move a component of the team elsewhere. @param {Editor} editor @param {string} from @param {string} target  a slot, or a component */
export function move(editor, from, target) {
  const component = editor.at(from)
  if (!component || from === target) return
  const slots = placesFor(editor.catalogue, editor.root, component, target)
  const chosen = slots.find((each) => each.slot === target) ?? slots[0]
  if (!chosen) return void toast(refusal(editor.catalogue, editor.root, component, target), { tone: 'warning' })
  if (chosen.slot === parent(from) || chosen.slot === from) return
  editor.run(moveTo(from, chosen.slot, chosen.many))
}

/** @param {Editor} editor @param {string} [pointer] */
export function removeSelected(editor, pointer = editor.selection) {
  const component = editor.at(pointer)
  if (!component || pointer === '') return
  const list = get(editor.root, parent(pointer))
  const owner = editor.at(ownerOf(pointer))
  const isJoint = owner && editor.catalogue.kindOf(owner) === 'termination' && Array.isArray(list)
  const rest = isJoint && list.length === 2 ? list[1 - Number(last(pointer))] : undefined
  if (isComponent(rest)) editor.run({ ...replaceComponent(ownerOf(pointer), rest), label: `Remove ${titleOf(component)}` })
  else editor.run(removeAt(pointer, titleOf(component)))
}

/** @param {Editor} editor @param {number} by  -1 is earlier, +1 later @param {string} [pointer] */
export function shift(editor, by, pointer = editor.selection) {
  const list = get(editor.root, parent(pointer))
  if (!Array.isArray(list) || pointer === '') return announce('This has no place in an order.')
  const to = Number(last(pointer)) + by
  if (to < 0 || to >= list.length) return announce(by < 0 ? 'Already first.' : 'Already last.')
  editor.run(reorder(pointer, to))
}

/** @param {Editor} editor @param {string} [pointer] */
export function duplicateSelected(editor, pointer = editor.selection) {
  if (pointer === '' || !/^\d+$/.test(last(pointer))) return announce('Only something in a list can be duplicated.')
  editor.run(duplicate(pointer))
}

/** Ask which component goes into a slot, then put it there. @param {Editor} editor @param {string} slotPointer */
export async function fillSlot(editor, slotPointer) {
  const slot = slotAt(editor.catalogue, editor.root, slotPointer)
  if (!slot) return
  const component = await pickComponent(editor, (each) => editor.catalogue.accepts(slot, each), `Add to ${slot.field.replaceAll('_', ' ')}`)
  if (!component) return
  const filled = get(editor.root, slotPointer)
  if (!slot.many && isComponent(filled) && editor.catalogue.kindOf(component) === 'termination') return void place(editor, component, slotPointer)
  editor.run(addComponent(slotPointer, slot.many, structuredClone(component)))
}

/** Ask for any component that fits the selection. @param {Editor} editor @param {string} [target] */
export async function addToSelection(editor, target = editor.selection) {
  const fits = (/** @type {Component} */ each) => placesNear(editor.catalogue, editor.root, each, target).length > 0
  const component = await pickComponent(editor, fits, `Add to ${editor.titleAt(target)}`)
  if (component) await placeNear(editor, component, { target })
}

/** Store the selection in the user's own gallery, where every palette offers it. @param {Editor} editor */
export async function keepInLibrary(editor) {
  const component = editor.at(editor.selection)
  if (!component) return
  try {
    await api.post('/api/galleries/library/components', { component })
    toast(`${editor.titleAt(editor.selection)} is now in your library.`, { tone: 'success' })
  } catch (error) {
    toastError(error)
  }
}

const CLIPBOARD = 'studio-component'

/** Copy the selection, for this page and others of the studio. @param {Editor} editor */
export async function copySelected(editor) {
  const text = JSON.stringify(editor.at(editor.selection), null, 2)
  sessionStorage.setItem(CLIPBOARD, text)
  await navigator.clipboard?.writeText(text).catch(() => undefined)
  announce('Copied.')
}

/** @param {Editor} editor */
export async function paste(editor) {
  const text = (await navigator.clipboard?.readText().catch(() => '')) || sessionStorage.getItem(CLIPBOARD) || ''
  try {
    const value = JSON.parse(text)
    if (isComponent(value)) await placeNear(editor, value)
  } catch {
    announce('There is no component to paste.')
  }
}
