// @ts-check
/** @import {RunFile} from '../types.js' */
import { ApiError, api } from '../../core/api.js'
import { el, icon, prose } from '../../core/dom.js'
import { clip } from '../format.js'
import { size } from './file-words.js'
import { jsonTree } from './json-tree.js'
import { rowsOf } from './table-text.js'
import { tableView } from './table-view.js'

const MAX_TEXT_BYTES = 200 * 1024
const MAX_TABLE_BYTES = 2 * 1024 * 1024
const MAX_TABLE_ROWS = 5000
const MAX_WHOLE_BYTES = 50 * 1024 * 1024
/** An SVG too: as an image it has no scripts and loads nothing. */
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml']
/** @type {{[type: string]: string}} */
const SEPARATORS = { 'text/csv': ',', 'text/tab-separated-values': '\t' }
const NONE = 'No preview for this type. Download the file to open it.'

/**
 * What of a file is shown on the page. Nothing of it is run.
 * @param {string} address
 * @param {Pick<RunFile, 'name' | 'size' | 'media_type'>} file
 * @param {AbortSignal} signal
 * @returns {Promise<HTMLElement>}
 */
export async function preview(address, file, signal) {
  const type = file.media_type
  const isWhole = file.size <= MAX_WHOLE_BYTES
  if (type === 'text/html') return page(address, file)
  if (/^(audio|video)\//.test(type) && isWhole) {
    const src = blobUrl(await start(address, file.size, signal), type, signal)
    const kind = type.startsWith('audio/') ? 'audio' : 'video'
    return el(kind, { class: 'file-player', src, controls: true, 'aria-label': file.name })
  }
  if (PICTURES.includes(type) && isWhole) {
    const src = blobUrl(await start(address, file.size, signal), type, signal)
    return el('img', { class: 'file-picture', src, alt: file.name })
  }
  if (type === 'application/pdf' && isWhole) {
    const href = blobUrl(await start(address, file.size, signal), type, signal)
    const words = el('span', {}, 'Open the PDF in a new tab')
    return el(
      'p',
      {},
      el('a', { class: 'button', href, target: '_blank' }, icon('external-link'), words),
    )
  }
  if (type === 'application/vnd.apache.parquet') return parquet(address)
  if (!/^text\/|^application\/(json|xml)$|^message\/rfc822$/.test(type))
    return el('p', { class: 'muted' }, NONE)
  return written(address, file, signal)
}

/**
 * Its first rows, which the server reads.
 * @param {string} address
 */
async function parquet(address) {
  try {
    /** @type {{rows: string[][], is_cut: boolean}} */
    const { rows, is_cut: isCut } = await api.get(`${address}/table`)
    return el('div', {}, tableView(rows, !isCut))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return el('p', { class: 'muted' }, `${error.message} `, ...prose(error.fix))
  }
}

/**
 * Text, a table or a tree.
 * @param {string} address
 * @param {Pick<RunFile, 'name' | 'size' | 'media_type'>} file
 * @param {AbortSignal} signal
 */
async function written(address, file, signal) {
  const separator = SEPARATORS[file.media_type]
  const bytes = await start(address, separator ? MAX_TABLE_BYTES : MAX_TEXT_BYTES, signal)
  const text = new TextDecoder().decode(bytes)
  const isCut = bytes.length < file.size
  const cut =
    isCut &&
    el('p', { class: 'muted small' }, `The first ${size(bytes.length)} of ${size(file.size)}.`)
  if (separator) {
    const rows = rowsOf(text, separator, MAX_TABLE_ROWS + 1)
    return el('div', {}, tableView(rows, !isCut && rows.length <= MAX_TABLE_ROWS), cut)
  }
  const tree = file.media_type === 'application/json' && !isCut ? jsonTree(text) : null
  return el('div', {}, tree ?? el('pre', { class: 'code-block', tabindex: '0' }, clip(text)), cut)
}

/**
 * A page without scripts, network and links, as the studio serves it for a frame.
 * @param {string} address
 * @param {{name: string}} file
 */
function page(address, { name }) {
  return el(
    'div',
    {},
    el('iframe', { class: 'file-page', src: `${address}/page`, sandbox: '', title: name }),
    el('p', { class: 'muted small' }, 'Scripts of the page do not run, and it loads nothing.'),
  )
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {string} type
 * @param {AbortSignal} signal  when it is shown no longer
 */
function blobUrl(bytes, type, signal) {
  const url = URL.createObjectURL(new Blob([bytes], { type }))
  signal.addEventListener('abort', () => URL.revokeObjectURL(url), { once: true })
  return url
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
