// @ts-check
import { api } from '../../core/api.js'
import { find } from '../../core/dom.js'
import { estimateText } from './money.js'

/**
 * Beside the task: what a run takes, by the team's past ones.
 * @param {HTMLElement} page
 * @param {string} teamId
 * @param {AbortSignal} signal
 */
export async function showEstimate(page, teamId, signal) {
  const line = find('[data-part="estimate"]', page)
  if (teamId === '') return
  line.hidden = false // its place is taken before it comes, for the task above it is about to be pressed
  try {
    line.textContent = estimateText(await api.get(`/api/teams/${teamId}/estimate`, { signal }))
  } catch {
    line.hidden = true // a run can be started without it
  }
}
