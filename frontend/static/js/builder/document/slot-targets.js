// @ts-check
// Where may this component go? The answer comes from the slots that the catalogue knows; nothing is
// guessed by name.
import { get, join, last, parent } from '../../core/pointer.js'
import { isComponent, kindOfType, titleOf } from './catalogue.js'
import { addComponent, addToEach, combine, ownerOf } from './commands.js'
import { kindsText } from './naming.js'

/**
 * @typedef {import('./catalogue.js').Catalogue} Catalogue
 * @typedef {import('./catalogue.js').Component} Component
 * @typedef {import('./catalogue.js').Slot} Slot
 * @typedef {import('./commands.js').Command} Command
 * @typedef {{ label: string, slot: string, many: boolean, command: Command, about?: { pointer:
 *   string, says: (condition: string) => string } }} SlotTarget
 *   `about`: the condition that is there already, to be called as the reader knows it
 */

/**
 * The slot that a pointer like "/config/tools" names.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {string} pointer
 */
export function slotAt(catalogue, root, pointer) {
  const owner = get(root, ownerOf(pointer))
  return isComponent(owner)
    ? catalogue.slotsOf(owner).find((slot) => slot.field === last(pointer))
    : undefined
}

/**
 * All the ways to put `subject` at or around `target`: into one of its slots, else into one of the
 * component around it.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {Component} subject
 * @param {string} target  a component or a slot
 * @returns {SlotTarget[]}
 */
export function targetsFor(catalogue, root, subject, target) {
  const slot = slotAt(catalogue, root, target)
  if (slot)
    return catalogue.accepts(slot, subject)
      ? targetsInSlot(catalogue, root, subject, ownerOf(target), slot)
      : []
  const inside = targetsIn(catalogue, root, subject, target)
  return inside.length > 0 ? inside : targetsAround(catalogue, root, subject, target)
}

/**
 * For what is added without pointing at a place: at the target, else in the nearest agent or team
 * around it.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {Component} subject
 * @param {string} target
 * @returns {SlotTarget[]}
 */
export function targetsNear(catalogue, root, subject, target) {
  const here = targetsFor(catalogue, root, subject, target)
  return here.length > 0 || target === ''
    ? here
    : targetsNear(catalogue, root, subject, ownerOf(target))
}

/**
 * What a team takes may be dropped on anything in it: an agent behind its neighbour, a condition to
 * the others.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {Component} subject
 * @param {string} target
 * @returns {SlotTarget[]}
 */
export function targetsAround(catalogue, root, subject, target) {
  if (!['agent', 'team', 'termination'].includes(catalogue.kindOf(subject))) return []
  for (let pointer = target; pointer !== ''; ) {
    pointer = ownerOf(pointer)
    const found = targetsIn(catalogue, root, subject, pointer)
    if (found.length > 0) return found.map((place) => insertAfter(place, target, subject))
  }
  return []
}

/**
 * Dropping on a neighbour puts the new one right behind it.
 * @param {SlotTarget} place
 * @param {string} target
 * @param {Component} subject
 * @returns {SlotTarget}
 */
function insertAfter(place, target, subject) {
  const neighbour = target.startsWith(`${place.slot}/`)
    ? target.slice(place.slot.length + 1).split('/')[0]
    : undefined
  if (!place.many || neighbour === undefined || !/^\d+$/.test(neighbour)) return place
  return { ...place, command: addComponent(place.slot, true, subject, Number(neighbour) + 1) }
}

/**
 * The places inside one component, not around it.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {Component} subject
 * @param {string} pointer
 * @returns {SlotTarget[]}
 */
export function targetsIn(catalogue, root, subject, pointer) {
  const target = get(root, pointer)
  if (!isComponent(target)) return []
  const inner = toolTargets(catalogue, root, subject, pointer)
  if (inner.length > 0) return inner
  const own = catalogue.slotsOf(target).filter((slot) => catalogue.accepts(slot, subject))
  const ways = own
    .slice(0, 1)
    .flatMap((slot) => targetsInSlot(catalogue, root, subject, pointer, slot))
  const isTeam = catalogue.kindOf(target) === 'team'
  const fitsMembers =
    isTeam && !['agent', 'team', 'termination'].includes(catalogue.kindOf(subject))
  return fitsMembers ? [...memberTargets(catalogue, root, subject, pointer), ...ways] : ways
}

/**
 * A model of the team itself is for whoever leads it, such as its selector.
 * @param {Catalogue} catalogue
 * @param {Component} component
 * @param {Slot} slot
 */
function labelOf(catalogue, component, slot) {
  if (slot.field === 'participants') return `Into ${titleOf(component)}`
  const leader = slot.accepts.some((type) => kindOfType(type) === 'model')
    ? catalogue.entry(component)?.led_by
    : ''
  return leader
    ? `For the ${leader.toLowerCase()}`
    : `As ${slot.field.replaceAll('_', ' ')} of ${titleOf(component)}`
}

