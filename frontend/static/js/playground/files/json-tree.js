// @ts-check
import { el } from '../../core/dom.js'

const MAX_NODES = 2000
const OPEN_DEPTH = 2

/**
 * JSON to be unfolded; null for text that is none.
 * @param {string} text
 */
export function jsonTree(text) {
  let value
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  const left = { count: MAX_NODES }
  return el('div', { class: 'json-tree code-block' }, node('', value, 0, left))
}

/**
 * @param {string} name
 * @param {unknown} value
 * @param {number} depth
 * @param {{count: number}} left  how many more are made
 * @returns {HTMLElement}
 */
function node(name, value, depth, left) {
  left.count -= 1
  const label = name === '' ? '' : el('span', { class: 'json-key' }, `${name}: `)
  if (typeof value !== 'object' || value === null)
    return el('div', { class: 'json-leaf' }, label, JSON.stringify(value))
  const parts = Object.entries(value)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (parts.length === 0) return el('div', { class: 'json-leaf' }, label, open + close)
  const things = Array.isArray(value) ? 'items' : 'keys'
  const inner = el('div', { class: 'json-inner' })
  const details = el(
    'details',
    {},
    el(
      'summary',
      {},
      label,
      el(
        'span',
        { class: 'muted' },
        `${open} ${parts.length.toLocaleString('en')} ${things} ${close}`,
      ),
    ),
    inner,
  )
  const fill = () => {
    if (inner.childElementCount > 0) return
    const room = depth === 0 ? left : { count: MAX_NODES }
    for (const [key, part] of parts) {
      if (room.count <= 0) {
        inner.append(el('div', { class: 'muted json-leaf' }, 'More is in the file.'))
        break
      }
      inner.append(node(key, part, depth + 1, room))
    }
  }
  details.addEventListener('toggle', () => details.open && fill())
  if (depth < OPEN_DEPTH && parts.length <= 100) {
    details.open = true
    fill()
  }
  return details
}
