// @ts-check
/** @import {RunFile} from '../types.js' */
import { el } from '../../core/dom.js'
import { clip, prettyJson } from '../format.js'
import { size } from './file-words.js'
import { rowsOf } from './table-text.js'

const MAX_TEXT_BYTES = 200 * 1024
const MAX_PICTURE_BYTES = 20 * 1024 * 1024
const MAX_ROWS = 200
const MAX_COLUMNS = 40
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
/** @type {{[type: string]: string}} */
const SEPARATORS = { 'text/csv': ',', 'text/tab-separated-values': '\t' }

/**
 * What of a file is shown on the page: a picture, a table, or text. Nothing of it is run.
 * @param {string} address
 * @param {Pick<RunFile, 'name' | 'size' | 'media_type'>} file
 * @param {AbortSignal} signal
 * @returns {Promise<HTMLElement>}
 */
export async function preview(address, file, signal) {
  const type = file.media_type
  if (PICTURES.includes(type) && file.size <= MAX_PICTURE_BYTES)
    return picture(await start(address, file.size, signal), file, signal)
  if (!/^text\/|^application\/(json|xml)$|^image\/svg/.test(type))
    return el('p', { class: 'muted' }, 'No preview for this type. Download the file to open it.')
  const bytes = await start(address, MAX_TEXT_BYTES, signal)
  const text = new TextDecoder().decode(bytes)
  const cut =
    bytes.length < file.size &&
    el('p', { class: 'muted small' }, `The first ${size(bytes.length)} of ${size(file.size)}.`)
  const separator = SEPARATORS[type]
  if (separator) return el('div', {}, table(rowsOf(text, separator, MAX_ROWS + 1)), cut)
  const shown = type === 'application/json' && !cut ? prettyJson(text) : text
  return el('div', {}, el('pre', { class: 'code-block', tabindex: '0' }, clip(shown)), cut)
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {{name: string, media_type: string}} file
 * @param {AbortSignal} signal
 */
function picture(bytes, { name, media_type }, signal) {
  const src = URL.createObjectURL(new Blob([bytes], { type: media_type }))
  signal.addEventListener('abort', () => URL.revokeObjectURL(src), { once: true })
  return el('img', { class: 'file-picture', src, alt: name })
}

/** @param {string[][]} rows */
function table(rows) {
  const [head = [], ...body] = rows
  const shown = body.slice(0, MAX_ROWS)
  const columns = head.slice(0, MAX_COLUMNS)
  const notes = [
    body.length > MAX_ROWS && `The first ${MAX_ROWS} rows.`,
    head.length > MAX_COLUMNS && `The first ${MAX_COLUMNS} of ${head.length} columns.`,
  ].filter(Boolean)
  return el(
    'div',
    {},
    el(
      'div',
      { class: 'file-table', tabindex: '0', role: 'region', 'aria-label': 'Table' },
      el(
        'table',
        { class: 'table' },
        el('thead', {}, el('tr', {}, ...columns.map((cell) => el('th', { scope: 'col' }, cell)))),
        el(
          'tbody',
          {},
          ...shown.map((row) =>
            el('tr', {}, ...columns.map((_, place) => el('td', {}, row[place] ?? ''))),
          ),
        ),
      ),
    ),
    notes.length > 0 && el('p', { class: 'muted small' }, notes.join(' ')),
  )
}

/**
 * The first bytes of a file; the rest is not asked for.
 * @param {string} address
 * @param {number} most
 * @param {AbortSignal} signal
 */
async function start(address, most, signal) {
  const response = await fetch(address, { signal, credentials: 'same-origin' })
  if (!response.ok || !response.body) throw new Error('The file cannot be read.')
  const reader = response.body.getReader()
  const bytes = new Uint8Array(most)
  let length = 0
  while (length < most) {
    const { done, value } = await reader.read()
    if (done) break
    const part = value.subarray(0, most - length)
    bytes.set(part, length)
    length += part.length
  }
  await reader.cancel()
  return bytes.slice(0, length)
}
