// @ts-check
// Where the values of a JSON text are written, so that an error at a pointer can be shown at its
// line.

/** @typedef {{ line: number, column: number }} Position  both from 1; columns are characters */

const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g

/**
 * @param {string} text  valid JSON
 * @param {Set<string>} pointers  those wanted
 * @returns {Map<string, Position>} where each value begins; for one that is not there, what is around
 *   it
 */
export function positionsIn(text, pointers) {
  /** @type {Map<string, number>} */
  const starts = new Map()
  /** @type {{ pointer: string, key: string, index: number }[]} */
  const open = []
  let isKey = false
  for (const token of text.matchAll(TOKEN)) {
    const [symbol] = token
    const top = open.at(-1)
    if (symbol === ':') isKey = false
    else if (symbol === ',') {
      isKey = top?.index === -1
      if (top && !isKey) top.index += 1
    } else if (symbol === ']' || symbol === '}') {
      open.pop()
      isKey = false
    } else if (isKey && top) top.key = JSON.parse(symbol)
    else {
      const pointer = top
        ? `${top.pointer}/${top.index === -1 ? top.key.replaceAll('~', '~0').replaceAll('/', '~1') : top.index}`
        : ''
      starts.set(pointer, token.index)
      isKey = symbol === '{'
      if (symbol === '{' || symbol === '[') open.push({ pointer, key: '', index: isKey ? -1 : 0 })
    }
  }
  return new Map(
    [...pointers].map((pointer) => [pointer, positionAt(text, startOf(starts, pointer))]),
  )
}

/**
 * @param {Map<string, number>} starts
 * @param {string} pointer
 * @returns {number}
 */
function startOf(starts, pointer) {
  return (
    starts.get(pointer) ??
    (pointer === '' ? 0 : startOf(starts, pointer.slice(0, pointer.lastIndexOf('/'))))
  )
}

/**
 * @param {string} text
 * @param {number} offset
 * @returns {Position}
 */
function positionAt(text, offset) {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return { line, column: [...before.slice(before.lastIndexOf('\n') + 1)].length + 1 }
}
