// @ts-check
// What changed between two JSON values, small enough to keep for every step. Exact: also the order
// of keys comes back.
import { isRecord } from './pointer.js'

/** @typedef {import('./pointer.js').Json} Json */

/**
 * One of: a whole new value; an object with keys changed, dropped and added at the end; a list
 * whose middle is made of entries of the old one (a number), of changed ones and of new ones.
 * @typedef {{ v: Json } | { o: [string, Patch][], d: string[], a: [string, Json][] } | { s: number,
 *   e: number, r: Entry[] }} Patch
 * @typedef {number | { i: number, p: Patch } | { v: Json }} Entry
 */

/**
 * @param {Json} before
 * @param {Json} after
 * @returns {Patch | undefined} undefined when both are the same
 */
export function patchOf(before, after) {
  if (before === after) return undefined
  if (Array.isArray(before) && Array.isArray(after)) return patchLists(before, after)
  if (isRecord(before) && isRecord(after)) return patchObjects(before, after)
  return { v: after }
}

/**
 * The same value, sharing with the old one whatever stayed.
 * @param {Json} before
 * @param {Patch | undefined} patch
 * @returns {Json}
 */
export function applyPatch(before, patch) {
  if (!patch) return before
  if ('v' in patch) return patch.v
  if ('r' in patch) {
    const middle = patch.r.map((entry) =>
      typeof entry === 'number'
        ? before[entry]
        : 'v' in entry
          ? entry.v
          : applyPatch(before[entry.i], entry.p),
    )
    return before.slice(0, patch.s).concat(middle, before.slice(before.length - patch.e))
  }
  const dropped = new Set(patch.d)
  const changed = new Map(patch.o)
  const kept = Object.keys(before)
    .filter((key) => !dropped.has(key))
    .map((key) => [key, applyPatch(before[key], changed.get(key))])
  return Object.fromEntries([...kept, ...patch.a])
}

/**
 * The second value, sharing with the first whatever they have in common.
 * @param {Json} before
 * @param {Json} after
 */
export function withSharedStructure(before, after) {
  return applyPatch(before, patchOf(before, after))
}

/**
 * Whether both are the same, also in the order of their keys.
 * @param {Json} a
 * @param {Json} b
 */
export function isExactly(a, b) {
  return patchOf(a, b) === undefined
}

/**
 * @param {Record<string, Json>} before
 * @param {Record<string, Json>} after
 * @returns {Patch | undefined}
 */
function patchObjects(before, after) {
  const dropped = Object.keys(before).filter((key) => !Object.hasOwn(after, key))
  const added = Object.keys(after).filter((key) => !Object.hasOwn(before, key))
  const kept = Object.keys(before).filter((key) => Object.hasOwn(after, key))
  if ([...kept, ...added].some((key, index) => Object.keys(after)[index] !== key))
    return { v: after }
  const changed = kept.flatMap((key) => {
    const patch = patchOf(before[key], after[key])
    return patch ? [/** @type {[string, Patch]} */ ([key, patch])] : []
  })
  if (changed.length + dropped.length + added.length === 0) return undefined
  return { o: changed, d: dropped, a: added.map((key) => [key, after[key]]) }
}

/**
 * @param {Json[]} before
 * @param {Json[]} after
 * @returns {Patch | undefined}
 */
function patchLists(before, after) {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && isExactly(before[start], after[start])) start += 1
  if (start === before.length && start === after.length) return undefined
  let end = 0
  while (end < shorter - start && isExactly(before.at(-1 - end), after.at(-1 - end))) end += 1
  const middle = before.slice(start, before.length - end)
  const places = new Map(middle.map((item, index) => [item, start + index]))
  const isAsLong = before.length === after.length
  const entries = after
    .slice(start, after.length - end)
    .map((item, index) => entryOf(item, places.get(item), middle[index], start + index, isAsLong))
  return { s: start, e: end, r: entries }
}

/**
 * @param {Json} item
 * @param {number | undefined} source  where the same stood
 * @param {Json} old  what stood here
 * @param {number} index
 * @param {boolean} isAsLong
 * @returns {Entry}
 */
function entryOf(item, source, old, index, isAsLong) {
  if (source !== undefined && typeof item === 'object') return source
  const patch = isAsLong ? patchOf(old, item) : undefined
  return patch && !('v' in patch) ? { i: index, p: patch } : { v: item }
}
