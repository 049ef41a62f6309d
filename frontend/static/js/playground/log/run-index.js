// @ts-check
/** @import {Body, Entry} from '../types.js' */
import { EXPLAINED_PAUSES, commandText, hasEnded } from '../run-status.js'
import { NestedRuns, TOP_LEVEL } from './nested-runs.js'

/**
 * One entry of the log without its body.
 * @typedef {object} Row
 * @property {number} seq
 * @property {number} at  ms since 1970
 * @property {Entry['kind']} kind
 * @property {string} type
 * @property {string} source
 * @property {string} note  state and reason, command, tool, whom it is handed to, or who is next
 * @property {number} input  tokens
 * @property {number} output
 * @property {number} size  length of the body as JSON
 * @property {boolean} isError
 * @property {boolean} isQuestion
 * @property {import('../types.js').Item['kind'] | ''} item  what the conversation shows of it; ''
 *   for nothing of its own
 * @property {number} owner  seq of the item that shows it; 0 for the next one
 * @property {import('./nested-runs.js').NestingPath} inside  the participants within whom it happened; the
 *   same place is the same array
 */

const ERROR = 1
const QUESTION = 2

/**
 * The whole log at a glance: what stands where. It grows by a few numbers per entry, and never
 * holds a body.
 */
export class RunIndex {
  /** @type {Row[]} in the order of the log */
  rows = []
  lastSeq = 0
  /** Changes when rows were replaced and not only added. */
  edition = 0
  /** @type {Set<number>} items that show an error */
  failed = new Set()
  /** @type {Map<string, number>} how many items each agent has */
  sources = new Map()
  /** @type {Map<string, number[]>} requests without a result, by agent */
  #calls = new Map()
  #nested

  /** @param {Body | null} [component]  of the run, which tells who is inside of whom */
  constructor(component = null) {
    this.#nested = new NestedRuns(component)
  }

  clear() {
    this.rows = []
    this.lastSeq = 0
    this.edition += 1
    this.#calls.clear()
    this.#nested.clear()
    this.failed.clear()
    this.sources.clear()
  }

  /**
   * A page of GET /api/runs/{id}/index.
   * @param {Body} page
   * @param {number} [until]  last seq to take
   */
  takePage(page, until = Number.POSITIVE_INFINITY) {
    const began = Date.parse(page.began_at)
    let seq = page.after ?? this.lastSeq
    page.seq.forEach((/** @type {number} */ step, /** @type {number} */ place) => {
      seq += step
      if (seq > until) return
      const word = (/** @type {string} */ name) => page.words[page[name][place]]
      this.#add({
        seq,
        at: began + page.at[place],
        kind: word('kind'),
        type: word('type'),
        source: word('source'),
        note: word('note'),
        input: page.prompt_tokens[place],
        output: page.completion_tokens[place],
        size: page.size[place],
        isError: (page.marks[place] & ERROR) > 0,
        isQuestion: (page.marks[place] & QUESTION) > 0,
        item: '',
        owner: 0,
        inside: TOP_LEVEL,
      })
    })
  }

  /**
   * Whole entries, as they come live.
   * @param {Entry[]} entries
   */
  takeEntries(entries) {
    for (const entry of entries) this.#add(rowOf(entry))
  }

  /**
   * Place of the row, or of the one after where it would be.
   * @param {number} seq
   */
  placeOf(seq) {
    let low = 0
    let high = this.rows.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (/** @type {Row} */ (this.rows[middle]).seq < seq) low = middle + 1
      else high = middle
    }
    return low
  }

  /** @param {number} seq */
  rowOf(seq) {
    const row = this.rows[this.placeOf(seq)]
    return row?.seq === seq ? row : undefined
  }

  /**
   * Which item of the conversation shows an entry: its own, that of its call, or the next one.
   * @param {number} seq
   */
  itemOf(seq) {
    const place = this.placeOf(seq)
    const row = this.rows[place]
    if (row?.seq === seq && row.owner > 0) return row.owner
    for (let next = place; next < this.rows.length; next += 1) {
      const { item, seq: found } = /** @type {Row} */ (this.rows[next])
      if (item !== '') return found
    }
    return this.rows.findLast((one) => one.item !== '')?.seq ?? 0
  }

  /**
   * Where somebody is who writes what is not in the log yet.
   * @param {string} source
   */
  insideOf(source) {
    return this.#nested.pathOf(source)
  }

  /** @param {Row} row */
  #add(row) {
    if (row.seq <= this.lastSeq) return
    this.lastSeq = row.seq
    row.item = this.#itemKind(row)
    row.inside = this.#nested.add(row)
    if (row.item !== '') row.owner = row.seq
    if (row.isError && row.owner > 0) this.failed.add(row.owner)
    if (row.item !== '' && row.source !== '')
      this.sources.set(row.source, (this.sources.get(row.source) ?? 0) + 1)
    this.rows.push(row)
  }

  /**
   * A row that was thought to be an item, and is shown by another one, such as a question that was
   * told twice.
   * @param {number} seq
   */
  isNoItem(seq) {
    const row = this.rowOf(seq)
    if (row) Object.assign(row, { item: '', owner: 0 })
  }

  /**
   * As the thread makes items of entries.
   * @param {Row} row
   * @returns {Row['item']}
   */
  #itemKind(row) {
    if (row.kind === 'message') return row.type === 'HandoffMessage' ? 'handoff' : 'message'
    if (row.kind === 'event') return this.#eventKind(row)
    if (row.kind === 'command') return commandText(row.note) ? 'command' : ''
    if (row.kind !== 'state') return ''
    const [state = '', reason = ''] = row.note.split(' ')
    if (hasEnded(state)) return 'end'
    if (row.isQuestion) return 'input'
    return state === 'paused' && EXPLAINED_PAUSES[reason] ? 'command' : ''
  }

  /**
   * @param {Row} row
   * @returns {Row['item']}
   */
  #eventKind(row) {
    switch (row.type) {
      case 'ToolCallRequestEvent':
        this.#calls.set(row.source, [...(this.#calls.get(row.source) ?? []), row.seq])
        return 'tools'
      case 'ToolCallExecutionEvent':
        return this.#result(row)
      case 'ThoughtEvent':
        return 'thought'
      case 'UserInputRequestedEvent':
        return 'input'
      case 'CodeGenerationEvent':
        return 'message'
      case 'CodeExecutionEvent':
        return 'code'
      default:
        return 'note'
    }
  }

  /**
   * @param {Row} row
   * @returns {Row['item']}
   */
  #result(row) {
    const [request, ...rest] = this.#calls.get(row.source) ?? []
    if (request === undefined) return 'tools'
    this.#calls.set(row.source, rest)
    row.owner = request
    return ''
  }
}

