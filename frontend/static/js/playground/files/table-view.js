// @ts-check
import { el } from '../../core/dom.js'

const MAX_SHOWN = 200
const MAX_COLUMNS = 40
/** @typedef {'ascending' | 'descending'} Order */

/**
 * A table whose columns sort it. All rows that were read are sorted, the first of them are shown.
 * @param {string[][]} rows  the head first
 * @param {boolean} isWhole  whether the file has no others
 */
export function tableView(rows, isWhole) {
  const [head = [], ...body] = rows
  const columns = head.slice(0, MAX_COLUMNS)
  const content = el('tbody')
  const notes = el('p', { class: 'muted small', role: 'status' })
  const heads = columns.map((name, place) =>
    el(
      'th',
      { scope: 'col' },
      el('button', { type: 'button', class: 'file-sort', on: { click: () => sort(place) } }, name),
    ),
  )

  /** @param {number} place  of the column */
  function sort(place) {
    const at = heads[place]
    /** @type {Order} */
    const order = at?.getAttribute('aria-sort') === 'ascending' ? 'descending' : 'ascending'
    for (const each of heads) each.removeAttribute('aria-sort')
    at?.setAttribute('aria-sort', order)
    show(sorted(body, place, order))
  }

  /** @param {string[][]} shown */
  function show(shown) {
    content.replaceChildren(
      ...shown
        .slice(0, MAX_SHOWN)
        .map((row) => el('tr', {}, ...columns.map((_, place) => el('td', {}, row[place] ?? '')))),
    )
  }

  const read = `${body.length.toLocaleString('en')} rows`
  notes.textContent = [
    body.length > MAX_SHOWN && `${MAX_SHOWN} of ${read} are shown.`,
    !isWhole && `Sorting covers the first ${read}.`,
    head.length > MAX_COLUMNS && `The first ${MAX_COLUMNS} of ${head.length} columns.`,
  ]
    .filter(Boolean)
    .join(' ')
  show(body)
  return el(
    'div',
    {},
    el(
      'div',
      { class: 'file-table', tabindex: '0', role: 'region', 'aria-label': 'Table' },
      el('table', { class: 'table' }, el('thead', {}, el('tr', {}, ...heads)), content),
    ),
    notes.textContent !== '' && notes,
  )
}

/**
 * Numbers by their size and before words; empty cells last.
 * @param {string[][]} rows
 * @param {number} place
 * @param {Order} order
 */
function sorted(rows, place, order) {
  const words = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })
  const way = order === 'ascending' ? 1 : -1
  const keyed = rows.map((row) => {
    const cell = (row[place] ?? '').trim()
    return { row, cell, number: cell === '' ? Number.NaN : Number(cell) }
  })
  keyed.sort((one, other) => {
    if (one.cell === '' || other.cell === '')
      return Number(one.cell === '') - Number(other.cell === '')
    const areNumbers = [one, other].map(({ number }) => !Number.isNaN(number))
    if (areNumbers[0] && areNumbers[1]) return way * (one.number - other.number)
    if (areNumbers[0] !== areNumbers[1]) return areNumbers[0] ? -way : way
    return way * words.compare(one.cell, other.cell)
  })
  return keyed.map(({ row }) => row)
}
