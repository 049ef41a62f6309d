// @ts-check
// A history as one chain of small changes from the first document, to be kept and read again.
import { applyPatch, patchOf } from './patch.js'

/**
 * @template D
 * @typedef {import('./store.js').Store<D>} Store
 */

/**
 * One step of the chain: what it is called, what was selected, what it changes.
 * @typedef {{ label: string, selection: import('./store.js').Selection | null, patch:
 *   import('./patch.js').Patch | undefined }} Link
 */

/**
 * How many documents the history has, the present one included.
 * @param {Store<any>} store
 */
export function lengthOf({ past, future }) {
  return past.length + 1 + future.length
}

/**
 * The document at a place of the history; 0 is the first.
 * @template D
 * @param {Store<D>} store
 * @param {number} index
 * @returns {D}
 */
export function docAt({ past, doc, future }, index) {
  return (
    past[index]?.doc ??
    (index === past.length
      ? doc
      : /** @type {import('./store.js').Step<D>} */ (future[future.length - (index - past.length)])
          .doc)
  )
}

/**
 * The step that leads to the document at `index`, which is at least 1.
 * @param {Store<any>} store
 * @param {number} index
 * @returns {Link}
 */
export function linkTo(store, index) {
  const { past, future } = store
  const step = past[index - 1] ?? future[future.length - (index - past.length)]
  return {
    label: step?.label ?? '',
    selection: step?.selection ?? null,
    patch: patchOf(docAt(store, index - 1), docAt(store, index)),
  }
}

/**
 * The history that a chain tells.
 * @template D
 * @param {D} first
 * @param {Link[]} links
 * @param {number} position  how many of the steps are done
 */
export function historyOf(first, links, position) {
  const docs = [first]
  for (const { patch } of links) docs.push(applyPatch(docs.at(-1), patch))
  const step = (/** @type {number} */ doc, /** @type {number} */ link) => ({
    doc: /** @type {D} */ (docs[doc]),
    label: links[link]?.label ?? '',
    selection: links[link]?.selection ?? null,
  })
  const past = links.slice(0, position).map((_, index) => step(index, index))
  const future = links
    .slice(position)
    .map((_, index) => step(position + index + 1, position + index))
    .reverse()
  return { past, doc: /** @type {D} */ (docs[position]), future }
}
