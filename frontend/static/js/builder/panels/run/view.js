// @ts-check
/** @import {Run} from '../../../playground/types.js' */
import { find, on } from '../../../core/dom.js'
import { toastError } from '../../../core/toast.js'
import { controls } from '../../../playground/controls.js'
import { questionDock } from '../../../playground/debug/question-dock.js'
import { AgentStates } from '../../../playground/log/agent-states.js'
import { ActiveWork, modelPlace } from '../../../playground/log/active-work.js'
import { conversation } from '../../../playground/log/conversation.js'
import { server } from '../../../playground/log/server.js'

/**
 * One run in the panel: its conversation, its controls, and what it asks.
 * @param {HTMLElement} panel
 * @param {Run} run
 * @param {{ onStates: (states: AgentStates) => void, openModel: (pointer: string) => void, retry: () =>
 *   void }} to
 *   `told`: after each news; `retry`: go on where the run failed
 * @param {AbortSignal} signal
 */
export function runView(panel, run, { onStates, openModel, retry }, signal) {
  const part = (/** @type {string} */ name) => find(`[data-part="${name}"]`, panel)
  const work = new ActiveWork()
  const states = new AgentStates()
  const toolbar = controls(
    part('controls'),
    run,
    (command) => server.command(run.id, command),
    work,
    signal,
  )
  const question = questionDock(panel, send, null)

  /**
   * @param {string} command
   * @param {import('../../../playground/types.js').Body} [more]
   * @returns {Promise<void>}
   */
  async function send(command, more) {
    try {
      toolbar.showState(await server.command(run.id, command, more))
    } catch (error) {
      toastError(error)
      throw error
    }
  }

  on(panel, 'click', '[data-retry]', retry, signal)
  on(
    panel,
    'click',
    '[data-open-model]',
    (_, button) => openModel(modelPlace(run.component, button.dataset['openModel'] ?? '')),
    signal,
  )
  part('controls').addEventListener(
    'run:state',
    (event) => question.show(/** @type {CustomEvent} */ (event).detail),
    { signal },
  )
  return conversation(
    {
      scroller: part('chat-scroll'),
      list: part('chat'),
      none: part('chat-none'),
      toEnd: part('to-live'),
    },
    run,
    {
      answer: (requestId, text, files = []) =>
        send('answer', { request_id: requestId, text, files }),
      onState: toolbar.showState,
      work,
      views: {
        controls: (batch) => toolbar.apply(batch),
        question: ({ state }) => state && question.show(state),
        states: (batch) => {
          states.apply(batch)
          onStates(states)
        },
      },
    },
    signal,
  )
}
