// @ts-check
/** @import {Batch, Entry} from '../types.js' */
import { excerpt } from '../format.js'
import { ActiveWork } from './active-work.js'

/**
 * What an agent does in a run, and what it said last.
 * @typedef {object} AgentState
 * @property {'working' | 'waiting' | 'failed' | 'latest' | 'earlier'} state  `waiting`: for a
 *   person; `latest`: it spoke last of all
 * @property {string} text  of its last message, in one line
 * @property {number} seq  of that message in the log; 0 where there is none
 */

/** As much of a message as a card shows. */
const TEXT_LENGTH = 140

/** Tells of each agent of a run what it does now, from what the log tells. */
export class AgentStates {
  #work = new ActiveWork()
  /**
   * The last message of each.
   * @type {Map<string, {seq: number, text: string}>}
   */
  #said = new Map()
  /**
   * What each agent wrote last, and each tool gave last, in full.
   * @type {Map<string, string>}
   */
  #outputs = new Map()
  #latest = ''
  #asking = ''
  /**
   * Who had the word when the run failed.
   * @type {string[]}
   */
  #failed = []

  /** @param {Batch} batch */
  apply({ entries, chunks, state }) {
    for (const entry of entries) this.#entry(entry)
    this.#work.apply({ entries: [], chunks, state, live: true })
    if (state) this.#asking = state.pending?.source ?? ''
  }

  /** @param {Entry} entry */
  #entry(entry) {
    const { kind, seq, body } = entry
    if (kind === 'state' && body.state === 'failed')
      this.#failed = this.#work.now.flatMap(({ path }) => path)
    this.#work.apply({ entries: [entry], chunks: [], state: null, live: true })
    if (kind === 'state') this.#asking = String(body.pending?.source ?? '')
    if (body.type === 'TextMessage' && typeof body.content === 'string')
      this.#outputs.set(`agent ${body.source}`, body.content)
    if (body.type === 'ToolCallExecutionEvent')
      for (const { name, content } of listOf(body.content))
        this.#outputs.set(`tool ${name}`, String(content ?? ''))
    if (kind !== 'message' || typeof body.source !== 'string') return
    this.#said.set(body.source, { seq, text: excerpt(textOf(body.content), TEXT_LENGTH) })
    this.#latest = body.source
  }

  /**
   * What it gave last; undefined where that is not known.
   * @param {'agent' | 'tool'} kind
   * @param {string} name
   */
  outputOf(kind, name) {
    return this.#outputs.get(`${kind} ${name}`)
  }

  /**
   * Of an agent; of a team within the team, by the names of all in it.
   * @param {string[]} names
   * @returns {AgentState | null} null before it had the word
   */
  stateOf(names) {
    const said = names
      .flatMap((name) => this.#said.get(name) ?? [])
      .sort((one, other) => other.seq - one.seq)[0]
    const has = (/** @type {string[]} */ path) => names.some((name) => path.includes(name))
    const state = names.includes(this.#asking)
      ? 'waiting'
      : this.#work.now.some(({ path }) => has(path))
        ? 'working'
        : has(this.#failed)
          ? 'failed'
          : names.includes(this.#latest)
            ? 'latest'
            : 'earlier'
    if (state === 'earlier' && !said) return null
    return { state, text: said?.text ?? '', seq: said?.seq ?? 0 }
  }
}

/**
 * @param {unknown} content
 * @returns {{ name?: string, content?: string }[]}
 */
const listOf = (content) => (Array.isArray(content) ? content : [])

/** @param {unknown} content  a text, or texts and pictures, or what a structured answer holds */
function textOf(content) {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.filter((part) => typeof part === 'string').join(' ')
  return content === undefined || content === null ? '' : JSON.stringify(content)
}
