// @ts-check
// Code that a person typed in this tab, key by key. Where the studio is set up so, they need not
// read it again to approve it.
import { hiddenCharacters } from './hidden-characters.js'

const STORAGE_KEY = 'studio-typed-code'
const MAX_TEXTS = 30
const MAX_LENGTH = 50_000

/** Whether this studio takes typed code as read (`STUDIO_TRUST_TYPED_CODE`). */
export function trustsTypedCode() {
  return document.documentElement.dataset['trustsTypedCode'] !== undefined
}

/** @returns {string[]} */
function typedTexts() {
  try {
    const texts = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]')
    return Array.isArray(texts) ? texts : []
  } catch {
    return []
  }
}

/**
 * Keys alone made `after` of `before`. It counts if `before` was typed as well, or is what a new
 * tool begins with.
 * @param {string} before
 * @param {string} after
 * @param {string} beginning  of a new tool
 */
export function recordTypedCode(before, after, beginning) {
  const texts = typedTexts()
  if (!texts.includes(before) && before !== '' && before !== beginning) return
  const rest = texts.filter((each) => each !== after)
  try {
    sessionStorage.setItem(
      STORAGE_KEY,
      JSON.stringify(
        [...rest.slice(1 - MAX_TEXTS), after].filter((each) => each.length <= MAX_LENGTH),
      ),
    )
  } catch {
    // Storage may be off or full: then the code is asked for, as ever.
  }
}

/** @param {string} code */
export function isTypedCode(code) {
  return code !== '' && !hiddenCharacters().test(code) && typedTexts().includes(code)
}
