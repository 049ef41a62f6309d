// @ts-check
/** @import {RunState} from './types.js' */
import { find } from '../core/dom.js'
import { toastError } from '../core/toast.js'
import { excerpt, taskText, tokens, usageTotal } from './format.js'
import { conversation } from './log/conversation.js'
import { server } from './log/server.js'
import { badge } from './run-status.js'

/**
 * One of several runs on a page: its conversation and how it stands, as it happens.
 * @param {HTMLElement} root
 * @param {AbortSignal} signal
 */
export async function runColumn(root, signal) {
  const part = (/** @type {string} */ name) => find(`[data-part="${name}"]`, root)
  const run = await server.run(root.dataset.runId ?? '')

  /**
   * @param {string} requestId
   * @param {string} text
   */
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
    part('more').textContent = [
      more,
      usageTotal(state.usage) > 0 && `${tokens(usageTotal(state.usage))} tokens`,
    ]
      .filter(Boolean)
      .join(', ')
  }

  part('task').textContent = excerpt(taskText(run.task), 160)
  show(run)
  const parts = {
    scroller: part('scroll'),
    list: part('chat'),
    none: part('none'),
    toEnd: part('to-end'),
  }
  const { chat, shown } = conversation(
    parts,
    run,
    { answer, onState: show, views: { state: ({ state }) => state && show(state) } },
    signal,
  )
  await shown
  return chat
}
