// @ts-check
/** @import {Batch, Body, Entry} from '../types.js' */
import { hasEnded } from '../run-status.js'

/**
 * Somebody who has the word.
 * @typedef {object} Work
 * @property {string} name  '' for a team that chooses who speaks next
 * @property {string[]} path  of participants, from the outermost team to this one
 * @property {number} since  ms since 1970, by the clock of the server
 * @property {'model' | 'tool' | 'writing'} phase  what is waited for; what is written can be seen
 *   itself
 * @property {number} attempt  1 unless the service of the model did not answer before
 * @property {number} status  of the last failed attempt; 0 where there was no answer
 */

/** Who works in a run now, from what its log tells. */
export class ActiveWork {
  /** @type {Work[]} outermost first */
  #works = []
  #state = ''
  #isAsking = false
  /** When the last message came, which nobody has been given the word after. */
  #idleSince = 0
  /**
   * Of the last entry that told the state: an answer that was asked for before may come after it.
   */
  #stateSeq = 0

  /** @param {Batch} batch */
  apply({ entries, chunks, state }) {
    for (const entry of entries) this.#entry(entry)
    for (const { source } of chunks) for (const work of this.#workOf(source)) work.phase = 'writing'
    if (!state || (state.last_seq ?? Infinity) < this.#stateSeq) return
    this.#state = state.state
    this.#isAsking = Boolean(state.pending)
    if (hasEnded(state.state)) this.#works = []
  }

  /**
   * Those who work, without whoever only waits for those inside.
   * @returns {Work[]}
   */
  get now() {
    if (this.#state !== 'running' || this.#isAsking) return []
    if (this.#works.length === 0)
      return this.#idleSince > 0
        ? [{ name: '', path: [], since: this.#idleSince, phase: 'model', attempt: 1, status: 0 }]
        : []
    return this.#works.filter(
      (work) => !this.#works.some((other) => other !== work && isWithin(other.path, work.path)),
    )
  }

  /** @param {string} name */
  has(name) {
    return this.now.some((work) => work.path.includes(name))
  }

  get names() {
    return this.now.map(({ name }) => name).filter(Boolean)
  }

  /** @param {Entry} entry */
  #entry({ seq, kind, body, at }) {
    const since = Date.parse(at)
    if (kind === 'explanation' && body.type === 'SpeakerDecisionEvent' && Array.isArray(body.path))
      this.#decided(body, since)
    else if (kind === 'message') this.#said(body, since)
    else if (kind === 'event') this.#event(body, since)
    else if (kind === 'command' && body.command === 'model_failed') this.#failed(body)
    else if (kind === 'command' && body.command === 'resume')
      for (const work of this.#works) work.since = since
    else if (kind === 'state') {
      this.#stateSeq = seq
      this.#onTurn(body, since)
    }
  }

  /**
   * @param {Body} body
   * @param {number} since
   */
  #decided(body, since) {
    this.#idleSince = 0
    this.#works = this.#works.filter(
      ({ path }) => path.length <= body.path.length || !isWithin(path, body.path),
    )
    for (const name of body.chosen)
      this.#works.push({
        name,
        path: [...body.path, name],
        since,
        phase: 'model',
        attempt: 1,
        status: 0,
      })
  }

  /**
   * @param {Body} body
   * @param {number} since
   */
  #said(body, since) {
    const done = this.#workOf(String(body.source))
    this.#works = this.#works.filter((work) => !done.includes(work))
    if (this.#works.length === 0) this.#idleSince = since
  }

  /**
   * @param {Body} body
   * @param {number} since
   */
  #event(body, since) {
    const phase = body.type === 'ToolCallRequestEvent' ? 'tool' : 'model'
    for (const work of this.#workOf(String(body.source)))
      Object.assign(work, { since, phase, attempt: 1, status: 0 })
  }

  /** @param {Body} body */
  #failed(body) {
    for (const work of this.#workOf(String(body.agent)))
      Object.assign(work, { attempt: Number(body.attempt) + 1, status: Number(body.status) })
  }

  /**
   * @param {Body} body
   * @param {number} since
   */
  #onTurn(body, since) {
    this.#state = String(body.state)
    this.#isAsking = Boolean(body.pending)
    if (hasEnded(body.state)) this.#works = []
    if (this.#state === 'running')
      for (const work of this.#works) if (work.phase === 'model') work.since = since
  }

  /** @param {string} name  of an agent */
  #workOf(name) {
    return this.#works.filter((work) => work.name === name)
  }
}

/**
 * @param {string[]} path
 * @param {string[]} outer
 */
const isWithin = (path, outer) =>
  path.length > outer.length && outer.every((name, index) => path[index] === name)

/**
 * The model of each agent and team of a design, by its name; '' is the outermost team.
 * @param {Body | null | undefined} component
 * @returns {Map<string, string>}
 */
export function modelsIn(component) {
  /** @type {Map<string, string>} */
  const models = new Map()
  note(models, component, '')
  return models
}

/**
 * @param {Map<string, string>} models
 * @param {unknown} value
 * @param {string} [name]
 */
function note(models, value, name) {
  if (typeof value !== 'object' || value === null) return
  const { config } = /** @type {Body} */ (value)
  const client = config?.model_client
  if (client?.config) models.set(name ?? String(config.name ?? ''), modelName(client))
  for (const part of Object.values(config ?? value)) note(models, part)
}

/**
 * @param {Body} client  with another one inside, where it keeps answers
 * @returns {string}
 */
function modelName(client) {
  const { config } = client
  return String(
    config.model ?? (config.client?.config ? modelName(config.client) : (client.label ?? '')),
  )
}

/**
 * Where the model of an agent is in a design, as a JSON pointer; of the team itself where nobody is
 * called so.
 * @param {Body} component
 * @param {string} agent
 */
export function modelPlace(component, agent) {
  return placeIn(component, agent, '') ?? '/config/model_client'
}

/**
 * @param {unknown} value
 * @param {string} agent
 * @param {string} place
 * @returns {string | undefined}
 */
function placeIn(value, agent, place) {
  if (typeof value !== 'object' || value === null) return undefined
  const { config } = /** @type {Body} */ (value)
  if (config?.name === agent && config.model_client) return `${place}/config/model_client`
  for (const [name, part] of Object.entries(value)) {
    const found = placeIn(
      part,
      agent,
      `${place}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
    )
    if (found) return found
  }
  return undefined
}
