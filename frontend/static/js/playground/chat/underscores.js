// @ts-check

const INSIDE_A_WORD = /(?<=[\p{L}\p{N}])_+(?=[\p{L}\p{N}])/gu

/**
 * Names like `travel_summary_agent` are words, not emphasis, but the parser takes each `_` for a
 * sign. This writes the ones inside words escaped, except where nothing is a sign anyway.
 *
 * @param {(text: string) => void} write
 * @param {() => boolean} isVerbatim  inside code or a link
 */
export function underscoreGuard(write, isVerbatim) {
  let before = ''
  let held = ''

  /** @param {string} text */
  function pass(text) {
    if (text === '') return
    write(text)
    before = text.slice(-1)
  }

  /** @param {string} text  complete: the letter after each underscore is there */
  function guard(text) {
    const seen = before + text
    let from = before.length
    for (const match of seen.matchAll(INSIDE_A_WORD)) {
      if (match.index < from) continue
      pass(seen.slice(from, match.index))
      pass(isVerbatim() ? match[0] : match[0].replaceAll('_', '\\_'))
      from = match.index + match[0].length
    }
    pass(seen.slice(from))
  }

  return {
    /** @param {string} text */
    write(text) {
      const whole = held + text
      held = /_+$/.exec(whole)?.[0] ?? ''
      guard(whole.slice(0, whole.length - held.length))
    },
    end() {
      pass(held)
      held = ''
    },
  }
}
