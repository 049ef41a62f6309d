// @ts-check
/** @import {Task} from './types.js' */
import { api } from '../core/api.js'
import { find } from '../core/dom.js'
import { withApproval } from './approval.js'

/** Whether a run that ended so can go on with another task. @param {string} state */
export const goesOn = (state) => state === 'finished' || state === 'stopped'

/**
 * Where a run has ended whose team still knows what was said, the next task continues the conversation. A new one is
 * begun by the button beside it.
 * @param {HTMLFormElement} form
 */
export function nextTask(form) {
  const note = find('[data-part="next"]', form)
  const text = /** @type {HTMLTextAreaElement} */ (find('textarea', form))
  const words = find('button[type="submit"] span:last-child', form)
  return {
    get isWanted() {
      return !note.hidden
    },
    /** @param {boolean} isPossible */
    offer(isPossible) {
      note.hidden = !isPossible
      text.placeholder = isPossible ? 'Reply to the team' : 'What should the team do?'
      words.textContent = isPossible ? 'Send' : 'Run'
    },
    /** @param {string} runId @param {Task} task @returns {Promise<string | null>} */
    start: (runId, task) => withApproval(async () => (await api.post(`/api/runs/${runId}/next`, { task })).id),
  }
}
