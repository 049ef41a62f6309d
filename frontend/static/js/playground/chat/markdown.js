// @ts-check
import { parser, parser_end, parser_write } from 'streaming-markdown'
import { renderFormula } from './formula.js'
import { formulaGuard } from './formulas.js'
import { finishBlocks } from './message-blocks.js'
import { safeRenderer } from './safe-markdown.js'
import { showHidden } from '../../core/hidden-characters.js'
import { markedText } from '../../core/marked-text.js'
import { underscoreGuard } from './underscores.js'

/** Stand for formulas in what the parser reads: to it they are letters, which no text may hold. */
const STAND_INS = /[\uFDD0-\uFDEF]/g
const STAND_IN_COUNT = 0x20

/**
 * Markdown that is written piece by piece. It builds elements and never parses HTML;
 * links lead only to allowed places, pictures are never fetched.
 *
 * @param {HTMLElement} root
 */
export function markdownWriter(root) {
  /**
   * @type {Map<string, import('./formulas.js').Formula | string>} by what stands in for it: a
   *   formula, or a sign that is only itself
   */
  const kept = new Map()
  let count = 0
  let whole = ''
  /** @param {string} text */
  const restored = (text) =>
    text.replace(STAND_INS, (sign) => {
      const thing = kept.get(sign) ?? ''
      return typeof thing === 'string' ? thing : thing.source
    })
  const renderer = safeRenderer(root, restored)
  renderer.add_text = (where, text) => {
    const node = where.nodes[where.index]
    if (node instanceof HTMLImageElement) node.alt += showHidden(restored(text))
    else
      for (const piece of text.split(/([\uFDD0-\uFDEF])/))
        appendPiece(node, kept.get(piece) ?? piece)
  }
  const state = parser(renderer)
  const tagName = () => renderer.data.nodes[renderer.data.index]?.tagName ?? ''
  const guarded = underscoreGuard(
    (text) => parser_write(state, text),
    () => /^(CODE|A|IMG)$/.test(tagName()),
  )
  /** @param {import('./formulas.js').Formula | string} thing */
  const standIn = (thing) => {
    const sign = String.fromCharCode(0xfdd0 + (count % STAND_IN_COUNT))
    count += 1
    kept.set(sign, thing)
    guarded.write(sign)
  }
  const formulas = formulaGuard(guarded.write, standIn, standIn, () => tagName() === 'CODE')
  return {
    /** @param {string} text */
    write(text) {
      const safe = text.replace(STAND_INS, '\uFFFD')
      whole += safe
      formulas.write(safe)
    },
    end() {
      formulas.end()
      guarded.end()
      parser_end(state)
      finishBlocks(root, whole)
    },
  }
}

/**
 * Put a finished text into an element.
 * @param {HTMLElement} root
 * @param {string} text
 */
export function renderMarkdown(root, text) {
  root.replaceChildren()
  const writer = markdownWriter(root)
  writer.write(text)
  writer.end()
}

/**
 * @param {HTMLElement} node
 * @param {import('./formulas.js').Formula | string} piece
 */
function appendPiece(node, piece) {
  if (typeof piece !== 'string') node.append(renderFormula(piece))
  else for (const part of markedText(piece)) appendTo(node, part)
}

/**
 * @param {HTMLElement} node
 * @param {string | HTMLElement} part
 */
function appendTo(node, part) {
  if (typeof part === 'string' && node.lastChild instanceof Text) node.lastChild.appendData(part)
  else node.append(part)
}
