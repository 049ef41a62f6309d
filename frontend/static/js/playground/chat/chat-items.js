// @ts-check
/** @import {Item, Part} from '../types.js' */
/** @import {ColourBook} from '../flow/participants.js' */
import { el, icon } from '../../core/dom.js'
import { networkGrant, renderCalls, updateCalls } from './chat-tools.js'
import { keepWhyOpen, renderWhy } from './chat-why.js'
import {
  LONG_ANSWER_LINES,
  TEXT_LIMIT,
  clip,
  clock,
  isLong,
  kilobytes,
  prettyJson,
  usageText,
} from '../format.js'
import { linkCitations, renderExcerpts } from './citations.js'
import { fileLinks } from '../files/file-links.js'
import { markdownWriter, renderMarkdown } from './markdown.js'
import { colour } from './message-blocks.js'
import { shownName } from '../flow/participants.js'
import { renderQuestion } from '../question.js'
import { renderEnd } from './run-end.js'

/**
 * @typedef {{colours: ColourBook, answer: import('../question.js').Answer}}
 *   ItemContext
 */
/**
 * @typedef {{writer: ReturnType<typeof markdownWriter>, text: string, body: HTMLElement}} Writing
 */

/** What a person has put into the conversation. */
const DELIVERY = /** @type {{[state: string]: string}} */ ({
  waiting: 'The team receives this before the next turn.',
  unheard: 'Not delivered: the run ended first.',
})

/** @type {WeakMap<Element, Writing>} messages that are still being written */
const writings = new WeakMap()

/**
 * @param {Item} item
 * @param {ItemContext} context
 * @returns {HTMLElement}
 */
export function renderItem(item, context) {
  if (item.kind === 'command' || isPlainNote(item))
    return fill(item, el('div', { class: 'marker' }, el('span', {}, item.label)))
  if (item.kind === 'end') return fill(item, renderEnd(item))
  const node = el(
    'article',
    {
      class: 'turn',
      'data-side': side(item, context),
      'data-hue': context.colours.hueOf(item.source),
    },
    el('span', { class: 'avatar', 'aria-hidden': 'true' }, initial(item.source)),
    ...renderHead(item),
    renderBody(item, context),
  )
  if (item.streaming) startWriting(node, item)
  return fill(item, node)
}

/**
 * @param {HTMLElement} node
 * @param {Item} item
 * @param {ItemContext} context
 * @returns {HTMLElement} the element to show from now on
 */
export function updateItem(node, item, context) {
  const writing = writings.get(node)
  if (writing && item.kind === 'message') {
    continueWriting(node, writing, item)
    return fill(item, node)
  }
  const calls = node.querySelector('.tool-calls')
  if (item.kind === 'tools' && calls instanceof HTMLElement) {
    updateCalls(calls, item)
    return fill(item, node)
  }
  const fresh = renderItem(item, context)
  keepWhyOpen(node, fresh, item)
  node.replaceWith(fresh)
  return fresh
}

/**
 * @param {Item} item
 * @param {HTMLElement} node
 */
function fill(item, node) {
  if (item.seq > 0) node.id = `seq-${item.seq}`
  Object.assign(node.dataset, { kind: item.kind, seq: String(item.seq), source: item.source })
  node.toggleAttribute('data-streaming', item.streaming)
  if (item.kind === 'message' || item.kind === 'handoff' || item.kind === 'input')
    node.tabIndex = -1
  return node
}

/**
 * @param {Item} item
 * @param {ItemContext} context
 */
function side(item, { colours }) {
  return colours.isHuman(item.source) && item.kind === 'message' ? 'user' : 'agent'
}

/**
 * A note without anything to unfold is a line.
 * @param {Item} item
 */
const isPlainNote = (item) =>
  item.kind === 'note' && item.parts.length === 0 && !item.files?.length && !item.excerpts

/** @param {string} source */
const initial = (source) =>
  source
    .replace(/[^\p{L}\p{N}]/gu, '')
    .charAt(0)
    .toUpperCase() || '·'

/**
 * @param {Item} item
 * @returns {HTMLElement[]}
 */
function renderHead(item) {
  const why = renderWhy(item)
  const head = el(
    'header',
    { class: 'turn-head' },
    el('h3', { class: 'turn-source' }, shownName(item.source)),
    why?.button,
    renderMeta(item),
  )
  return why ? [head, why.panel] : [head]
}

/** @param {Item} item */
function renderMeta(item) {
  const meta = el('span', { class: 'turn-meta numeric' })
  if (item.usage) {
    meta.append(
      el(
        'span',
        { class: 'turn-usage', title: usageText(item.usage) },
        icon('arrow-up'),
        el('span', {}, item.usage.prompt_tokens.toLocaleString('en')),
        icon('arrow-down'),
        el('span', {}, item.usage.completion_tokens.toLocaleString('en')),
        el('span', { class: 'visually-hidden' }, usageText(item.usage)),
      ),
    )
  }
  if (item.seq > 0 && item.at)
    meta.append(
      el(
        'a',
        { class: 'turn-time', href: `#e${item.seq}`, title: 'Link to this message' },
        clock(item.at),
      ),
    )
  if (item.seq > 0)
    meta.append(
      el(
        'button',
        {
          type: 'button',
          class: 'button quiet small icon-only turn-more',
          'data-turn-menu': true,
          'aria-haspopup': 'menu',
          'aria-label': `More for ${shownName(item.source)}’s message`,
        },
        icon('ellipsis'),
      ),
    )
  return meta
}

/**
 * @param {Item} item
 * @param {ItemContext} context
 */
