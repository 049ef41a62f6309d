// @ts-check
import { copy } from '../../core/copy.js'
import { el, icon } from '../../core/dom.js'
import { showHidden } from '../../core/hidden-characters.js'
import { hostOf, safeLink } from './links.js'

const FENCE = /^\s{0,3}(`{3,}|~{3,})/
/** The line below the head of a table: `| :-- | --: |`. */
const DELIMITERS = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/

/**
 * What a message gets when it is whole: a bar on each code block and table, how the columns of tables are aligned, and
 * a word in the place of each picture that is not loaded.
 * @param {HTMLElement} root @param {string} text  its Markdown
 */
export function finishBlocks(root, text) {
  const tables = [...root.querySelectorAll('table')]
  const aligned = alignments(text)
  if (aligned.length === tables.length) tables.forEach((table, place) => align(table, aligned[place] ?? []))
  for (const table of tables) frame(table, 'Table', () => asTabbed(table), false)
  for (const code of root.querySelectorAll('pre')) frame(code, code.querySelector('code')?.className || 'Code', () => code.textContent ?? '', true)
  for (const picture of root.querySelectorAll('img[data-blocked]')) picture.replaceWith(notLoaded(/** @type {HTMLImageElement} */ (picture)))
}

/** Of each table of a text, the side to which each column is set: '' where it does not say. @param {string} text @returns {string[][]} */
export function alignments(text) {
  /** @type {string[][]} */
  const found = []
  let fence = ''
  let before = ''
  for (const line of text.split('\n')) {
    const mark = FENCE.exec(line)?.[1] ?? ''
    if (fence === '' && mark === '' && before.includes('|') && line.includes('-') && line.includes('|') && DELIMITERS.test(line)) found.push(sides(line))
    if (fence === '') fence = mark
    else if (mark.startsWith(fence)) fence = ''
    before = line
  }
  return found
}

/** @param {string} line */
function sides(line) {
  return line.trim().replace(/^\||\|$/g, '').split('|').map((cell) => {
    const mark = cell.trim()
    return mark.endsWith(':') ? (mark.startsWith(':') ? 'center' : 'end') : ''
  })
}

/** @param {HTMLTableElement} table @param {string[]} columns */
function align(table, columns) {
  for (const row of table.rows) [...row.cells].forEach((cell, place) => { if (columns[place]) cell.dataset.align = columns[place] })
}

/** As spreadsheets take it. @param {HTMLTableElement} table */
function asTabbed(table) {
  return [...table.rows].map((row) => [...row.cells].map((cell) => (cell.textContent ?? '').trim().replace(/\s+/g, ' ')).join('\t')).join('\n')
}

/** @param {HTMLElement} block @param {string} name @param {() => string} text @param {boolean} canWrap */
function frame(block, name, text, canWrap) {
  const noun = name === 'Table' ? 'table' : 'code'
  const wrap = canWrap && el('button', { type: 'button', class: 'button quiet small', 'aria-pressed': 'false' }, 'Wrap')
  if (wrap) wrap.addEventListener('click', () => { wrap.ariaPressed = String(block.toggleAttribute('data-wraps')) })
  const button = el('button', { type: 'button', class: 'button quiet small', 'aria-label': `Copy ${noun}` }, icon('copy'), 'Copy')
  button.addEventListener('click', () => void copy(text()))
  const box = el('div', { class: 'block', 'data-block': noun })
  block.replaceWith(box)
  box.append(el('div', { class: 'block-bar' }, el('span', {}, name), wrap, button), block)
}

/** @param {HTMLImageElement} picture */
function notLoaded(picture) {
  const address = picture.dataset.blocked ?? ''
  const url = safeLink(address)
  const host = url ? hostOf(url) : ''
  const words = `${picture.alt ? `${picture.alt}: ` : ''}picture${host ? ` at ${host}` : ''}, not loaded`
  return el('span', { class: 'picture-blocked', title: showHidden(address) }, icon('image'), words)
}
