// @ts-check
/** @import {GivenFile, Run, RunState, Task} from './types.js' */
import { api } from '../core/api.js'
import { find } from '../core/dom.js'
import { withApproval } from './approval.js'
import { hasEnded } from './run-status.js'

/**
 * What the box below the conversation is for: a run that begins, a conversation that goes on, or a
 * run under way.
 * @typedef {'new' | 'next' | 'say'} Mode
 */

const WORDS = /** @type {const} */ ({
  new: { label: 'Task for the team', placeholder: 'What should the team do?', send: 'Run' },
  next: { label: 'Task for the team', placeholder: 'Reply to the team', send: 'Send' },
  say: { label: 'Message to the team', placeholder: 'Say something to the team', send: 'Send' },
})

/**
 * What can be sent while a run is so; null while it asks something.
 * @param {Pick<RunState, 'state' | 'pending'> | null} run  null where none is open
 * @returns {Mode | null}
 */
export function modeOf(run) {
  if (run === null) return 'new'
  if (!hasEnded(run.state)) return run.pending ? null : 'say'
  // others cannot go on with another task
  return run.state === 'finished' || run.state === 'stopped' ? 'next' : 'new'
}

/**
 * Where a run has ended whose team still knows what was said, the next task continues the
 * conversation. A new one is begun by the button beside it.
 * @param {HTMLFormElement} form
 */
export function nextTask(form) {
  const text = /** @type {HTMLTextAreaElement} */ (find('textarea', form))
  return {
    get mode() {
      return /** @type {Mode} */ (form.dataset['mode'] ?? 'new')
    },
    /** @param {Mode} mode */
    offer(mode) {
      const { label, placeholder, send } = WORDS[mode]
      form.dataset['mode'] = mode
      find('[data-part="next"]', form).hidden = mode !== 'next'
      find('[data-part="say"]', form).hidden = mode !== 'say'
      text.placeholder = placeholder
      text.ariaLabel = label
      find('button[type="submit"] span:last-child', form).textContent = send
    },
    /**
     * @param {string} runId
     * @param {Task} task
     * @param {GivenFile[]} files
     * @param {() => void} leave  before the page is left for the review
     * @returns {Promise<Run | null>}
     */
    start: (runId, task, files, leave) =>
      withApproval(() => api.post(`/api/runs/${runId}/next`, { task, files }), { leave }),
  }
}
