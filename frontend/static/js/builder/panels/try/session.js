// @ts-check
/** @import { Batch, Entry, Pending, RunState } from '../../../playground/types.js' */
import { api } from '../../../core/api.js'
import { pageTeamId } from '../../../core/page-team.js'
import { readEvents } from '../../../core/event-stream.js'
import { withApproval } from '../../../playground/approval.js'
import { usageTotal } from '../../../playground/format.js'
import { hasEnded } from '../../../playground/run-status.js'

/** Who asks for the person's next message: the try itself; parts that ask have names. */
const NEXT = ''

/**
 * One try of a part, from its first message to its end. It lives as long as the page reads it:
 * leaving it ends it. Fires `change` when it works, waits or has ended, `tools` with the tools that
 * a workbench listed.
 */
export class TrySession extends EventTarget {
  /**
   * Starting is until it was approved.
   * @type {'starting' | 'working' | 'waiting' | 'ended'}
   */
  phase = 'starting'
  /** How the last answer, or the try, ended. */
  outcome = ''
  state = 'running'
  tokens = 0
  elapsedMs = 0
  /** Whether a person, or the part itself, is asked something. */
  isAsked = false
  #life = new AbortController()
  #since = performance.now()
  #id = ''
  #requestId = ''
  #component
  #kind
  #show

  /**
   * @param {import('../../document/catalogue.js').Component} component  as it is edited now
   * @param {string} kind  what the part is called in questions to the person
   * @param {(batch: Batch) => void} show
   */
  constructor(component, kind, show) {
    super()
    this.#component = component
    this.#kind = kind
    this.#show = show
  }

  /**
   * @param {import('../../../playground/types.js').Task} message
   * @param {string} [systemMessage]  for a model
   * @returns {Promise<boolean>} false when the person took it back
   */
  async start(message, systemMessage = '') {
    const { signal } = this.#life
    const body = {
      component: this.#component,
      message,
      team_id: pageTeamId(),
      ...(systemMessage ? { system_message: systemMessage } : {}),
    }
    const what = { subject: this.#kind, action: 'try', component: this.#component }
    const stream = await withApproval(() => {
      this.#since = performance.now()
      return api.stream('/api/part-runs', body, { signal })
    }, what)
    if (stream === null) return false
    this.#become('working')
    void this.#read(stream)
    return true
  }

  /**
   * Say the next thing to the part.
   * @param {string} text
   */
  async say(text) {
    const requestId = this.#requestId
    this.#become('working')
    this.#since = performance.now()
    try {
      await this.answer(requestId, text)
    } catch (error) {
      // it was not heard, and can be said again
      if (this.phase === 'working') this.#become('waiting')
      throw error
    }
  }

  /**
   * Answer what the part itself asks.
   * @param {string} requestId
   * @param {string} text
   */
  async answer(requestId, text) {
    await this.#command('answer', { request_id: requestId, text })
  }

  /** End it now; its last entry still comes. */
  async stop() {
    if (this.phase === 'ended') return
    if (this.#id === '') return this.leave()
    await this.#command('cancel', {}).catch(() => this.leave())
  }

  /** Read it no more; the server then ends it. */
  leave() {
    this.#life.abort()
    this.#become('ended')
  }

  /**
   * @param {string} command
   * @param {object} more
   */
  #command(command, more) {
    return api.post(`/api/part-runs/${this.#id}/commands`, { command, ...more })
  }

  /** @param {ReadableStream<Uint8Array>} stream */
  async #read(stream) {
    try {
      for await (const { name, data } of readEvents(stream)) {
        if (this.#life.signal.aborted) return
        if (name === 'started') this.#id = data.id
        else if (name === 'entries') this.#entries(data)
        else if (name === 'chunks') this.#show({ ...NOTHING, chunks: data })
        else if (name === 'state') this.#status(data)
      }
    } catch (error) {
      if (this.#life.signal.aborted) return
      this.outcome = `The connection was lost: ${error instanceof Error ? error.message : error}`
      this.state = 'failed'
    }
    this.#become('ended')
  }

  /** @param {Entry[]} entries */
  #entries(entries) {
    const lists = entries.filter(isList)
    for (const { body } of lists)
      this.dispatchEvent(new CustomEvent('tools', { detail: body['content'] }))
    this.#show({
      ...NOTHING,
      entries: entries.filter((entry) => !isList(entry) && !isOwn(entry.body['pending'])),
    })
  }

  /** @param {RunState} status */
  #status(status) {
    const { pending } = status
    this.#show({ ...NOTHING, state: isOwn(pending) ? { ...status, pending: null } : status })
    this.tokens = usageTotal(status.usage)
    this.state = status.state
    this.isAsked = Boolean(pending) && !isOwn(pending)
    if (isOwn(pending)) {
      const isNews = this.#requestId !== pending?.request_id
      this.#requestId = pending?.request_id ?? ''
      this.outcome = pending?.prompt ?? ''
      if (isNews) this.#become('waiting')
    } else if (hasEnded(status.state)) {
      this.outcome = ''
      this.#become('ended')
    } else this.#become('working')
  }

  /** @param {TrySession['phase']} phase */
  #become(phase) {
    if (phase !== 'working' && this.phase === 'working')
      this.elapsedMs = performance.now() - this.#since
    this.phase = phase
    this.dispatchEvent(new Event('change'))
  }
}

/** @type {Batch} */
const NOTHING = { entries: [], chunks: [], state: null, live: true }

/** @param {Entry} entry */
const isList = ({ body }) =>
  body['type'] === 'ToolEvent' &&
  body['name'] === 'list' &&
  body['tool'] === 'tools' &&
  body['call_id'] == null

/** @param {Pending | null | undefined} pending */
const isOwn = (pending) => pending?.source === NEXT
