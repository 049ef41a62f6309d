// @ts-check
// Code that a person typed in this tab, key by key. Where the studio is set up so, they need not
// read it again to approve it.
import { hiddenCharacters } from './hidden-characters.js'

const KEPT = 'studio-typed-code'
const MOST = 30
const LONGEST = 50_000

/** Whether this studio takes typed code as read (`STUDIO_TRUST_TYPED_CODE`). */
export function trustsTypedCode() {
  return document.documentElement.dataset['trustsTypedCode'] !== undefined
}

/** @returns {string[]} */
function kept() {
  try {
    const texts = JSON.parse(sessionStorage.getItem(KEPT) ?? '[]')
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
export function noteTyped(before, after, beginning) {
  const texts = kept()
  if (!texts.includes(before) && before !== '' && before !== beginning) return
  const rest = texts.filter((each) => each !== after)
  try {
    sessionStorage.setItem(
      KEPT,
      JSON.stringify([...rest.slice(1 - MOST), after].filter((each) => each.length <= LONGEST)),
    )
  } catch {
    // Storage may be off or full: then the code is asked for, as ever.
  }
}

/** @param {string} code */
export function wasTyped(code) {
  return code !== '' && !hiddenCharacters().test(code) && kept().includes(code)
}
