// @ts-check
/** @import {Batch, Chunk, Entry, RunState} from '../types.js' */

/** Animation frames stop in hidden tabs; the batches then go by this timer. */
const HIDDEN_FLUSH_MS = 250
/** A browser opens six connections to a server: hidden tabs give theirs back. */
const HIDDEN_CLOSE_MS = 30_000
const RETRY_MS = [500, 1000, 2000, 4000, 8000, 15_000]

/**
 * @typedef {object} StreamOptions
 * @property {(after: number) => string} url
 * @property {number} after  newest entry that the page has
 * @property {(batch: Batch) => void} onBatch  at most once per frame
 * @property {(status: 'open' | 'lost') => void} onStatus
 * @property {() => void} onDone
 * @property {() => Promise<boolean>} isOver  asked when the server refuses the stream
 */

/**
 * One connection per page. What arrives is collected and handed on once per frame.
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
  const batches = collect(options.onBatch)

  function connect() {
    if (isDone || source || signal.aborted) return
    source = new EventSource(options.url(after))
    source.addEventListener('open', () => {
      failures = 0
      options.onStatus('open')
    })
    source.addEventListener('entries', (event) => {
      const entries = /** @type {Entry[]} */ (JSON.parse(event.data))
      after = Math.max(after, ...entries.map((entry) => entry.seq))
      batches.add({ entries })
    })
    source.addEventListener('chunks', (event) => batches.add({ chunks: JSON.parse(event.data) }))
    source.addEventListener('state', (event) => batches.add({ state: JSON.parse(event.data) }))
    source.addEventListener('done', finish)
    source.addEventListener('error', lost)
  }

  function disconnect() {
    clearTimeout(retryTimer)
    source?.close()
    source = null
  }

  function finish() {
    isDone = true
    disconnect()
    batches.flush()
    options.onDone()
  }

  async function lost() {
    options.onStatus('lost')
    if (source?.readyState !== EventSource.CLOSED) return // it reconnects by itself, with the last id
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
      waiting.chunks = waiting.chunks.filter((chunk) => !finished.has(chunk.source)) // the entry has the whole message
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

/** @param {() => void} flush @returns {() => void} takes it back */
function schedule(flush) {
  if (document.hidden) {
    const timer = setTimeout(flush, HIDDEN_FLUSH_MS)
    return () => clearTimeout(timer)
  }
  const frame = requestAnimationFrame(flush)
  return () => cancelAnimationFrame(frame)
}
