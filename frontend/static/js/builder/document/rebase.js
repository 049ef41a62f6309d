// @ts-check
import { isRecord, isSame } from '../../core/pointer.js'

/** @typedef {import('../../core/pointer.js').Json} Json */

/**
 * Bring a change over to a document that says the same in other words, such as without the fields
 * that have their default.
 * @param {Json} doc  as it is stored
 * @param {Json} before  the same, as the other side wrote it before the change
 * @param {Json} after  and after it
 * @returns {Json} the document with what changed; all else is as it was
 */
export function rebase(doc, before, after) {
  if (isSame(before, after)) return doc
  if (
    Array.isArray(before) &&
    Array.isArray(after) &&
    Array.isArray(doc) &&
    doc.length === before.length
  )
    return rebaseList(doc, before, after)
  if (
    !isRecord(doc) ||
    !isRecord(before) ||
    !isRecord(after) ||
    before['provider'] !== after['provider']
  )
    return after
  const kept = Object.keys(doc).filter(
    (key) => Object.hasOwn(after, key) || !Object.hasOwn(before, key),
  )
  const added = Object.keys(after).filter(
    (key) => !Object.hasOwn(doc, key) && !isSame(before[key], after[key]),
  )
  return Object.fromEntries(
    [...kept, ...added].map((key) => [key, rebaseField(key, doc, before, after)]),
  )
}

/**
 * @param {string} key
 * @param {Record<string, Json>} doc
 * @param {Record<string, Json>} before
 * @param {Record<string, Json>} after
 * @returns {Json}
 */
function rebaseField(key, doc, before, after) {
  if (!Object.hasOwn(after, key)) return doc[key]
  return Object.hasOwn(doc, key) ? rebase(doc[key], before[key], after[key]) : after[key]
}

/**
 * Entries that stayed are kept wherever they went; of the others, those at the same place are
 * compared.
 * @param {Json[]} doc
 * @param {Json[]} before
 * @param {Json[]} after
 */
function rebaseList(doc, before, after) {
  const free = new Set(before.keys())
  const from = after.map((item) => {
    const index = [...free].find((each) => isSame(before[each], item))
    if (index !== undefined) free.delete(index)
    return index
  })
  return after.map((item, index) => {
    const old = from[index] ?? (free.delete(index) ? index : undefined)
    return old === undefined ? item : rebase(doc[old], before[old], item)
  })
}
