// @ts-check
// What an import said of each part, kept beside the document by the places of parts until a person
// has seen it. The server writes it (studio/services/imports.py).
import { isWithin } from '../../core/pointer.js'
import { pathOf, pointerOf } from './part-paths.js'

/**
 * @typedef {import('./catalogue.js').Component} Component
 * @typedef {import('./commands.js').Doc} Doc
 * @typedef {import('./commands.js').Command} Command
 * @typedef {{ verdict: 'asked' | 'dropped' | 'approximated', what: string, why: string, fix: string,
 *   place: string }} ImportFinding  `place`: where in the source, such as `crew.yaml:3:1`
 * @typedef {{ pointer: string, findings: ImportFinding[] }} Unseen
 */

/** What each verdict is called, as in the report of the import. */
export const VERDICT_WORDS = {
  asked: 'Needed from you',
  dropped: 'Left out',
  approximated: 'Approximated',
}

/**
 * The parts with findings that are not seen yet. Parts that are gone have none.
 * @param {Doc} doc
 * @returns {Unseen[]}
 */
export function unseenIn(doc) {
  if (doc === last?.doc) return last.unseen
  const unseen = Object.entries(doc.layout.imported ?? {}).flatMap(([place, said]) => {
    const pointer = pointerOf(doc.component, place)
    const findings = Array.isArray(said) ? said.filter(isFinding) : []
    return pointer === undefined || findings.length === 0 ? [] : [{ pointer, findings }]
  })
  last = { doc, unseen }
  return unseen
}

/**
 * The layout comes from whoever saved it.
 * @param {any} said
 */
function isFinding(said) {
  const texts = [said?.what, said?.why, said?.fix, said?.place]
  return (
    Object.hasOwn(VERDICT_WORDS, said?.verdict) && texts.every((text) => typeof text === 'string')
  )
}

/**
 * The last that were found; each card and each row asks for the same.
 * @type {{ doc: Doc, unseen: Unseen[] } | undefined}
 */
let last

/**
 * Those of one part.
 * @param {Doc} doc
 * @param {string} pointer
 * @returns {ImportFinding[]}
 */
export function unseenAt(doc, pointer) {
  return unseenIn(doc).find((each) => each.pointer === pointer)?.findings ?? []
}

/**
 * Those of a part and of what is in it.
 * @param {Doc} doc
 * @param {string} pointer
 * @returns {ImportFinding[]}
 */
export function unseenWithin(doc, pointer) {
  return unseenIn(doc).flatMap((each) => (isWithin(each.pointer, pointer) ? each.findings : []))
}

/**
 * "2 import findings".
 * @param {number} count
 */
export function inWords(count) {
  return `${count} import ${count === 1 ? 'finding' : 'findings'}`
}

/**
 * @param {Component} root
 * @param {string} pointer
 * @param {string} title
 * @returns {Command}
 */
export function markSeen(root, pointer, title) {
  const place = pathOf(root, pointer)
  return {
    label: `Mark findings of ${title} as seen`,
    apply(doc) {
      const { imported, ...layout } = doc.layout
      if (!imported || !Object.hasOwn(imported, place)) return doc
      const rest = Object.fromEntries(Object.entries(imported).filter(([key]) => key !== place))
      return {
        ...doc,
        layout: Object.keys(rest).length > 0 ? { ...layout, imported: rest } : layout,
      }
    },
  }
}

/** @returns {Command} */
export function markAllSeen() {
  return {
    label: 'Mark all import findings as seen',
    apply(doc) {
      const { imported, ...layout } = doc.layout
      return imported ? { ...doc, layout } : doc
    },
  }
}
