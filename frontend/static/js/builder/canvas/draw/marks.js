// @ts-check
// What is selected and what is wrong, as attributes of what is already drawn: neither makes a card
// anew.
import { parent } from '../../../core/pointer.js'
import { warningsOf } from '../../document/findings.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {import('../../../core/api.js').Finding} Finding
 */

/**
 * Cards may be inside the scope or be one of its roots.
 * @param {Iterable<Element>} roots
 * @param {string} selector
 * @returns {Generator<HTMLElement>}
 */
function* matching(roots, selector) {
  for (const root of roots) {
    if (root.matches(selector) && root instanceof HTMLElement) yield root
    for (const node of root.querySelectorAll(selector)) if (node instanceof HTMLElement) yield node
  }
}

/**
 * Mark every selected part; a card that holds one is marked as being around it.
 * @param {Iterable<Element>} roots  where to look: all, or only what was just drawn
 * @param {readonly string[]} selected
 * @param {(pointer: string) => string} cardOf
 */
export function markSelected(roots, selected, cardOf) {
  const own = new Set(selected)
  const cards = new Set(selected.map(cardOf))
  for (const node of matching(roots, '[data-component]:not([data-hub])')) {
    const pointer = node.dataset['component'] ?? ''
    const mark = own.has(pointer)
      ? ''
      : node.dataset['card'] !== undefined && cards.has(pointer)
        ? 'inside'
        : null
    if (mark === null) node.removeAttribute('data-selected')
    else if (node.getAttribute('data-selected') !== mark) node.setAttribute('data-selected', mark)
  }
}

/**
 * Errors and warnings by the places they are at or inside of, found once for all cards.
 * @typedef {{ errors: Finding[], warnings: Finding[] }} Found
 * @typedef {{ at: Map<string, Found>, within: Map<string, Found> }} Places
 * @param {Editor} editor
 * @returns {Places}
 */
export function findingsByPlace(editor) {
  const last = sorted.get(editor)
  if (last?.report === editor.report && last.doc === editor.doc) return last.places
  const places = sortedFindings(editor)
  sorted.set(editor, { report: editor.report, doc: editor.doc, places })
  return places
}

/**
 * The last that were found; canvas and outline ask for the same.
 * @type {WeakMap<Editor, { report: unknown, doc: unknown, places: Places }>}
 */
const sorted = new WeakMap()

/**
 * @param {Editor} editor
 * @returns {Places}
 */
function sortedFindings(editor) {
  /** @type {Places} */
  const places = { at: new Map(), within: new Map() }
  const put = (
    /** @type {Map<string, Found>} */ map,
    /** @type {string} */ key,
    /** @type {Finding} */ each,
    /** @type {keyof Found} */ tone,
  ) => {
    const found = map.get(key) ?? { errors: [], warnings: [] }
    found[tone].push(each)
    map.set(key, found)
  }
  const sort = (/** @type {Finding[]} */ findings, /** @type {keyof Found} */ tone) => {
    for (const each of findings) {
      put(places.at, editor.catalogue.owner(editor.root, each.where), each, tone)
      for (let pointer = each.where; ; pointer = parent(pointer)) {
        put(places.within, pointer, each, tone)
        if (pointer === '') break
      }
    }
  }
  sort(editor.report.errors, 'errors')
  sort(warningsOf(editor.report, editor.doc), 'warnings')
  return places
}

/**
 * A badge with the number of errors; of warnings, more quietly, where there are none.
 * @param {HTMLElement} node
 * @param {Found | undefined} found
 */
export function markBadge(node, found) {
  const { errors = [], warnings = [] } = found ?? {}
  const findings = errors.length > 0 ? errors : warnings
  node.hidden = findings.length === 0
  node.dataset['state'] = errors.length > 0 ? 'error' : 'warning'
  if (!node.classList.contains('chip-problem')) node.textContent = String(findings.length)
  node.title = findings.map((each) => each.message).join('\n')
}

/**
 * @param {Iterable<Element>} roots
 * @param {Places} places
 */
export function markProblems(roots, { at, within }) {
  for (const node of matching(roots, '[data-problems-within], [data-problems-at]')) {
    const inside = node.dataset['problemsWithin']
    const found =
      inside === undefined ? at.get(node.dataset['problemsAt'] ?? '') : within.get(inside)
    if (!found && node.hidden) continue
    markBadge(node, found)
    node.closest('.node, .chip')?.toggleAttribute('data-invalid', (found?.errors.length ?? 0) > 0)
  }
}
