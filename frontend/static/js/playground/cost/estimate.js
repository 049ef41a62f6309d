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
  try {
    line.textContent = estimateText(await api.get(`/api/teams/${teamId}/estimate`, { signal }))
    line.hidden = false
  } catch {
    line.hidden = true // a run can be started without it
  }
}
