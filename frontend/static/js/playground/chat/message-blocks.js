// @ts-check
import { api } from '../../core/api.js'
import { copy } from '../../core/copy.js'
import { el, icon } from '../../core/dom.js'
import { showHidden } from '../../core/hidden-characters.js'
import { can } from '../../core/permissions.js'
import { toastError } from '../../core/toast.js'
import { hostOf, safeLink, safePicture } from './links.js'

const FENCE = /^\s{0,3}(`{3,}|~{3,})/
/** The line below the head of a table: `| :-- | --: |`. */
const DELIMITERS = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/

/** @type {{[name: string]: 'python' | 'json'}} by what models write behind a fence */
const LANGUAGES = { python: 'python', py: 'python', python3: 'python', json: 'json' }
/** Longer code stays without colors: each word of it is an element. */
const MAX_COLOURED = 40_000
const MAX_LOADED = 20
/**
 * Pictures that were asked for, by address: a row that comes back into view has its own again.
 * @type {Map<string, string>}
 */
const loaded = new Map()

/**
 * What a message gets when it is whole: a bar on each code block and table, how the columns of
 * tables are aligned, and a word in the place of each picture that is not loaded.
 * @param {HTMLElement} root
 * @param {string} text  its Markdown
 */
export function finishBlocks(root, text) {
  const tables = [...root.querySelectorAll('table')]
  const aligned = alignments(text)
  if (aligned.length === tables.length)
    tables.forEach((table, place) => align(table, aligned[place] ?? []))
  for (const table of tables) frame(table, 'Table', () => asTabbed(table), false)
  for (const code of root.querySelectorAll('pre')) {
    const words = code.querySelector('code')
    frame(code, words?.className || 'Code', () => code.textContent ?? '', true)
    if (words) colour(words, words.className)
  }
  for (const picture of root.querySelectorAll('img[data-blocked]'))
    picture.replaceWith(notLoaded(/** @type {HTMLImageElement} */ (picture)))
}

/**
 * Colors of the words of a code block, where the studio knows its language; one with signs that
 * hide stays as it is.
 * @param {HTMLElement} code
 * @param {string} name  of the language
 */
export function colour(code, name) {
  const language = LANGUAGES[name.toLowerCase()]
  if (!language || code.childElementCount > 0 || (code.textContent ?? '').length > MAX_COLOURED)
    return
  void import('../../elements/coloured-code.js').then(({ colourCode }) =>
    colourCode(code, language),
  )
}

/**
 * Of each table of a text, the side to which each column is set: '' where it does not say.
 * @param {string} text
 * @returns {string[][]}
 */
export function alignments(text) {
  /** @type {string[][]} */
  const found = []
  let fence = ''
  let before = ''
  for (const line of text.split('\n')) {
    const mark = FENCE.exec(line)?.[1] ?? ''
    if (
      fence === '' &&
      mark === '' &&
      before.includes('|') &&
      line.includes('-') &&
      line.includes('|') &&
      DELIMITERS.test(line)
    )
      found.push(sides(line))
    if (fence === '') fence = mark
    else if (mark.startsWith(fence)) fence = ''
    before = line
  }
  return found
}

/** @param {string} line */
function sides(line) {
  return line
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => {
      const mark = cell.trim()
      return mark.endsWith(':') ? (mark.startsWith(':') ? 'center' : 'end') : ''
    })
}

/**
 * @param {HTMLTableElement} table
 * @param {string[]} columns
 */
function align(table, columns) {
  for (const row of table.rows)
    [...row.cells].forEach((cell, place) => {
      if (columns[place]) cell.dataset.align = columns[place]
    })
}

/**
 * As spreadsheets take it.
 * @param {HTMLTableElement} table
 */
function asTabbed(table) {
  return [...table.rows]
    .map((row) =>
      [...row.cells].map((cell) => (cell.textContent ?? '').trim().replace(/\s+/g, ' ')).join('\t'),
    )
    .join('\n')
}

/**
 * Put a bar above a block: its name, and how to wrap and copy it.
 * @param {HTMLElement} block
 * @param {string} name
 * @param {() => string} text
 * @param {boolean} canWrap
 */
export function frame(block, name, text, canWrap) {
  const noun = name === 'Table' ? 'table' : 'code'
  const wrap =
    canWrap &&
    el('button', { type: 'button', class: 'button quiet small', 'aria-pressed': 'false' }, 'Wrap')
  if (wrap)
    wrap.addEventListener('click', () => {
      wrap.ariaPressed = String(block.toggleAttribute('data-wraps'))
    })
  const button = el(
    'button',
    { type: 'button', class: 'button quiet small', 'aria-label': `Copy ${noun}` },
    icon('copy'),
    'Copy',
  )
  button.addEventListener('click', () => void copy(text()))
  const box = el('div', { class: 'block', 'data-block': noun })
  block.replaceWith(box)
  box.append(el('div', { class: 'block-bar' }, el('span', {}, name), wrap, button), block)
}

/**
 * @param {HTMLImageElement} picture
 * @returns {HTMLElement}
 */
function notLoaded({ alt, dataset: { blocked: address = '' } }) {
  const url = safeLink(address)
  const host = url ? hostOf(url) : ''
  const known = loaded.get(address)
  if (known) return el('img', { src: known, alt })
  const words = `${alt ? `${alt}: ` : ''}image${host ? ` at ${host}` : ''}, not loaded`
  const place = el(
    'span',
    { class: 'picture-blocked', title: showHidden(address) },
    icon('image'),
    words,
  )
  if (host === '' || !can('editor')) return place
  const button = el(
    'button',
    { type: 'button', class: 'button quiet small', 'aria-label': `Load the image from ${host}` },
    'Load',
  )
  button.addEventListener('click', async () => {
    button.ariaBusy = 'true'
    try {
      place.replaceWith(el('img', { src: await load(address), alt }))
    } catch (error) {
      toastError(error)
      button.ariaBusy = null
    }
  })
  place.append(button)
  return place
}

/**
 * By way of the studio: the other server learns nothing of who looks.
 * @param {string} address
 */
async function load(address) {
  const { picture } = await api.post('/api/pictures', { url: address })
  const source = safePicture(picture) ?? ''
  loaded.set(address, source)
  for (const oldest of [...loaded.keys()].slice(0, -MAX_LOADED)) loaded.delete(oldest)
  return source
}
