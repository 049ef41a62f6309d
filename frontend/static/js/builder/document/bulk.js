// @ts-check
// Changes of several parts at once, each one step of undo. They are made of the commands for one
// part.
import { get, isWithin, join, last, parent, remove, set } from '../../core/pointer.js'
import { isComponent, titleOf } from './catalogue.js'
import {
  addComponent,
  ownerOf,
  removeAt,
  replaceComponent,
  shifted,
  withComponent,
} from './commands.js'
import { disconnectAll } from './connections.js'
import { endsOf, partTitle } from './parts.js'
import { isOperator } from './slot-targets.js'
import { inDocumentOrder, outermost } from './selection.js'

/**
 * @typedef {import('./catalogue.js').Catalogue} Catalogue
 * @typedef {import('./catalogue.js').Component} Component
 * @typedef {import('./commands.js').Doc} Doc
 * @typedef {import('./commands.js').Command} Command
 */

/**
 * "writer", or "3 parts".
 * @param {Component} root
 * @param {string[]} pointers
 */
export function namesOf(root, pointers) {
  const [only = '', ...others] = pointers
  if (pointers.length === 0 || others.length > 0) return `${pointers.length} parts`
  return titleOf(get(root, only)) || partTitle(root, only) || '1 part'
}

/**
 * Remove parts, connections among them. An "and" or "or" that is left with one condition gives way
 * to it, and one without any goes too.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {string[]} pointers
 * @returns {Command}
 */
export function removeMany(catalogue, root, pointers) {
  const gone = inDocumentOrder(outermost(pointers)).filter(
    (each) => isComponent(get(root, each)) && each !== '',
  )
  const connections = pointers.filter(
    (each) => endsOf(root, each) && !gone.some((part) => isWithin(each, part)),
  )
  if (gone.length === 0 && connections.length > 0) return disconnectAll(connections)
  return {
    label: `Remove ${namesOf(root, [...gone, ...connections])}`,
    select: ownerOf(gone[0] ?? ''),
    apply(doc) {
      const waiting = [...gone]
      let here = disconnectAll(connections).apply(doc)
      // From the last to the first: what stands before a part keeps its place.
      for (let pointer = waiting.pop(); pointer !== undefined; pointer = waiting.pop()) {
        here = removeAt(pointer, '').apply(here)
        const joint = ownerOf(pointer)
        if (
          waiting.some((each) => isWithin(each, joint)) ||
          !isOperator(catalogue, get(here.component, joint))
        )
          continue
        const rest = Object.values(get(here.component, parent(pointer)) ?? {})
        if (rest.length === 0) waiting.push(joint)
        if (rest.length === 1 && isComponent(rest[0]))
          here = replaceComponent(joint, rest[0]).apply(here)
      }
      return here
    },
  }
}

/**
 * Whether parts stand in one list, so that they can be moved as a block.
 * @param {string[]} pointers
 */
export function inOneList(pointers) {
  const list = parent(pointers[0] ?? '')
  return (
    pointers.length > 0 &&
    pointers.every((each) => parent(each) === list && /^\d+$/.test(last(each)))
  )
}

/**
 * Put entries of one list, as a block, before entry `gap`.
 * @param {string[]} pointers
 * @param {number} gap
 * @returns {Command}
 */
export function moveBlock(pointers, gap) {
  const list = parent(pointers[0] ?? '')
  const indices = pointers.map((each) => Number(last(each))).toSorted((a, b) => a - b)
  const at = gap - indices.filter((index) => index < gap).length
  return {
    label:
      indices.length === 1
        ? `Move to place ${at + 1}`
        : `Move ${indices.length} to place ${at + 1}`,
    select: indices.map((_index, nth) => join(list, at + nth)),
    apply(doc) {
      const items = get(doc.component, list)
      if (!Array.isArray(items) || indices.every((index, nth) => index === at + nth)) return doc
      const rest = items.filter((_item, index) => !indices.includes(index))
      const block = indices.map((index) => items[index])
      return {
        ...doc,
        component: set(doc.component, list, [...rest.slice(0, at), ...block, ...rest.slice(at)]),
      }
    },
  }
}

/**
 * Put parts at the end of another list; those that stand in it already stay.
 * @param {Component} root
 * @param {string[]} pointers
 * @param {string} slot
 * @returns {Command}
 */
export function moveManyTo(root, pointers, slot) {
  const from = inDocumentOrder(outermost(pointers)).filter((each) => !isWithin(slot, each))
  /** @type {Command} */
  const command = {
    label: `Move ${namesOf(root, from)}`,
    apply(doc) {
      let here = doc
      /** @type {string[]} */
      let placed = []
      const isThere = (/** @type {string} */ pointer) => parent(pointer) === slot
      for (const pointer of from) {
        const added = addComponent(slot, true, get(doc.component, pointer))
        here = isThere(pointer) ? here : added.apply(here)
        placed.push(isThere(pointer) ? pointer : String(added.select))
      }
      for (const pointer of from.filter((each) => !isThere(each)).toReversed()) {
        here = withComponent(here, remove(here.component, pointer))
        placed = placed.map((each) => shifted(each, pointer))
      }
      command.select = placed
      return here
    },
  }
  return command
}
