// @ts-check
// The way from a chat page to its team: short-lived tokens, requests, and streams that go on after a break.
import { readEvents } from '../core/event-stream.js'

/**
 * An answer as it is kept and streamed: a call as callers see it.
 * @typedef {{ to: 'caller' | 'operator', id: string, prompt: string, choices: unknown[] }} Question
 * @typedef {{ id: string, state: string, answer: string | null, question: Question | null, error: {
 *   code: string, message: string } | null }} Call
 * @typedef {{ id: number | string, name: string, data: any }} ChatEvent
 * @typedef {{ text: string, call: Call, events: ChatEvent[] }} ChatMessage
 * @typedef {{ token: string, expires_at: string, title: string, greeting: string }} Opened
 * @typedef {{ token: string, answers: Record<string, string> }} Kept
 */

const EARLY_MS = 60_000
const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 10_000

/** What the server answered instead of what was asked for; `status` is 0 when no answer came. */
export class ChatError extends Error {
  /**
   * @param {number} status
   * @param {{ code?: string, message?: string }} error
   * @param {number} retryAfter_s
   */
  constructor(status, error, retryAfter_s = 0) {
    super(error.message ?? '')
    this.name = 'ChatError'
    this.status = status
    this.code = error.code ?? 'unknown'
    this.retryAfter_s = retryAfter_s
  }

  /** Whether the same may work a little later. */
  get isPassing() {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }
}

/**
 * @param {string} base  address of the page
 * @param {string} link  the key of a chat link, or ''
 */
export function connect(base, link) {
  const place = `studio-chat ${base} ${link}`
  const kept = read(place)
  /** @type {Opened | undefined} */
  let opened

  /** Get a token: for the chat that this tab had, else for a new one. */
  async function open() {
    /** @type {Record<string, string>} */
    const headers = link ? { Authorization: `Bearer ${link}` } : {}
    const response = await send(`${base}/tokens`, 'POST', headers, { token: kept.token })
    opened = /** @type {Opened} */ (await response.json())
    kept.token = opened.token
    write(place, kept)
    return opened
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {unknown} [body]
   * @param {Record<string, string>} [headers]
   */
  async function request(method, path, body, headers = {}) {
    if (!opened || Date.parse(opened.expires_at) - Date.now() < EARLY_MS) opened = await open()
    const once = (/** @type {Opened} */ by) =>
      send(base + path, method, { ...headers, Authorization: `Bearer ${by.token}` }, body)
    try {
      return await once(opened)
    } catch (error) {
      if (!(error instanceof ChatError) || error.status !== 401) throw error
      return await once(await open()) // the clock of this machine may be wrong
    }
  }

  /**
   * Follow a call from behind an event to its end. A stream that breaks goes on where it was.
   * @param {string} callId
   * @param {string | number} after
   * @param {(event: ChatEvent) => void} onEvent
   * @param {(isLost: boolean) => void} onLost  whether there is a connection
   */
  async function follow(callId, after, onEvent, onLost) {
    let wait_ms = FIRST_WAIT_MS
    for (;;) {
      try {
        /** @type {Record<string, string>} */
        const headers = after ? { 'Last-Event-ID': String(after) } : {}
        const path = `/calls/${encodeURIComponent(callId)}/events`
        const response = await request('GET', path, undefined, headers)
        if (response.status === 204 || !response.body) return
        onLost(false)
        for await (const event of readEvents(response.body)) {
          if (event.id) after = event.id
          wait_ms = FIRST_WAIT_MS
          onEvent(event)
          if (event.name === 'ended') return
        }
      } catch (error) {
        if (error instanceof ChatError && !error.isPassing) throw error
        onLost(true)
      }
      const pause_ms = wait_ms
      await new Promise((done) => setTimeout(done, pause_ms))
      wait_ms = Math.min(wait_ms * 2, MAX_WAIT_MS)
    }
  }

  return {
    open,
    follow,
    /** @returns {Promise<ChatMessage[]>} */
    messages: async () => (await request('GET', '/messages')).json(),
    /**
     * @param {string} text
     * @param {string} id  the same for each try to send it
     * @returns {Promise<Call>}
     */
    say: async (text, id) =>
      (await request('POST', '/messages', { text }, { 'Idempotency-Key': id })).json(),
    /**
     * @param {string} callId
     * @param {string} questionId
     * @param {string} text
     */
    async answer(callId, questionId, text) {
      const path = `/calls/${encodeURIComponent(callId)}/answers`
      kept.answers[questionId] = text // before it is sent: the stream may go on ahead of the reply to this
      write(place, kept)
      try {
        await request('POST', path, { question_id: questionId, text })
      } catch (error) {
        // One whose reply was lost may have come, as when the page is loaded again meanwhile.
        if (!(error instanceof ChatError && error.status === 0)) {
          delete kept.answers[questionId]
          write(place, kept)
        }
        throw error
      }
    },
    /** @param {string} callId */
    stop: (callId) => request('POST', `/calls/${encodeURIComponent(callId)}/cancel`),
    /**
     * What was answered from this tab.
     * @param {string} questionId
     */
    answerTo: (questionId) => kept.answers[questionId],
    /** Begin another chat with the next token. */
    forget() {
      opened = undefined
      Object.assign(kept, { token: '', answers: {} })
      write(place, kept)
    },
  }
}

/**
 * @param {string} url
 * @param {string} method
 * @param {Record<string, string>} headers
 * @param {unknown} body
 */
async function send(url, method, headers, body) {
  /** @type {Response} */
  let response
  try {
    response = await fetch(url, {
      method,
      headers: body === undefined ? headers : { ...headers, 'Content-Type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      credentials: 'Authorization' in headers ? 'omit' : 'same-origin',
    })
  } catch {
    throw new ChatError(0, { code: 'unreachable' })
  }
  if (response.ok) return response
  const said = await response.json().catch(() => ({}))
  const retryAfter_s = Number(response.headers.get('Retry-After') ?? 0)
  throw new ChatError(response.status, said.error ?? {}, retryAfter_s)
}

/**
 * @param {string} place
 * @returns {Kept}
 */
function read(place) {
  try {
    const { token = '', answers = {} } = JSON.parse(sessionStorage.getItem(place) ?? '{}')
    return { token, answers }
  } catch {
    return { token: '', answers: {} } // storage may be off: the chat lasts as long as the page
  }
}

/**
 * @param {string} place
 * @param {Kept} kept
 */
function write(place, kept) {
  try {
    sessionStorage.setItem(place, JSON.stringify(kept))
  } catch {
    // As above.
  }
}
