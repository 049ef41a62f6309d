// @ts-check
/** @import {Entry, Item} from '../types.js' */
/** @import {Row} from '../log/run-index.js' */
import { el, icon } from '../../core/dom.js'
import { clip, prettyJson } from '../format.js'

const LINE_PX = 21
const LINE_CHARACTERS = 96
/** What the JSON of a message holds beside its text. */
const AROUND_TEXT = 230
const MAX_PX = 2400

/**
 * About how high an item is before it was drawn.
 * @param {Row} row
 * @param {boolean} isRaw
 * @param {number} width  px of the conversation
 */
export function estimateHeight(row, isRaw, width) {
  const letters = Math.max(24, (LINE_CHARACTERS * Math.min(width, 760)) / 760)
  const text = Math.ceil(Math.max(0, row.size - AROUND_TEXT) / letters) * LINE_PX
  const raw = isRaw ? 200 : 0
  switch (row.item) {
    case 'message':
      return Math.min(MAX_PX, 56 + text) + raw
    case 'tools':
      return 72 + raw
    case 'command':
      return 34 + raw
    case 'end':
      return 80 + raw
    case '':
      return 40 + raw
    default:
      return 62 + raw
  }
}

/**
 * Stands for an item whose body is not here yet.
 * @param {Row} row
 * @param {number} height
 */
export function placeholder(row, height) {
  const node = el(
    'div',
    { class: 'turn-waiting', 'data-seq': row.seq, 'aria-hidden': 'true' },
    el('span'),
    el('span'),
  )
  node.style.blockSize = `${Math.max(24, height - 16)}px`
  return node
}

/**
 * What the conversation says of an entry that is no item: shown when somebody asks for decisions.
 * @param {Entry} entry
 * @returns {Item}
 */
export function bareItem({ seq, at, body, kind }) {
  const chosen = Array.isArray(body.chosen) ? body.chosen.join(', ') : ''
  const label =
    body.type === 'SpeakerDecisionEvent' ? `Next: ${chosen || 'none'}. ${body.reason ?? ''}` : ''
  return {
    key: `seq-${seq}`,
    seq,
    at,
    kind: 'note',
    source: String(body.source ?? ''),
    parts: [],
    usage: null,
    calls: [],
    label: label || String(body.type ?? kind),
    streaming: false,
    requestId: '',
    answer: '',
    state: '',
    why: [],
  }
}

/**
 * The entry as it is in the log.
 * @param {Entry} entry
 */
export function rawEntry({ seq, kind, body }) {
  const { type } = body
  return el(
    'details',
    { class: 'raw-entry', open: true },
    el(
      'summary',
      {},
      icon('braces'),
      el('span', { class: 'numeric' }, `#${seq}`),
      type ? `${kind} · ${type}` : kind,
    ),
    el(
      'pre',
      { class: 'code-block', tabindex: '0' },
      clip(prettyJson(JSON.stringify(body)), 20_000),
    ),
  )
}
