// @ts-check
// Bring drawn HTML in line with fresh HTML: what stays the same stays the same element, with focus,
// caret and unfolded parts.
import { isSameValue } from '../../document/values.js'

/**
 * @typedef {(control: HTMLElement) => boolean} IsUnfinished  whether a control holds text that is
 *   no value yet, and is left alone
 */

/**
 * @param {Element} old
 * @param {Element} fresh
 * @param {IsUnfinished} isUnfinished
 */
export function morph(old, fresh, isUnfinished) {
  morphAttributes(old, fresh)
  if (old.localName === 'json-code') return morphCode(/** @type {any} */ (old), fresh, isUnfinished)
  if (old instanceof HTMLTextAreaElement)
    return morphText(old, /** @type {HTMLTextAreaElement} */ (fresh), isUnfinished)
  morphChildren(old, fresh, isUnfinished)
  if (old instanceof HTMLInputElement)
    morphText(old, /** @type {HTMLInputElement} */ (fresh), isUnfinished)
  if (old instanceof HTMLSelectElement) old.value = /** @type {HTMLSelectElement} */ (fresh).value
}

/**
 * @param {Element} old
 * @param {Element} fresh
 */
function morphAttributes(old, fresh) {
  for (const { name, value } of fresh.attributes)
    if (old.getAttribute(name) !== value) old.setAttribute(name, value)
  for (const { name } of [...old.attributes]) {
    const isOwn = (name === 'open' && old.localName === 'details') || name === 'data-ready'
    if (!isOwn && !fresh.hasAttribute(name)) old.removeAttribute(name)
  }
}

/**
 * @param {import('../../../elements/json-code.js').JsonCode} old
 * @param {Element} fresh
 * @param {IsUnfinished} isUnfinished
 */
function morphCode(old, fresh, isUnfinished) {
  const text = fresh.querySelector('textarea')?.value ?? ''
  if (!isUnfinished(old) && !isSameValue(old.dataset['kind'] ?? 'string', old.text, text))
    old.text = text
}

/**
 * @param {HTMLInputElement | HTMLTextAreaElement} old
 * @param {HTMLInputElement | HTMLTextAreaElement} fresh
 * @param {IsUnfinished} isUnfinished
 */
function morphText(old, fresh, isUnfinished) {
  if (old instanceof HTMLInputElement && fresh instanceof HTMLInputElement)
    old.checked = fresh.checked
  if (old.matches('[data-secret-name], [data-secret-value]') || isUnfinished(old)) return
  if (!isSameValue(old.dataset['kind'] ?? 'string', old.value, fresh.value)) old.value = fresh.value
}

/** @param {Node} node */
function keyOf(node) {
  if (!(node instanceof HTMLElement)) return ''
  const { key, field, kindOfField = '', entry, keep, pointer, form } = node.dataset
  const name =
    key ??
    (field === undefined ? undefined : `${field} ${kindOfField}`) ??
    entry ??
    keep ??
    form ??
    (node.id || undefined) ??
    pointer
  return name === undefined ? '' : `${node.localName} ${node.dataset['action'] ?? ''} ${name}`
}

/**
 * @param {Element} old
 * @param {Element} fresh
 * @param {IsUnfinished} isUnfinished
 */
function morphChildren(old, fresh, isUnfinished) {
  const wanted = new Set([...fresh.childNodes].map(keyOf))
  for (const child of [...old.childNodes])
    if (keyOf(child) !== '' && !wanted.has(keyOf(child))) child.remove()
  const byKey = new Map(
    [...old.childNodes]
      .filter((child) => keyOf(child) !== '')
      .map((child) => [keyOf(child), child]),
  )
  let cursor = old.firstChild
  for (const next of [...fresh.childNodes]) {
    const key = keyOf(next)
    const match = key === '' ? plainMatch(cursor, next) : byKey.get(key)
    if (!match) {
      old.insertBefore(next, cursor)
      continue
    }
    byKey.delete(key)
    if (match === cursor) cursor = cursor.nextSibling
    else old.insertBefore(match, cursor)
    if (match instanceof Element) morph(match, /** @type {Element} */ (next), isUnfinished)
    else if (match.nodeValue !== next.nodeValue) match.nodeValue = next.nodeValue
  }
  while (cursor) {
    const gone = cursor
    cursor = cursor.nextSibling
    gone.remove()
  }
}

/**
 * @param {ChildNode | null} cursor
 * @param {Node} next
 */
function plainMatch(cursor, next) {
  return cursor && keyOf(cursor) === '' && cursor.nodeName === next.nodeName ? cursor : undefined
}
