// @ts-check
/** @import {Batch, Entry, Run} from '../types.js' */
/** @import {RunIndex} from './run-index.js' */
/** @import {RunItems} from './run-items.js' */
import { CONTEXT } from './run-items.js'
import { lightEntry } from './run-index.js'
import { entriesBetween, indexOf, tailOf } from './server.js'

/**
 * What a page is opened with: a few screens, so that it is there at once however long the run is.
 */
const FIRST_ENTRIES = 260
/** How long is waited for a frame. */
const MAX_FRAME_MS = 100
/** Teams within teams whose conditions are told; more than these nobody nests. */
const MAX_DEPTH = 8

/**
 * Requests what a page is opened with, so that it comes while the views are made.
 * @param {Run} run
 * @param {AbortSignal} signal
 */
export function requestRun({ id, last_seq: last }, signal) {
  const tail = tailOf(id, FIRST_ENTRIES, signal)
  // where the tail is all there is, nothing else is wanted
  const wholeIndex = last > FIRST_ENTRIES ? indexOf(id, signal) : null
  for (const each of [tail, wholeIndex]) each?.catch(() => {}) // told where it is awaited
  return { id, tail, wholeIndex }
}

/**
 * Opens a run: its end first, then the index of the whole.
 * @param {ReturnType<typeof requestRun>} requested
 * @param {{index: RunIndex, items: RunItems, push: (batch: Batch, to: string[]) => void, pictures:
 *   string[], signal: AbortSignal}} into  `pictures`: views that the index is enough for
 * @param {() => void} ready  the end can be seen
 * @returns {Promise<boolean>} whether the end is all there is
 */
export async function readRun(requested, { index, items, push, pictures, signal }, ready) {
  const { id } = requested
  const { entries, isWhole } = await requested.tail
  items.begin(entries, isWhole)
  index.takeEntries(isWhole ? entries : entries.slice(CONTEXT))
  push(past(entries), ['chat'])
  ready()
  if (isWhole) {
    await drawn()
    signal.throwIfAborted() // the views of the page may be another run's by now
    push(past(entries), [...pictures, 'gauges'])
    return true
  }
  const pages = await (requested.wholeIndex ?? indexOf(id, signal))
  signal.throwIfAborted()
  const newest = index.lastSeq // what came since then is streamed, with its bodies
  index.clear()
  for (const page of pages) index.takePage(page, newest)
  index.takeEntries(entries)
  push(past(index.rows.map(lightEntry)), pictures)
  push(past([...(await olderProgress(id, index, items.live.from, signal)), ...entries]), ['gauges'])
  return false
}

/** When what there is has been drawn; a tab in the background draws nothing. */
const drawn = () =>
  new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve))
    setTimeout(resolve, MAX_FRAME_MS)
  })

/**
 * @param {Entry[]} entries
 * @returns {Batch}
 */
const past = (entries) => ({ entries, chunks: [], state: null, live: false })

/**
 * How far conditions were that have not been told of lately.
 * @param {string} id
 * @param {RunIndex} index
 * @param {number} from
 * @param {AbortSignal} signal
 */
async function olderProgress(id, index, from, signal) {
  const newest = new Map(
    index.rows
      .filter(({ type }) => type === 'TerminationProgressEvent')
      .map(({ note, seq }) => [note, seq]),
  )
  const older = [...newest.values()]
    .filter((seq) => seq < from)
    .sort((a, b) => a - b)
    .slice(-MAX_DEPTH)
  return (
    await Promise.all(older.map((seq) => entriesBetween(id, seq - 1, seq + 1, signal)))
  ).flat()
}
