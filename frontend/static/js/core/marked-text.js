// @ts-check
import { el } from './dom.js'
import { hiddenCharacters } from './hidden-characters.js'

/**
 * A text as nodes, in which each character that hides is marked and written out, as in a review.
 * @param {string} text
 * @returns {(string | HTMLElement)[]}
 */
export function markedText(text) {
  const found = [...text.matchAll(hiddenCharacters())]
  if (found.length === 0) return [text]
  let place = 0
  const parts = found.flatMap((one) => {
    const before = text.slice(place, one.index)
    place = one.index + one[0].length
    return [before, hiddenMark(one[0])]
  })
  return [...parts, text.slice(place)].filter((part) => part !== '')
}

/** @param {string} character */
function hiddenMark(character) {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  return el('mark', { class: 'hidden-character', title: 'Invisible character' }, `U+${code}`)
}
