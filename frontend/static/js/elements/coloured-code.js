// @ts-check
// Colors for code that is only read. Loaded when there is some: the grammars are those of the
// editors.
import { highlightCode, tagHighlighter } from '@lezer/highlight'
import { parser as json } from '@lezer/json'
import { parser as python } from '@lezer/python'
import { el } from '../core/dom.js'
import { CODE_COLOURS } from './code-colours.js'

/** @type {{[language: string]: {parse: (text: string) => import('@lezer/common').Tree}}} */
const PARSERS = { python, json }

/** A class is the number of its line in the table. */
const highlighter = tagHighlighter(
  CODE_COLOURS.map(({ tag }, line) => ({ tag, class: String(line) })),
)

/**
 * Draw the words of a code block in their colors. Its text stays the same.
 * @param {HTMLElement} code  that holds nothing but text
 * @param {'python' | 'json'} language
 */
export function colourCode(code, language) {
  const text = code.textContent ?? ''
  /** @type {(Node | string)[]} */
  const pieces = []
  highlightCode(
    text,
    /** @type {typeof json} */ (PARSERS[language]).parse(text),
    highlighter,
    (piece, line) => pieces.push(line === '' ? piece : coloured(piece, line)),
    () => pieces.push('\n'),
  )
  code.replaceChildren(...pieces)
  code.normalize()
}

/**
 * @param {string} text
 * @param {string} lines
 */
function coloured(text, lines) {
  const { color = '', fontStyle = '' } = CODE_COLOURS[Number(lines.split(' ')[0])] ?? {}
  const node = el('span', {}, text)
  // by the object model: the policy of the page forbids the attribute
  Object.assign(node.style, { color, fontStyle })
  return node
}
