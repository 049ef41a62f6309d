// @ts-check
/** @import {Batch, Chunk, Entry, RunState} from '../types.js' */
import { connectionSlot } from '../../core/connection-slots.js'
import { hasEnded } from '../run-status.js'

/** Animation frames stop in hidden tabs; the batches then go by this timer. */
const HIDDEN_FLUSH_MS = 250
/** A browser opens six connections to a server: hidden tabs give theirs back. */
const HIDDEN_CLOSE_MS = 30_000
/** How often a page looks for news that has to wait for its stream: other windows have theirs. */
const LOOK_MS = 2_000
const RETRY_MS = [500, 1000, 2000, 4000, 8000, 15_000]

/**
 * @typedef {object} StreamOptions
 * @property {(after: number) => string} url
 * @property {number} after  newest entry that the page has
 * @property {(batch: Batch) => void} onBatch  at most once per frame
 * @property {(status: 'open' | 'lost') => void} onStatus
 * @property {() => void} onDone
 * @property {() => Promise<boolean>} isOver  asked when the server refuses the stream
 * @property {(after: number) => Promise<{entries: Entry[], state: RunState}>} look  what is new,
 *   while other pages hold all streams
 */

/**
 * One connection per page, and a few for all pages of the browser. What arrives is collected and
 * handed on once per frame.
 * @param {StreamOptions} options
 * @param {AbortSignal} signal  ends it
 */
export function openStream(options, signal) {
  /** @type {EventSource | null} */
  let source = null
  let after = options.after
  let failures = 0
  let isDone = false
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let retryTimer
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let hideTimer
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let lookTimer
  /**
   * Set while the page has a stream, or waits for one.
   * @type {AbortController | null}
   */
  let asking = null
  let giveBack = () => {}
  const batches = collect(options.onBatch)

  async function connect() {
    if (isDone || asking || signal.aborted) return
    const own = (asking = new AbortController())
    lookTimer = setTimeout(look, LOOK_MS)
    const left = AbortSignal.any([signal, own.signal])
    const release = await connectionSlot(left).catch((error) => {
      if (!left.aborted) throw error
    })
    if (left.aborted) return release?.()
    clearTimeout(lookTimer)
    giveBack = release ?? giveBack
    open()
  }

  /** Until there is a slot: less often than a stream tells, and only whole entries. */
  async function look() {
    try {
      const { entries, state } = await options.look(after)
      if (source || isDone || !asking || signal.aborted) return
      append(entries)
      batches.add({ state })
      if (hasEnded(state.state)) return finish()
    } catch {
      // The next look, or the stream, tells when the studio cannot be reached.
    }
    lookTimer = setTimeout(look, LOOK_MS)
  }

  function open() {
    source = new EventSource(options.url(after))
    source.addEventListener('open', () => {
      failures = 0
      options.onStatus('open')
    })
    source.addEventListener('entries', (event) => {
      append(JSON.parse(event.data))
    })
    source.addEventListener('chunks', (event) => batches.add({ chunks: JSON.parse(event.data) }))
    source.addEventListener('state', (event) => batches.add({ state: JSON.parse(event.data) }))
    source.addEventListener('done', finish)
    source.addEventListener('error', lost)
  }

  /** @param {Entry[]} entries */
  function append(entries) {
    after = Math.max(after, ...entries.map((entry) => entry.seq))
    batches.add({ entries })
  }

  function disconnect() {
    clearTimeout(retryTimer)
    clearTimeout(lookTimer)
    source?.close()
    source = null
    asking?.abort()
    asking = null
    giveBack()
    giveBack = () => {}
  }

  function finish() {
    isDone = true
    disconnect()
    batches.flush()
    options.onDone()
  }

  async function lost() {
    options.onStatus('lost')
    // it reconnects by itself, with the last id
    if (source?.readyState !== EventSource.CLOSED) return
    disconnect()
    const isOver = await options.isOver().catch(() => false)
    if (signal.aborted) return
    if (isOver) return finish()
    retryTimer = setTimeout(connect, RETRY_MS[Math.min(failures, RETRY_MS.length - 1)])
    failures += 1
  }

  function visibility() {
    clearTimeout(hideTimer)
    batches.flush()
    if (document.hidden) hideTimer = setTimeout(disconnect, HIDDEN_CLOSE_MS)
    else connect()
  }

  document.addEventListener('visibilitychange', visibility, { signal })
  window.addEventListener('pagehide', disconnect, { signal })
  window.addEventListener('pageshow', connect, { signal })
  signal.addEventListener('abort', () => {
    clearTimeout(hideTimer)
    disconnect()
    batches.stop()
  })
  connect()
}

/** @param {(batch: Batch) => void} onBatch */
function collect(onBatch) {
  /** @type {Batch} */
  let waiting = empty()
  /** @type {(() => void) | null} */
  let unschedule = null

  function flush() {
    unschedule?.()
    unschedule = null
    if (waiting.entries.length + waiting.chunks.length === 0 && !waiting.state) return
    const batch = waiting
    waiting = empty()
    onBatch(batch)
  }

  return {
    flush,
    /** @param {{entries?: Entry[], chunks?: Chunk[], state?: RunState}} part */
    add({ entries = [], chunks = [], state }) {
      const finished = new Set(entries.map((entry) => entry.body.source))
      // the entry has the whole message
      waiting.chunks = waiting.chunks.filter((chunk) => !finished.has(chunk.source))
      waiting.entries.push(...entries)
      waiting.chunks.push(...chunks)
      if (state) waiting.state = state
      unschedule ??= schedule(flush)
    },
    stop() {
      unschedule?.()
      unschedule = null
      waiting = empty()
    },
  }
}

/** @returns {Batch} */
function empty() {
  return { entries: [], chunks: [], state: null, live: true }
}

/**
 * @param {() => void} flush
 * @returns {() => void} takes it back
 */
function schedule(flush) {
  if (document.hidden) {
    const timer = setTimeout(flush, HIDDEN_FLUSH_MS)
    return () => clearTimeout(timer)
  }
  const frame = requestAnimationFrame(flush)
  return () => cancelAnimationFrame(frame)
}
