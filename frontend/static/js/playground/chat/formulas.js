// @ts-check

/** A formula longer than this is text: somebody must wait for its end while it is written. */
const MAX_LENGTH = 5000

/**
 * What may begin a formula, what takes the meaning from such a sign, and what begins or ends code.
 */
const SIGN = /`+|\\[\s\S]|\\|\$\$?/g

/** `$5 or 6$` is about money: a number, and then words. */
const PRICE = /^[\d.,]+(\s+[^\s\\=+\-*/<>^]|[^\\^_={}+\-*/<>]*\s[^\\^_={}+\-*/<>]*$)/

/** Brackets that Markdown escapes hold words; those of TeX hold signs, or stand apart. */
const LOOKS_LIKE_TEX = /^\s|[\\^_=+<>*/|&]/

/**
 * @typedef {{source: string, tex: string, isBlock: boolean}} Formula  `source`: with its delimiters
 */

/**
 * Finds the formulas in Markdown that is written piece by piece: `$$…$$` and `\[…\]`, `$…$` and
 * `\(…\)`. The Markdown parser is given none of it, so that a formula cannot change how what
 * follows is read.
 *
 * @param {(text: string) => void} write  Markdown without formulas
 * @param {(formula: Formula) => void} found  at the place where the text has got to
 * @param {(text: string) => void} literal  signs that mean nothing here
 * @param {() => boolean} isCode  whether the place is within code
 */
export function formulaGuard(write, found, literal, isCode) {
  let held = ''
  let before = ''

  /** @param {string} text */
  function pass(text) {
    if (text === '') return
    before = text.slice(-1)
    write(text)
  }

  /** @param {boolean} isLast */
  function read(isLast) {
    for (;;) {
      SIGN.lastIndex = 0
      const sign = SIGN.exec(held)
      if (!sign) break
      const end = sign.index + sign[0].length
      if (end === held.length && !isLast) {
        pass(held.slice(0, sign.index))
        held = held.slice(sign.index)
        return
      }
      pass(held.slice(0, sign.index))
      held = held.slice(sign.index)
      const step = isCode()
        ? verbatim(sign[0])
        : sign[0].startsWith('`')
          ? code(sign[0])
          : formula(sign[0], isLast)
      if (step === 0) return
      held = held.slice(step)
    }
    pass(held)
    held = ''
  }

  /** @param {string} sign */
  function verbatim(sign) {
    pass(sign)
    return sign.length
  }

  /**
   * The parser knows that code has begun once it has seen what comes next.
   * @param {string} ticks
   */
  function code(ticks) {
    const length = ticks.length + (held.length > ticks.length ? 1 : 0)
    pass(held.slice(0, length))
    return length
  }

  /**
   * @param {string} sign
   * @param {boolean} isLast
   * @returns {number} how much of what is held is done with; 0 to wait for more
   */
  function formula(sign, isLast) {
    const close = closing(sign, before)
    if (!close) return sign.startsWith('$') ? asText(sign) : verbatim(sign)
    const tex = within(held, sign, close, isLast)
    if (tex === null) return 0
    if (tex === '' || (close === '\\]' && !LOOKS_LIKE_TEX.test(tex))) return asText(sign)
    const source = held.slice(0, sign.length + tex.length + close.length)
    before = '.'
    found({ source, tex: tex.trim(), isBlock: close === '$$' || close === '\\]' })
    return source.length
  }

  /** @param {string} sign */
  function asText(sign) {
    before = sign.slice(-1)
    literal(sign.replace('\\', ''))
    return sign.length
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
 * @param {string} sign
 * @param {string} before  the character before it
 */
function closing(sign, before) {
  if (sign === '$') return /[\p{L}\p{N}$]/u.test(before) ? '' : '$'
  return { $$: '$$', '\\[': '\\]', '\\(': '\\)' }[sign] ?? ''
}

/**
 * What stands between the delimiters.
 * @param {string} text  begins with the sign
 * @param {string} sign
 * @param {string} close
 * @param {boolean} isLast
 * @returns {string | null} '' when it is no formula; null when that cannot be said yet
 */
function within(text, sign, close, isLast) {
  const from = sign.length
  const isOneLine = close === '$'
  const rest = text.slice(from)
  const breakAt = rest.search(isOneLine ? /\n/ : /\n[ \t]*\n/)
  const room = breakAt < 0 ? rest : rest.slice(0, breakAt)
  // said at once: nobody waits for the end of the line
  if (isOneLine && /^(\s|[\d.,]+\s+[^\s\\=+\-*/<>^$])/.test(room)) return ''
  const at = isOneLine ? closingDollar(room, breakAt >= 0 || isLast) : room.indexOf(close)
  if (at === null && room.length < MAX_LENGTH) return null
  if (at !== null && at >= 0 && at <= MAX_LENGTH) {
    const tex = room.slice(0, at)
    return tex.trim() === '' || (isOneLine && PRICE.test(tex)) ? '' : tex
  }
  return at === null || breakAt >= 0 || isLast || room.length >= MAX_LENGTH ? '' : null
}

/**
 * @param {string} room
 * @param {boolean} isWhole  whether the line ends with it
 * @returns {number | null} -1: there is none; null: more must be known
 */
function closingDollar(room, isWhole) {
  for (const { index } of room.matchAll(/(?<![\s\\])\$/g)) {
    const next = room.charAt(index + 1)
    if (next === '' && !isWhole) return null
    if (!/[\p{L}\p{N}$]/u.test(next)) return index
  }
  return isWhole ? -1 : null
}
