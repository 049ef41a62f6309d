// @ts-check
import { get, join, last, parent } from '../../core/pointer.js'
import { ownerOf } from './commands.js'

/** @typedef {import('./catalogue.js').Component} Component */

/**
 * What to go on with when parts are gone: the one that moved up to the place of the first, else the one before, else what held them.
 * @param {Component} root  as it was before @param {string[]} gone
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
