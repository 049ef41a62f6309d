// @ts-check
/** @import {Batch, RunState} from './types.js' */
import { find } from '../core/dom.js'
import { toastError } from '../core/toast.js'
import { Chat } from './chat/chat.js'
import { keptLevel } from './chat/detail.js'
import { createFeed } from './log/feed.js'
import { excerpt, taskText, tokens, usageTotal } from './format.js'
import { colourBook, participantsOf } from './flow/participants.js'
import { AtWork } from './log/at-work.js'
import { RunIndex } from './log/run-index.js'
import { RunItems } from './log/run-items.js'
import { readRun } from './log/run-reading.js'
import { badge, hasEnded } from './run-words.js'
import { createSelection } from './log/selection.js'
import { entriesAfter, entriesBetween, newsOf, server } from './log/server.js'
import { openStream } from './log/stream.js'
import { followTail } from './chat/tail.js'

/**
 * One of several runs on a page: its conversation and how it stands, as it happens.
 * @param {HTMLElement} root @param {AbortSignal} signal
 */
export async function besideColumn(root, signal) {
  const part = (/** @type {string} */ name) => find(`[data-part="${name}"]`, root)
  const run = await server.run(root.dataset.runId ?? '')
  const index = new RunIndex(run.component)
  const items = new RunItems(index, (after, before) => entriesBetween(run.id, after, before, signal))
  const tail = followTail(part('scroll'), /** @type {HTMLButtonElement} */ (part('to-end')), () => chat.draw(), signal)
  const chat = new Chat({
    scroller: part('scroll'), list: part('chat'), none: part('none'), tail, selection: createSelection(), index, items,
    context: { colours: colourBook(participantsOf(run.component)), answer }, level: keptLevel(), work: new AtWork(), component: run.component,
  }, signal)

  /** @param {string} requestId @param {string} text */
  async function answer(requestId, text) {
    await server.command(run.id, 'answer', { request_id: requestId, text }).catch((error) => {
      toastError(error)
      throw error
    })
  }

  /** @param {RunState} state */
  function show(state) {
    const { word, look, more } = badge({ ...run, ...state })
    const mark = part('state')
    mark.textContent = word
    mark.dataset.state = look
    part('more').textContent = [more, usageTotal(state.usage) > 0 && `${tokens(usageTotal(state.usage))} tokens`].filter(Boolean).join(', ')
  }

  const feed = createFeed({
    index: (batch) => index.takeEntries(batch.entries),
    chat: (batch) => chat.apply(batch),
    state: (batch) => batch.state && show(batch.state),
  }, (_, error) => toastError(error))

  /** @param {Partial<Batch>} news */
  const push = (news) => feed.push({ entries: [], chunks: [], state: null, live: true, ...news })
  part('task').textContent = excerpt(taskText(run.task), 160)
  show(run)
  await readRun(run.id, { index, items, push: feed.push, pictures: [], signal }, () => {
    push({ state: run })
    tail.toEnd()
  })
  push({})
  if (hasEnded(run.state)) return chat
  openStream({
    after: index.lastSeq,
    url: (after) => server.streamUrl(run.id, after),
    onBatch: (batch) => feed.push(batch),
    onStatus: () => {},
    onDone: async () => show(await server.run(run.id)),
    look: (after) => newsOf(run.id, after, signal),
    isOver: async () => {
      const now = await server.run(run.id)
      if (hasEnded(now.state)) for await (const entries of entriesAfter(run.id, index.lastSeq, signal)) push({ entries })
      return hasEnded(now.state)
    },
  }, signal)
  return chat
}
