// @ts-check
/** @import {Batch, Body, Entry} from '../types.js' */
import { participantsOf, plannedEdges } from './participants.js'
import { TOP_LEVEL, placesIn } from '../log/nested-runs.js'
import { usageOf } from '../chat/message-parts.js'
import { hasEnded } from '../run-status.js'

/**
 * @typedef {object} FlowNode
 * @property {string} name
 * @property {number} messages
 * @property {number} tokens
 * @property {number} lastSeq  of its newest message
 * @property {boolean} isPlanned  named by the team's design, not only seen in the run
 * @property {import('../log/nested-runs.js').NestingPath} inside  participants within whom it stands
 *
 * @typedef {object} FlowEdge
 * @property {string} key
 * @property {string} from
 * @property {string} to
 * @property {number[]} seqs  messages that went this way, oldest first; none on an edge that is
 *   only planned
 * @property {boolean} isPlanned  the team's design has it
 */

/**
 * Counts which message went from whom to whom: to the agent that a handoff names, else to the one
 * that answers it.
 */
export class FlowCounts {
  /** @type {Map<string, FlowNode>} */
  nodes = new Map()
  /** @type {Map<string, FlowEdge>} */
  edges = new Map()
  /** Who works now, or ''. */
  speaker = ''
  /** Changes with each new node or edge: the picture needs a new layout. */
  shape = 0
  /** @type {{source: string, seq: number} | null} message that nobody has answered yet */
  #open = null
  /** @type {Map<number, FlowEdge>} by the message that went along it */
  #edgeOfMessage = new Map()
  /** @type {Map<number, string>} who did what an entry tells */
  #sources = new Map()

  #places

  /** @param {Body | null} component */
  constructor(component) {
    this.#places = placesIn(component)
    for (const [from, to] of plannedEdges(component)) {
      this.#edge(from, to).isPlanned = true
      for (const name of [from, to]) this.#node(name).isPlanned = true
    }
    this.#node('user')
    for (const { name } of participantsOf(component)) this.#node(name).isPlanned = true
  }

  /**
   * @param {Batch} batch
   * @returns {FlowEdge[]} edges that a message has just gone along, oldest first
   */
  apply(batch) {
    const travelled = batch.entries.flatMap((entry) => this.#entry(entry) ?? [])
    for (const { source } of batch.chunks) travelled.push(...this.#works(source))
    if (batch.state && batch.state.state !== 'running')
      this.speaker = batch.state.pending?.source ?? ''
    return travelled
  }

  /** Whether the design says who speaks after whom. */
  get isDesigned() {
    return [...this.edges.values()].some((edge) => edge.isPlanned)
  }

  /**
   * Whether the design would tell of this way, and does not; what goes on inside of an agent it
   * leaves open.
   * @param {FlowEdge} edge
   */
  isUnplanned({ from, to, isPlanned }) {
    const isLeftOpen = (/** @type {string} */ name) =>
      !this.nodes.get(name)?.isPlanned && this.#insideOf(name).length > 0
    return this.isDesigned && !isPlanned && !isLeftOpen(from) && !isLeftOpen(to)
  }

  /**
   * The edge that the message went along, if it has been answered.
   * @param {number} seq
   */
  edgeOf(seq) {
    return this.#edgeOfMessage.get(seq)
  }

  /**
   * Who did what an entry tells.
   * @param {number} seq
   */
  sourceOf(seq) {
    return this.#sources.get(seq) ?? ''
  }

  /**
   * @param {Entry} entry
   * @returns {FlowEdge[] | undefined}
   */
  #entry({ kind, body, seq }) {
    if (kind === 'state' && hasEnded(body.state)) this.speaker = ''
    if (kind !== 'message' && kind !== 'event') return undefined
    if (!body.source || isManager(body)) return undefined
    const travelled = this.#works(String(body.source))
    this.#sources.set(seq, String(body.source))
    const node = this.#node(String(body.source))
    const usage = usageOf(body.models_usage)
    if (usage) node.tokens += usage.prompt_tokens + usage.completion_tokens
    if (kind === 'message') {
      node.messages += 1
      node.lastSeq = seq
      this.speaker = ''
      const recipients = recipientsOf(body)
      this.#open = { source: node.name, seq }
      if (recipients) return [...travelled, ...this.#travelToAll(recipients)]
      if (body.type === 'HandoffMessage' && body.target)
        travelled.push(this.#travel(String(body.target)))
    }
    return travelled
  }

  /**
   * The agent does something: so the open message has come to it.
   * @param {string} source
   */
  #works(source) {
    this.#node(source)
    this.speaker = source
    return this.#open && this.#open.source !== source
      ? [this.#travel(this.#door(this.#open.source, source))]
      : []
  }

  /**
   * Who takes in a message for somebody inside: the outermost agent around the one and not around
   * the other.
   * @param {string} from
   * @param {string} to
   */
  #door(from, to) {
    const around = this.#insideOf(from)
    return (
      this.#insideOf(to).find(
        (name, depth) => around[depth] !== name && name !== from && this.nodes.has(name),
      ) ?? to
    )
  }

  /** @param {string} name */
  #insideOf(name) {
    return this.#places.get(name)?.[0] ?? TOP_LEVEL
  }

  /** @param {string} to */
  #travel(to) {
    const open = /** @type {{source: string, seq: number}} */ (this.#open)
    this.#node(to)
    const edge = this.#edge(open.source, to)
    edge.seqs.push(open.seq)
    this.#edgeOfMessage.set(open.seq, edge)
    this.#open = null
    return edge
  }

  /**
   * A message that says for whom it is goes there whoever speaks next.
   * @param {string[]} recipients
   */
  #travelToAll(recipients) {
    const open = this.#open
    const travelled = recipients.map((name) => {
      this.#open = open
      return this.#travel(name)
    })
    this.#open = null
    return travelled
  }

  /** @param {string} name */
  #node(name) {
    let node = this.nodes.get(name)
    if (!node) {
      this.nodes.set(
        name,
        (node = {
          name,
          messages: 0,
          tokens: 0,
          lastSeq: 0,
          isPlanned: false,
          inside: this.#insideOf(name),
        }),
      )
      this.shape += 1
    }
    return node
  }

  /**
   * @param {string} from
   * @param {string} to
   */
  #edge(from, to) {
    const key = JSON.stringify([from, to])
    let edge = this.edges.get(key)
    if (!edge) {
      this.edges.set(key, (edge = { key, from, to, seqs: [], isPlanned: false }))
      this.shape += 1
    }
    return edge
  }
}

/**
 * Events of the team itself are no agent's turn.
 * @param {Body} body
 */
function isManager(body) {
  return body.type === 'SelectSpeakerEvent' || body.type === 'SelectorEvent'
}

/**
 * For whom a message is, where it says so: one between agents without a team.
 * @param {Body} body
 * @returns {string[] | undefined}
 */
function recipientsOf(body) {
  const recipients = body.metadata?.recipients
  return typeof recipients === 'string' ? recipients.split('\n').filter(Boolean) : undefined
}