/**
 * A tool goes into the workbench that already holds tools, if there is one.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {Component} subject
 * @param {string} pointer
 * @returns {SlotTarget[]}
 */
function toolTargets(catalogue, root, subject, pointer) {
  if (catalogue.kindOf(subject) !== 'tool') return []
  for (const child of catalogue.children(get(root, pointer), pointer)) {
    if (catalogue.kindOf(child.component) !== 'workbench') continue
    const slot = catalogue.slotsOf(child.component).find((each) => catalogue.accepts(each, subject))
    if (slot) return targetsInSlot(catalogue, root, subject, child.pointer, slot)
  }
  return []
}

/**
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {Component} subject
 * @param {string} team
 * @returns {SlotTarget[]}
 */
function memberTargets(catalogue, root, subject, team) {
  const members = catalogue
    .children(get(root, team), team)
    .filter((child) => catalogue.isParticipant(child.component))
  const places = members.flatMap((member) =>
    targetsIn(catalogue, root, subject, member.pointer).map((place) => ({
      ...place,
      label: labelIn(catalogue, member.component, place.label),
    })),
  )
  const single = [...new Set(places.filter((place) => !place.many).map((place) => place.slot))]
  if (single.length < 2) return places
  return [
    {
      label: 'For every agent',
      slot: single[0] ?? '',
      many: false,
      command: addToEach(single, subject),
    },
    ...places,
  ]
}

/**
 * A place inside a nested team says which agent of it is meant.
 * @param {Catalogue} catalogue
 * @param {Component} member
 * @param {string} inner
 */
function labelIn(catalogue, member, inner) {
  if (catalogue.kindOf(member) !== 'team') return `For ${titleOf(member)}`
  return inner.startsWith('For ') ? `${inner} in ${titleOf(member)}` : inner
}

/**
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {Component} subject
 * @param {string} owner
 * @param {Slot} slot
 * @returns {SlotTarget[]}
 */
function targetsInSlot(catalogue, root, subject, owner, slot) {
  const pointer = join(owner, 'config', slot.field)
  const filled = get(root, pointer)
  const component = get(root, owner)
  const label = labelOf(catalogue, component, slot)
  const add = {
    label,
    slot: pointer,
    many: slot.many,
    command: addComponent(pointer, slot.many, subject),
  }
  if (slot.many || !isComponent(filled) || catalogue.kindOf(subject) !== 'termination') return [add]
  const said = (/** @type {(condition: string) => string} */ says) => ({
    label: says(titleOf(filled)),
    about: { pointer, says },
  })
  const ways = operators(catalogue).map(({ word, template }) => ({
    ...said((condition) => `“${condition}” ${word} this`),
    slot: pointer,
    many: false,
    command: combineInto(catalogue, pointer, filled, template, subject),
  }))
  return [...ways, { ...add, ...said((condition) => `Instead of “${condition}”`) }]
}

/**
 * @param {Catalogue} catalogue
 * @param {string} pointer
 * @param {Component} filled
 * @param {Component} joint
 * @param {Component} subject
 */
function combineInto(catalogue, pointer, filled, joint, subject) {
  if (catalogue.entry(filled)?.provider !== joint.provider) return combine(pointer, joint, subject)
  return addComponent(join(pointer, 'config', 'conditions'), true, subject)
}

/**
 * The catalogue's conditions that hold others: "or" first.
 * @param {Catalogue} catalogue
 */
export function operators(catalogue) {
  return catalogue.entries
    .filter((entry) => entry.group === 'terminations' && entry.slots.some((slot) => slot.many))
    .map((entry) => ({ word: operatorWord(entry.provider), template: entry.template }))
    .sort((a, b) => b.word.localeCompare(a.word))
}

/**
 * Whether a component joins conditions.
 * @param {Catalogue} catalogue
 * @param {unknown} value
 * @returns {value is Component}
 */
export function isOperator(catalogue, value) {
  return (
    isComponent(value) &&
    catalogue.kindOf(value) === 'termination' &&
    catalogue.slotsOf(value).some((slot) => slot.many)
  )
}

/**
 * @param {string} provider
 * @returns {'and' | 'or'}
 */
export function operatorWord(provider) {
  return /(^|\.)or/i.test(provider.split('.').at(-1) ?? '') ? 'or' : 'and'
}

/**
 * Why nothing fits.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {Component} subject
 * @param {string} target
 */
export function refusal(catalogue, root, subject, target) {
  const what = kindsText([catalogue.typeOf(subject)])
  const slot = slotAt(catalogue, root, target)
  if (slot)
    return `This slot takes ${kindsText(slot.accepts)}, not ${kindsText([catalogue.typeOf(subject)])}.`
  const component = get(root, target)
  return isComponent(component)
    ? `${titleOf(component)} has no slot for ${what}.`
    : `No slot for ${what} here.`
}

/**
 * The slot a component stands in, or its pointer itself.
 * @param {string} pointer
 */
export function slotOf(pointer) {
  return /\/\d+$/.test(pointer) ? parent(pointer) : pointer
}
