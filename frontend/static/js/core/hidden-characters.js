// @ts-check
// Characters that cannot be seen, or that turn the reading direction: with them code can look other than it is.

/** Controls but line ends and tabs, and what only formats: turns of direction, spaces without width, tags. Not what joins pictures (U+200D). */
const HIDDEN = /[^\P{Cc}\t\n\r]|[^\P{Cf}\u200d]|[\u2028\u2029]/gu

/** JSON that means the same, with each of them as an escape. @param {string} json */
export function escapeHidden(json) {
  return json.replace(HIDDEN, (found) => found.split('').map((unit) => `\\u${hex(unit.charCodeAt(0))}`).join(''))
}

/** A text with the number of each in its place. @param {string} text */
export function showHidden(text) {
  return text.replace(HIDDEN, (found) => `⟨U+${hex(found.codePointAt(0) ?? 0).toUpperCase()}⟩`)
}

/** @param {number} code */
const hex = (code) => code.toString(16).padStart(4, '0')

/** For an editor that marks them itself. */
export const hiddenCharacters = () => new RegExp(HIDDEN)
