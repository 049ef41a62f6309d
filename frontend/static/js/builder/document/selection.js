// @ts-check
// Several places of a team at once. A selection is a list of pointers, the primary one last; never
// empty.
import { get, isWithin, join, last, parent, steps } from '../../core/pointer.js'
import { ownerOf } from './commands.js'

/** @typedef {import('./catalogue.js').Component} Component */

/**
 * Add a place to a selection, or take it out again. What lies around or inside of it leaves: one
 * cannot move both.
 * @param {string[]} selected
 * @param {string} pointer
 */
export function toggled(selected, pointer) {
  if (selected.includes(pointer))
    return selected.length > 1 ? selected.filter((each) => each !== pointer) : selected
  return [
    ...selected.filter((each) => !isWithin(each, pointer) && !isWithin(pointer, each)),
    pointer,
  ]
}

/**
 * Each place once, the last mention counts.
 * @param {string[]} pointers
 */
export function withoutDoubles(pointers) {
  return pointers.filter((each, index) => pointers.lastIndexOf(each) === index)
}

/**
 * Without those that lie inside others.
 * @param {string[]} pointers
 */
export function outermost(pointers) {
  return withoutDoubles(pointers).filter(
    (each) => !pointers.some((other) => other !== each && isWithin(each, other)),
  )
}

/**
 * As they stand in the document: entry 2 of a list before entry 10.
 * @param {string[]} pointers
 */
export function inDocumentOrder(pointers) {
  return pointers.toSorted((a, b) => {
    const [left, right] = [steps(a), steps(b)]
    const index = left.findIndex((step, at) => step !== right[at])
    if (index < 0) return left.length - right.length
    return (left[index] ?? '').localeCompare(right[index] ?? '', 'en', { numeric: true })
  })
}

/**
 * What to go on with when parts are gone: the one that moved up to the place of the first, else the
 * one before, else what held them.
 * @param {Component} root  as it was before
 * @param {string[]} gone
 */
export function nextAfter(root, gone) {
  const first = gone[0] ?? ''
  const list = parent(first)
  const items = get(root, list)
  if (!Array.isArray(items)) return ownerOf(first)
  const indices = gone.filter((each) => parent(each) === list).map((each) => Number(last(each)))
  const before = items.filter((_item, index) => index < Math.min(...indices)).length
  const left = items.length - new Set(indices).size
  return left === 0 ? ownerOf(first) : join(list, Math.min(before, left - 1))
}
