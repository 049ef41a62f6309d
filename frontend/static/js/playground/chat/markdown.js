// @ts-check
import {
  CODE_BLOCK,
  CODE_FENCE,
  HEADING_1,
  HEADING_4,
  HEADING_6,
  HREF,
  IMAGE,
  LINK,
  RAW_URL,
  SRC,
  TABLE,
  default_renderer,
  parser,
  parser_end,
  parser_write,
} from 'streaming-markdown'
import { hostOf, safeLink, safePicture } from './links.js'
import { renderFormula } from './formula.js'
import { formulaGuard } from './formulas.js'
import { finishBlocks } from './message-blocks.js'
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
  const renderer = default_renderer(root)
  const { add_token, set_attr } = renderer
  renderer.add_token = (where, type) => {
    const isHeading = type >= HEADING_1 && type <= HEADING_6
    // below the name of who speaks, whatever the message thinks of its size
    add_token(where, isHeading ? HEADING_4 : type)
    const node = where.nodes[where.index]
    if (isHeading) node.dataset.level = String(type - HEADING_1 + 1)
    if (type === LINK || type === RAW_URL)
      Object.assign(node, { target: '_blank', rel: 'noopener noreferrer nofollow' })
    if (type === LINK) node.dataset.host = '' // shown behind the words, which may name another one
    if (type === IMAGE) node.setAttribute('alt', '')
    if (type === TABLE || type === CODE_FENCE || type === CODE_BLOCK) scrollable(node)
  }
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
  renderer.add_text = (where, text) => {
    const node = where.nodes[where.index]
    if (node instanceof HTMLImageElement) node.alt += showHidden(restored(text))
    else
      for (const piece of text.split(/([\uFDD0-\uFDEF])/))
        appendPiece(node, kept.get(piece) ?? piece)
  }
  renderer.set_attr = (where, type, raw) => {
    const node = where.nodes[where.index]
    const value = restored(raw)
    if (type === HREF) setLink(node, value)
    else if (type === SRC) setPicture(node, value)
    else set_attr(where, type, value)
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

/** @param {HTMLElement} node */
function scrollable(node) {
  const box = node.tagName === 'CODE' ? node.parentElement : node
  box?.setAttribute('tabindex', '0')
}

/**
 * @param {HTMLElement} node
 * @param {string} value
 */
function setLink(node, value) {
  const url = safeLink(value)
  node.title = showHidden(value)
  if (!url) return
  node.setAttribute('href', url)
  const host = hostOf(url)
  if (host && 'host' in node.dataset) node.dataset.host = host
}

/**
 * @param {HTMLElement} node
 * @param {string} value
 */
function setPicture(node, value) {
  const url = safePicture(value)
  if (url) node.setAttribute('src', url)
  else node.dataset.blocked = value
}
