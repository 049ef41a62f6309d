// @ts-check
/** @import {Task} from './types.js' */
import { api } from '../core/api.js'
import { find } from '../core/dom.js'
import { withApproval } from './approval.js'

/** Whether a run that ended so can go on with another task. @param {string} state */
export const goesOn = (state) => state === 'finished' || state === 'stopped'

/**
 * The box beside the task that lets a conversation go on: the team still knows what was said in the run that is open.
 * @param {HTMLElement} root
 */
export function nextTask(root) {
  const box = /** @type {HTMLInputElement} */ (find('input', root))
  return {
    get isWanted() {
      return !root.hidden && box.checked
    },
    /** @param {boolean} isPossible */
    offer(isPossible) {
      root.hidden = !isPossible
    },
    /** @param {string} runId @param {Task} task @returns {Promise<string | null>} */
    start: (runId, task) => withApproval(async () => (await api.post(`/api/runs/${runId}/next`, { task })).id),
  }
}
