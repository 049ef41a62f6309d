// @ts-check
/** @import {Batch, Entry} from '../types.js' */
/** @import {RunIndex} from './run-index.js' */
/** @import {RunItems} from './run-items.js' */
import { CONTEXT } from './run-items.js'
import { lightEntry } from './run-index.js'
import { entriesBetween, indexOf, tailOf } from './server.js'

/**
 * What a page is opened with: a few screens, so that it is there at once however long the run is.
 */
const FIRST_ENTRIES = 260
/** Teams within teams whose conditions are told; more than these nobody nests. */
const MAX_DEPTH = 8

/**
 * Opens a run: its end first, then the index of the whole.
 * @param {string} id
 * @param {{index: RunIndex, items: RunItems, push: (batch: Batch, to: string[]) => void, pictures:
 *   string[], signal: AbortSignal}} into  `pictures`: views that the index is enough for
 * @param {() => void} ready  the end can be seen
 */
export async function readRun(id, { index, items, push, pictures, signal }, ready) {
  const wholeIndex = indexOf(id, signal)
  wholeIndex.catch(() => {}) // awaited below, and not at all where the tail is all there is
  const { entries, isWhole } = await tailOf(id, FIRST_ENTRIES, signal)
  items.begin(entries, isWhole)
  index.takeEntries(isWhole ? entries : entries.slice(CONTEXT))
  push(past(entries), ['chat'])
  if (isWhole) {
    push(past(entries), [...pictures, 'gauges'])
    return ready()
  }
  ready()
  const pages = await wholeIndex
  const newest = index.lastSeq // what came since then is streamed, with its bodies
  index.clear()
  for (const page of pages) index.takePage(page, newest)
  index.takeEntries(entries)
  push(past(index.rows.map(lightEntry)), pictures)
  push(past([...(await olderProgress(id, index, items.live.from, signal)), ...entries]), ['gauges'])
}

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
