// @ts-check
import { parser, parser_end, parser_write } from 'streaming-markdown'
import { citationGuard } from './citation-guard.js'
import { renderFormula } from './formula.js'
import { formulaGuard } from './formulas.js'
import { finishBlocks } from './message-blocks.js'
import { safeRenderer } from './safe-markdown.js'
import { showHidden } from '../../core/hidden-characters.js'
import { markedText } from '../../core/marked-text.js'
import { underscoreGuard } from './underscores.js'

/**
 * Stand for formulas and citations in what the parser reads: to it they are letters, which no text
 * may hold.
 */
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
   *   formula, or a text that is only itself
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
  const keep = (thing) => {
    const sign = String.fromCharCode(0xfdd0 + (count % STAND_IN_COUNT))
    count += 1
    const isText = typeof thing === 'string'
    kept.set(
      sign,
      isText ? thing : { ...thing, source: restored(thing.source), tex: restored(thing.tex) },
    )
    return sign
  }
  /** @param {import('./formulas.js').Formula | string} thing */
  const standIn = (thing) => guarded.write(keep(thing))
  const formulas = formulaGuard(guarded.write, standIn, standIn, () => tagName() === 'CODE')
  const cited = citationGuard(formulas.write, (citation) => formulas.write(keep(citation)))
  return {
    /** @param {string} text */
    write(text) {
      const safe = text.replace(STAND_INS, '\uFFFD')
      whole += safe
      cited.write(safe)
    },
    end() {
      cited.end()
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