function renderBody(item, context) {
  switch (item.kind) {
    case 'tools':
      return el('div', { class: 'turn-body' }, renderCalls(item))
    case 'thought':
      return folded('brain', 'Thought', ...item.parts.map(renderPart))
    case 'note':
      if (item.files?.length) return el('div', { class: 'turn-body' }, fileLinks(item.files))
      if (item.excerpts) return folded('scroll-text', item.label, renderExcerpts(item.excerpts))
      return folded('database', item.label, ...item.parts.map(renderPart))
    case 'code':
      return el(
        'div',
        { class: 'turn-body' },
        folded('terminal', `Ran code, exit code ${item.label}`, ...item.parts.map(renderPart)),
        fileLinks(item.files),
        networkGrant(item.parts[0]?.value ?? ''),
      )
    case 'input':
      return renderQuestion(item, context.answer)
    case 'handoff':
      return renderHandoff(item)
    default:
      return foldLong(
        item,
        side(item, context),
        el(
          'div',
          { class: 'turn-body' },
          ...renderAnswer(item),
          fileLinks(item.files),
          ...renderWritten(item),
          DELIVERY[item.kind === 'message' ? item.state : ''] &&
            el('p', { class: 'turn-delivery muted small' }, DELIVERY[item.state]),
        ),
      )
  }
}

/**
 * @param {Item} item
 * @returns {HTMLElement[]}
 */
function renderWritten({ written, parts }) {
  if (!written) return []
  const label = parts.length > 0 ? 'Show original' : 'Discarded: no agent received this'
  return [
    el(
      'details',
      { class: 'fold' },
      el('summary', {}, icon('pencil'), label),
      el('div', { class: 'fold-body' }, ...written.map(renderPart)),
    ),
  ]
}

/**
 * A long task leaves room for what the team makes of it, and so does a very long answer for what
 * comes after it.
 * @param {Item} item
 * @param {string} from
 * @param {HTMLElement} body
 */
function foldLong(item, from, body) {
  const text = item.parts.map((part) => (part.kind === 'image' ? '' : part.value)).join('\n')
  if (!isLong(text, from === 'user' ? undefined : LONG_ANSWER_LINES)) return body
  const more = `Show all ${kilobytes(text.length)}`
  body.dataset.long = 'folded'
  const button = el(
    'button',
    { type: 'button', class: 'button quiet small turn-unfold', 'aria-expanded': 'false' },
    more,
  )
  button.addEventListener('click', () => {
    const isFolded = body.dataset.long === 'open'
    body.dataset.long = isFolded ? 'folded' : 'open'
    button.textContent = isFolded ? more : 'Show less'
    button.ariaExpanded = String(!isFolded)
  })
  const inner = el('div', { class: 'turn-long' })
  inner.append(...body.childNodes)
  body.append(inner, button)
  return body
}

/**
 * @param {Part} part
 * @returns {HTMLElement}
 */
export function renderPart(part) {
  if (part.kind === 'image')
    return el('img', {
      class: 'turn-image',
      src: part.value,
      alt: 'Image in the message',
      loading: 'lazy',
    })
  if (part.kind === 'json') {
    const code = el('pre', { class: 'code-block', tabindex: '0' }, clip(prettyJson(part.value)))
    colour(code, 'json')
    return code
  }
  const prose = el('div', { class: 'prose' })
  renderMarkdown(prose, clip(part.value))
  return prose
}

/**
 * @param {string} glyph
 * @param {string} label
 * @param {HTMLElement[]} inside
 */
function folded(glyph, label, ...inside) {
  return el(
    'details',
    { class: 'turn-body fold' },
    el('summary', {}, icon(glyph), label),
    el('div', { class: 'fold-body' }, ...inside),
  )
}

/**
 * @param {Item} item
 * @returns {HTMLElement[]}
 */
function renderAnswer({ parts, sources }) {
  const nodes = parts.map(renderPart)
  for (const node of nodes) linkCitations(node, sources)
  return nodes
}

/** @param {Item} item */
function renderHandoff(item) {
  return el(
    'div',
    { class: 'turn-body handoff' },
    el(
      'span',
      { class: 'handoff-line' },
      icon('git-fork'),
      'hands off to ',
      el('strong', {}, item.label),
    ),
    ...item.parts.map((part) => el('p', { class: 'muted small' }, part.value)),
  )
}

/**
 * @param {HTMLElement} node
 * @param {Item} item
 */
function startWriting(node, item) {
  const body = /** @type {HTMLElement} */ (node.querySelector('.turn-body'))
  const prose = el('div', { class: 'prose' })
  body.replaceChildren(prose)
  const text = writtenSoFar(item)
  const writer = markdownWriter(prose)
  writer.write(text)
  writings.set(node, { writer, text, body })
}

/**
 * @param {HTMLElement} node
 * @param {Writing} writing
 * @param {Item} item
 */
function continueWriting(node, writing, item) {
  const text = writtenSoFar(item)
  const isWhole =
    item.parts.length === 1 && item.parts[0]?.kind === 'text' && text.startsWith(writing.text)
  if (isWhole) {
    writing.writer.write(text.slice(writing.text.length))
    writing.text = text
  }
  if (item.streaming) return
  writing.writer.end()
  writings.delete(node)
  if (isWhole) linkCitations(writing.body, item.sources)
  else writing.body.replaceChildren(...renderAnswer(item))
  node.querySelector('.turn-meta')?.replaceWith(renderMeta(item))
}

/**
 * No more of it than is shown of a message at all; how much more there is, is told when it ends.
 * @param {Item} item
 */
function writtenSoFar(item) {
  const text = item.parts[0]?.value ?? ''
  return item.streaming ? text.slice(0, TEXT_LIMIT) : clip(text)
}