/**
 * What the server's index would say of an entry.
 * @param {Entry} entry
 * @returns {Row}
 */
export function rowOf({ seq, at, kind, body }) {
  const { content, result, models_usage: usage } = body
  const first = Array.isArray(content) ? content[0]?.name : undefined
  const note = body.state
    ? `${body.state} ${body.reason ?? ''}`
    : (body.command ??
      body.target ??
      first ??
      body.chosen?.[0] ??
      (body.path ? JSON.stringify(body.path) : ''))
  const isRefused = Array.isArray(content) && content.some((one) => one?.is_error === true)
  return {
    seq,
    at: Date.parse(at),
    kind,
    type: String(body.type ?? ''),
    source: String(body.source ?? ''),
    note: String(note),
    input: usage?.prompt_tokens ?? 0,
    output: usage?.completion_tokens ?? 0,
    size: sizeOf(body),
    isError:
      isRefused || (result?.exit_code ?? 0) !== 0 || (kind === 'state' && body.state === 'failed'),
    isQuestion: Boolean(body.pending?.request_id),
    item: '',
    owner: 0,
    inside: TOP_LEVEL,
  }
}

/**
 * About the length of its JSON: only the text counts.
 * @param {Body} body
 */
function sizeOf(body) {
  return 200 + (typeof body.content === 'string' ? body.content.length : 0)
}

/**
 * As much of an entry as the pictures need.
 * @param {Row} row
 * @returns {Entry}
 */
export function lightEntry({ seq, at, kind, type, source, note, input, output, isError }) {
  const [state = '', reason = ''] = kind === 'state' ? note.split(' ') : []
  /** @type {Body} */
  const body = {
    type,
    source,
    models_usage: input + output > 0 ? { prompt_tokens: input, completion_tokens: output } : null,
  }
  if (kind === 'state') Object.assign(body, { state, reason })
  if (kind === 'command') body.command = note
  if (type === 'HandoffMessage') body.target = note
  return {
    seq,
    at: new Date(at).toISOString(),
    kind,
    body,
    ...(isError ? { isError } : {}),
    ...(note ? { note } : {}),
  }
}
