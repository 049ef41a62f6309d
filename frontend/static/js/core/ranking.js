// @ts-check
// Which of many texts is meant by a few letters. Pure.

/** What a match is worth, best first; a text that matches in none of these ways is left out. */
const WORTH = { same: 100, start: 60, word: 40, inside: 20, initials: 15 }
/** A match in the words beside the label is worth less than one in the label. */
const ASIDE = 0.4

/**
 * How well a query fits; 0 when it does not. Each word of the query must be found in the label or
 * in the words beside it.
 * @param {string} query
 * @param {string} label
 * @param {string} [aside]  other words that lead here
 */
export function fitness(query, label, aside = '') {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return 1
  if (query.trim().toLowerCase() === label.toLowerCase()) return WORTH.same
  const worths = words.map((word) =>
    Math.max(scoreOf(word, label.toLowerCase()), ASIDE * scoreOf(word, aside.toLowerCase())),
  )
  return worths.every((worth) => worth > 0)
    ? Math.min(WORTH.same - 1, worths.reduce((sum, worth) => sum + worth, 0) / words.length)
    : 0
}

/**
 * @param {string} word
 * @param {string} text
 */
function scoreOf(word, text) {
  const at = text.indexOf(word)
  if (at === 0) return WORTH.start
  if (at > 0 && isWordStart(text, word)) return WORTH.word
  if (at > 0) return WORTH.inside
  const initials = text
    .split(/[\s_-]+/)
    .map((each) => each[0] ?? '')
    .join('')
  return word.length > 1 && initials.startsWith(word) ? WORTH.initials : 0
}

/**
 * @param {string} text
 * @param {string} word
 */
function isWordStart(text, word) {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (/[\s_\-./@#]/.test(text[at - 1] ?? '')) return true
  }
  return false
}

/**
 * The items that fit, best first; equals keep their order.
 * @template T
 * @param {string} query
 * @param {T[]} items
 * @param {(item: T) => { label: string, aside?: string }} textOf
 * @returns {T[]}
 */
export function ranked(query, items, textOf) {
  const scored = items.map((item) => {
    const { label, aside } = textOf(item)
    return { item, worth: fitness(query, label, aside) }
  })
  return scored
    .filter(({ worth }) => worth > 0)
    .sort((a, b) => b.worth - a.worth)
    .map(({ item }) => item)
}
