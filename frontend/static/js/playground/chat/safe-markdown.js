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
import { showHidden } from '../../core/hidden-characters.js'
import { hostOf, safeLink, safePicture } from './links.js'
import { underscoreGuard } from './underscores.js'

/**
 * What the parser of Markdown writes with: it builds elements and never parses HTML; links lead only
 * to allowed places, pictures are never fetched.
 * @param {HTMLElement} root
 * @param {(text: string) => string} [restored]  an address as it was written
 */
export function safeRenderer(root, restored = (text) => text) {
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
  renderer.set_attr = (where, type, raw) => {
    const node = where.nodes[where.index]
    const value = restored(raw)
    if (type === HREF) setLink(node, value)
    else if (type === SRC) setPicture(node, value)
    else set_attr(where, type, value)
  }
  return renderer
}

/**
 * Put a finished text into an element, without formulas, colors or bars.
 * @param {HTMLElement} root
 * @param {string} text
 */
export function renderPlainly(root, text) {
  root.replaceChildren()
  const renderer = safeRenderer(root)
  const state = parser(renderer)
  const isVerbatim = () =>
    /^(CODE|A|IMG)$/.test(renderer.data.nodes[renderer.data.index]?.tagName ?? '')
  const guarded = underscoreGuard((piece) => parser_write(state, piece), isVerbatim)
  guarded.write(text)
  guarded.end()
  parser_end(state)
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
