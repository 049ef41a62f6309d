// @ts-check
/** @import {Body, Excerpt} from '../types.js' */
import { el } from '../../core/dom.js'
import { showHidden } from '../../core/hidden-characters.js'
import { citations } from './citation-guard.js'

/**
 * What a memory or a tool found in a knowledge base, the best first.
 * @param {Body} body  of an event
 * @returns {Excerpt[]}
 */
export function excerptsIn({ type, name, content }) {
  if (!Array.isArray(content)) return []
  if (type === 'MemoryQueryEvent')
    return content.map((each) => ({ ...each?.metadata, text: each?.content })).filter(isExcerpt)
  return type === 'ToolEvent' && name === 'knowledge' ? content.filter(isExcerpt) : []
}

/**
 * The line above what was found.
 * @param {Excerpt[]} excerpts
 */
export function foundWords(excerpts) {
  const count = `${excerpts.length} ${excerpts.length === 1 ? 'passage' : 'passages'}`
  return `Found ${count} in ${excerpts[0]?.base}`
}

/** @param {any} each */
const isExcerpt = (each) =>
  ['base', 'file', 'citation', 'text'].every((name) => typeof each?.[name] === 'string') &&
  typeof each.score === 'number' &&
  typeof each.section === 'number'

/**
 * The page that shows a place of a document.
 * @param {string} base
 * @param {string} file
 * @param {{page?: number | null, section: number | string}} place
 */
export function citedPage(base, file, { page, section }) {
  const [name, number] = page ? ['page', page] : ['section', section]
  return `/knowledge/cited?${new URLSearchParams({ base, file, [name]: String(number) })}`
}

/**
 * What was found, each with its place, its score and whether the prompt held it.
 * @param {Excerpt[]} excerpts
 */
export function renderExcerpts(excerpts) {
  return el('ol', { class: 'excerpts', role: 'list' }, ...excerpts.map(renderExcerpt))
}

/** @param {Excerpt} excerpt */
function renderExcerpt({ base, file, page, section, heading, score, is_used: isUsed, text }) {
  const place = page ? `p. ${page}` : `section ${section}`
  return el(
    'li',
    { class: 'excerpt' },
    el(
      'div',
      { class: 'excerpt-head' },
      link(citedPage(base, file, { page, section }), showHidden(`${file}, ${place}`)),
      el(
        'span',
        { class: 'badge', 'data-state': isUsed ? 'approved' : '' },
        isUsed ? 'In the prompt' : 'Left out',
      ),
      el('span', { class: 'numeric muted small' }, `Score ${score.toFixed(2)}`),
    ),
    heading !== '' && el('p', { class: 'muted small' }, showHidden(heading)),
    el('p', { class: 'excerpt-text' }, showHidden(text.trim())),
  )
}

/**
 * Make links of the citations in an answer, as far as their documents were found in this run.
 * @param {HTMLElement} root  a finished message
 * @param {Map<string, string> | undefined} sources  the knowledge base of each document, by its name
 */
export function linkCitations(root, sources) {
  if (!sources || sources.size === 0) return
  root.normalize()
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement?.closest('a, pre, code, button')
      ? NodeFilter.FILTER_REJECT
      : NodeFilter.FILTER_ACCEPT,
  )
  /** @type {Text[]} */
  const texts = []
  while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode))
  for (const text of texts) linkWithin(text, sources)
}

/**
 * @param {Text} node
 * @param {Map<string, string>} sources
 */
function linkWithin(node, sources) {
  /** @type {(string | HTMLElement)[]} */
  const parts = []
  let end = 0
  for (const found of node.data.matchAll(citations())) {
    const [citation, file = '', kind, number = ''] = found
    const base = sources.get(file)
    if (base === undefined) continue
    const place = kind === 'p.' ? { page: Number(number), section: '' } : { section: number }
    parts.push(node.data.slice(end, found.index), link(citedPage(base, file, place), citation))
    end = found.index + citation.length
  }
  if (end > 0) node.replaceWith(...parts, node.data.slice(end))
}

/**
 * @param {string} href
 * @param {string} words
 */
const link = (href, words) =>
  el('a', { class: 'citation', href, target: '_blank', rel: 'noopener' }, words)
