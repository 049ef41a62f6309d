// @ts-check
/** @import {Batch, Run} from '../types.js' */
import { toastError } from '../../core/toast.js'
import { Chat } from '../chat/chat.js'
import { loadLevel } from '../chat/detail-level.js'
import { stickToBottom } from '../chat/stick-to-bottom.js'
import { colourBook, participantsOf } from '../flow/participants.js'
import { ActiveWork } from './active-work.js'
import { createFeed } from './feed.js'
import { followRun } from './follow-run.js'
import { RunIndex } from './run-index.js'
import { RunItems } from './run-items.js'
import { requestRun, readRun } from './read-run.js'
import { createSelection } from './selection.js'
import { entriesBetween } from './server.js'

/**
 * The conversation of one run, where a page shows little else of it: read to its end, and followed
 * as it happens.
 * @param {{scroller: HTMLElement, list: HTMLElement, none: HTMLElement, toEnd: HTMLElement}} parts
 * @param {Run} run
 * @param {{answer: import('../question.js').Answer, onState: (run: Run) => void,
 *   views?: {[name: string]: (batch: Batch) => void}, work?: ActiveWork}} with_
 *   `take`: gets the run when it is over; `views`: told of all that happens, after the conversation
 * @param {AbortSignal} signal
 */
export function conversation(
  { scroller, list, none, toEnd },
  run,
  { answer, onState, views = {}, work = new ActiveWork() },
  signal,
) {
  const index = new RunIndex(run.component)
  const items = new RunItems(index, (after, before) =>
    entriesBetween(run.id, after, before, signal),
  )
  const tail = stickToBottom(
    scroller,
    /** @type {HTMLButtonElement} */ (toEnd),
    () => chat.draw(),
    signal,
  )
  const selection = createSelection()
  const context = { colours: colourBook(participantsOf(run.component)), answer }
  const chat = new Chat(
    {
      scroller,
      list,
      none,
      tail,
      selection,
      index,
      items,
      context,
      level: loadLevel(),
      work,
      component: run.component,
    },
    signal,
  )
  const feed = createFeed(
    {
      index: (batch) => index.takeEntries(batch.entries),
      chat: (batch) => chat.apply(batch),
      ...views,
    },
    (_, error) => toastError(error),
  )

  async function readAndFollow() {
    const now = { entries: [], chunks: [], state: run, live: true }
    await readRun(
      requestRun(run, signal),
      { index, items, push: feed.push, pictures: Object.keys(views), signal },
      () => {
        feed.push(now, ['chat'])
        tail.toEnd()
      },
    )
    feed.push(now)
    followRun(run, { index, push: feed.push, onState }, signal)
  }

  /**
   * Go to an entry, whatever hides it.
   * @param {number} seq
   */
  function reveal(seq) {
    chat.reveal(seq, { isForced: true })
    selection.select(seq, 'link')
  }

  return { chat, reveal, shown: readAndFollow() }
}
