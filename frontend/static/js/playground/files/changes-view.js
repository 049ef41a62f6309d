// @ts-check
import { el } from '../../core/dom.js'

/**
 * @typedef {{state: 'kept' | 'removed' | 'added', text: string}} Piece
 * @typedef {{number: number, before: string[] | null, after: string[] | null}} ChangedRow
 * @typedef {{kind: string, pieces: Piece[], head: string[], rows: ChangedRow[], is_cut: boolean}}
 *   FileChanges
 */

const TAGS = /** @type {const} */ ({ kept: 'span', removed: 'del', added: 'ins' })

/**
 * What differs between two files: text by word, a table by cell.
 * @param {FileChanges} changes
 * @returns {HTMLElement}
 */
export function changesView(changes) {
  if (changes.kind === 'same') return el('p', { class: 'muted' }, 'The files are identical.')
  if (changes.kind === 'other' || changes.kind === 'picture')
    return el('p', { class: 'muted' }, 'The contents differ.')
  return el(
    'div',
    { class: 'file-changes' },
    changes.kind === 'table' ? tableOf(changes) : textOf(changes.pieces),
    changes.is_cut && el('p', { class: 'muted small' }, 'Only the beginning was compared.'),
  )
}

/** @param {Piece[]} pieces */
function textOf(pieces) {
  return el(
    'pre',
    { class: 'code-block', tabindex: '0', 'aria-label': 'Changes' },
    ...pieces.map(({ state, text }) => el(TAGS[state], {}, text)),
  )
}

/** @param {FileChanges} changes */
function tableOf({ head, rows }) {
  if (rows.length === 0) return el('p', { class: 'muted' }, 'The cells are the same.')
  const width = Math.max(head.length, ...rows.map((row) => (row.after ?? row.before ?? []).length))
  const places = Array.from({ length: width }, (_, place) => place)
  return el(
    'div',
    { class: 'file-table', tabindex: '0', role: 'region', 'aria-label': 'Changed rows' },
    el(
      'table',
      { class: 'table' },
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          el('th', { scope: 'col' }, 'Row'),
          ...places.map((place) => el('th', { scope: 'col' }, head[place] ?? '')),
        ),
      ),
      el(
        'tbody',
        {},
        ...rows.map(({ number, before, after }) =>
          el(
            'tr',
            {},
            el('th', { scope: 'row' }, number === 0 ? 'Head' : String(number)),
            ...places.map((place) => el('td', {}, ...cell(before?.[place], after?.[place]))),
          ),
        ),
      ),
    ),
  )
}

/**
 * @param {string | undefined} before
 * @param {string | undefined} after
 */
function cell(before, after) {
  if (before === after) return [after ?? '']
  return [
    before !== undefined && el('del', {}, before),
    before !== undefined && after !== undefined && ' ',
    after !== undefined && el('ins', {}, after),
  ]
}
