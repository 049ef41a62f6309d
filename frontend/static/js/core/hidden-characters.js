// @ts-check
// Characters that cannot be seen, or that turn the reading direction: with them code can look other
// than it is.

/**
 * Controls but line ends and tabs, what only formats, and all that is drawn without ink: turns of
 * direction, spaces without width, variation selectors, fillers, tags. Not what joins or chooses
 * pictures, where there is one.
 */
const HIDDEN =
  /[^\P{Cc}\t\n\r]|[^\P{Cf}\u200d]|(?![\u200d\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}|(?<![\p{Extended_Pictographic}\p{N}#*])[\ufe0e\ufe0f]|(?<=\u200d)\u200d|[\p{Cn}\p{Co}\p{Cs}\u2028\u2029\u2800\u{1d159}]/gu

/**
 * JSON that means the same, with each of them as an escape.
 * @param {string} json
 */
export function escapeHidden(json) {
  return json.replace(HIDDEN, (found) =>
    found
      .split('')
      .map((unit) => `\\u${hex(unit.charCodeAt(0))}`)
      .join(''),
  )
}

/**
 * A text with the number of each in its place.
 * @param {string} text
 */
export function showHidden(text) {
  return text.replace(HIDDEN, (found) => `⟨U+${hex(found.codePointAt(0) ?? 0).toUpperCase()}⟩`)
}

/** @param {number} code */
const hex = (code) => code.toString(16).padStart(4, '0')

/** For an editor that marks them itself. */
export const hiddenCharacters = () => new RegExp(HIDDEN)
