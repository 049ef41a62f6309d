// @ts-check
// Where a place of a team has gone when others came, went or moved meanwhile. A pointer alone would
// name somebody else.
import { get, isRecord, join, steps } from '../../core/pointer.js'

/** @typedef {import('../../core/pointer.js').Json} Json */

/**
 * The same place in a later document; undefined when it is gone.
 * @param {Json} before
 * @param {Json} after
 * @param {string} pointer
 * @returns {string | undefined}
 */
export function currentPointer(before, after, pointer) {
  if (before === after) return pointer
  let [old, now, place] = [before, after, '']
  for (const step of steps(pointer)) {
    const key =
      Array.isArray(old) && Array.isArray(now) && step in old
        ? currentIndex(old, now, Number(step))
        : step
    if (key === undefined) return undefined
    // What was not written before need not be written now, such as an empty slot.
    if (get(old, join('', step)) !== undefined && get(now, join('', key)) === undefined)
      return undefined
    ;[old, now, place] = [get(old, join('', step)), get(now, join('', key)), join(place, key)]
  }
  return place
}

/**
 * Where an entry of a list is now: the very same one, else the one with its type and name, else, in
 * a list as long as before, the one that stands there and is not known from elsewhere.
 * @param {Json[]} old
 * @param {Json[]} now
 * @param {number} index
 * @returns {number | undefined}
 */
function currentIndex(old, now, index) {
  const entry = old[index]
  if (entry === now[index]) return index
  const same = isRecord(entry) ? now.indexOf(entry) : -1
  if (same >= 0) return same
  const alike = now.findIndex((each) => isAlike(entry, each) && !old.includes(each))
  if (alike >= 0) return alike
  return old.length === now.length && !old.includes(now[index]) ? index : undefined
}

/**
 * @param {Json} a
 * @param {Json} b
 */
function isAlike(a, b) {
  const name = a?.config?.name
  return typeof name === 'string' && name === b?.config?.name && a.provider === b?.provider
}
