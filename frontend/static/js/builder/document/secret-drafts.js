// @ts-check
// The server keeps keys apart and puts references in their place; so does every step of the history
// then.

/** @typedef {import('../../core/pointer.js').Json} Json */

const REFERENCE = /^(secret|env):|\{(secret|env):/

/**
 * The keys that stood in the open, by field and text, each with the reference that the server put
 * in its place.
 * @param {Json} sent
 * @param {Json} stored
 * @returns {Map<string, string>}
 */
export function extractedKeys(sent, stored, field = '', found = new Map()) {
  if (typeof sent === 'string' && typeof stored === 'string') {
    if (sent !== stored && sent !== '' && !REFERENCE.test(sent) && REFERENCE.test(stored))
      found.set(nameOf(field, sent), stored)
  } else if (
    typeof sent === 'object' &&
    typeof stored === 'object' &&
    sent !== null &&
    stored !== null
  ) {
    for (const [key, value] of Object.entries(sent)) {
      const same = Array.isArray(stored)
        ? counterpart(value, stored, Number(key))
        : Object.hasOwn(stored, key)
          ? stored[key]
          : undefined
      extractedKeys(value, same, key, found)
    }
  }
  return found
}

/**
 * The same entry of a list in which others may have come and gone meanwhile.
 * @param {Json} value
 * @param {Json[]} list
 * @param {number} index
 */
function counterpart(value, list, index) {
  const isLike = (/** @type {Json} */ other) =>
    other?.provider === value?.provider && other?.config?.name === value?.config?.name
  return isLike(list[index]) ? list[index] : list.find(isLike)
}

/**
 * Puts references in place of keys in any number of documents; what they share, they share
 * afterwards.
 * @param {Map<string, string>} references
 */
export function withReferences(references) {
  /** @type {WeakMap<object, Json>} */
  const known = new WeakMap()
  /**
   * @param {Json} value
   * @param {string} field
   * @returns {Json}
   */
  function change(value, field) {
    if (typeof value === 'string') return references.get(nameOf(field, value)) ?? value
    if (typeof value !== 'object' || value === null) return value
    const made = known.get(value) ?? changed(value)
    known.set(value, made)
    return made
  }
  /**
   * @param {Json} value
   * @returns {Json}
   */
  function changed(value) {
    const entries = Object.entries(value).map(
      ([key, each]) => /** @type {[string, Json]} */ ([key, change(each, key)]),
    )
    if (entries.every(([key, each]) => each === value[key])) return value
    return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries)
  }
  return (/** @type {Json} */ doc) => change(doc, '')
}

/**
 * @param {string} field
 * @param {string} text
 */
function nameOf(field, text) {
  return `${field} ${text}`
}
