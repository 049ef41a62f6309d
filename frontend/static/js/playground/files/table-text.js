// @ts-check

/**
 * Comma- or tab-separated text as rows of cells; quotes may hold separators and line breaks.
 * @param {string} text
 * @param {string} separator
 * @param {number} most  rows
 * @returns {string[][]}
 */
export function rowsOf(text, separator, most) {
  /** @type {string[][]} */
  const rows = []
  /** @type {string[]} */
  let row = []
  let cell = ''
  let isQuoted = false
  for (let place = 0; place < text.length && rows.length < most; place += 1) {
    const sign = text[place] ?? ''
    if (isQuoted) {
      if (sign !== '"') cell += sign
      else if (text[place + 1] === '"') {
        cell += '"'
        place += 1
      } else isQuoted = false
    } else if (sign === '"' && cell === '') isQuoted = true
    else if (sign === separator) {
      row.push(cell)
      cell = ''
    } else if (sign === '\n') {
      row.push(cell.replace(/\r$/, ''))
      rows.push(row)
      row = []
      cell = ''
    } else cell += sign
  }
  if (rows.length < most && (cell !== '' || row.length > 0)) rows.push([...row, cell])
  return rows
}
