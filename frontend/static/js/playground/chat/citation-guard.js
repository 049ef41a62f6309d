// @ts-check

/** What a citation is made of, as `Hit.citation` writes it: `[leave.pdf, p. 2]`. */
const CITATION = String.raw`\[([^[\]\n]{1,300}), (p\.|section) (\d{1,7})\]`
const MAX_LENGTH = 330

/** Finds all citations of a text: file, kind of place, number. */
export const citations = () => new RegExp(CITATION, 'g')

const AT_START = new RegExp(`^${CITATION}`)

/**
 * Finds citations in Markdown that is written piece by piece. The parser would take their brackets
 * for those of a link, and signs in a file name for emphasis.
 *
 * @param {(text: string) => void} write
 * @param {(citation: string) => void} found
 */
export function citationGuard(write, found) {
  let held = ''

  /** @param {boolean} isLast */
  function read(isLast) {
    for (;;) {
      const start = held.indexOf('[')
      if (start < 0) break
      if (start > 0) write(held.slice(0, start))
      held = held.slice(start)
      const citation = AT_START.exec(held)?.[0]
      const next = held.charAt(citation?.length ?? 0)
      if (citation && next !== '(') {
        if (next === '' && !isLast) return
        found(citation)
        held = held.slice(citation.length)
        continue
      }
      if (!isLast && isOpen(held)) return
      write('[')
      held = held.slice(1)
    }
    if (held !== '') write(held)
    held = ''
  }

  return {
    /** @param {string} text */
    write(text) {
      held += text
      read(false)
    },
    end: () => read(true),
  }
}

/**
 * Whether what is held may still become a citation.
 * @param {string} held
 */
const isOpen = (held) => held.length < MAX_LENGTH && !/[[\]\n]/.test(held.slice(1))
