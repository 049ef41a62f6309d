// @ts-check
// What can be opened on the canvas: a team, and whatever else has agents or teams inside, such as
// an agent used as a tool.
import { get, join } from '../../core/pointer.js'
import { isComponent } from './catalogue.js'
import { ownerOf } from './commands.js'

/**
 * @typedef {import('./catalogue.js').Catalogue} Catalogue
 * @typedef {import('./catalogue.js').Component} Component
 * @typedef {import('./catalogue.js').Slot} Slot
 */

const MEMBERS = ['agent', 'team']

/**
 * The slot whose agents and teams are the cards of a component when it is opened.
 * @param {Catalogue} catalogue
 * @param {Component} component
 * @returns {Slot | undefined}
 */
export function memberSlot(catalogue, component) {
  const slots = catalogue
    .slotsOf(component)
    .filter((slot) => slot.accepts.some((type) => MEMBERS.includes(type)))
  return slots.find((slot) => slot.many) ?? slots[0]
}

/**
 * What is in view when this is selected; `shown` is in view now.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {string} pointer
 * @param {string} shown
 */
export function viewOf(catalogue, root, pointer, shown) {
  for (let here = pointer; here !== ''; here = ownerOf(here)) {
    if (here === shown) return here
    const component = get(root, here)
    if (here !== pointer && isComponent(component) && catalogue.kindOf(component) === 'team')
      return here
    // An agent or a team is a card of what it is in.
    if (isComponent(component) && catalogue.isParticipant(component)) return ownerOf(here)
  }
  return ''
}

/**
 * What to show when a component is opened; of one that holds nothing but a team, that team. Nothing
 * for one without members.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {string} pointer
 * @returns {string | undefined}
 */
export function openingAt(catalogue, root, pointer) {
  const component = get(root, pointer)
  const slot = isComponent(component) ? memberSlot(catalogue, component) : undefined
  if (!slot) return undefined
  if (slot.many || catalogue.kindOf(component) === 'team') return pointer
  const inner = join(pointer, 'config', slot.field)
  const held = get(root, inner)
  if (!isComponent(held)) return undefined
  return catalogue.kindOf(held) === 'team' ? inner : pointer
}

/**
 * How many members are seen when it is opened.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {string} pointer  what is opened
 */
export function memberCount(catalogue, root, pointer) {
  const component = get(root, pointer)
  const slot = isComponent(component) ? memberSlot(catalogue, component) : undefined
  return slot ? catalogue.filling(component, pointer, slot).length : 0
}
