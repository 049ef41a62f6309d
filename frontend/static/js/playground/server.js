// @ts-check
/** @import {Body, Capability, Entry, Run, RunState, RunSummary, Task} from './types.js' */
import { ApiError, api } from '../core/api.js'

const PAGE = 500

/** What the playground asks of the server. Rejects with `ApiError`. */
export const server = {
  /** @returns {Promise<{id: string, name: string, summary: string}[]>} */
  teams: () => api.get('/api/teams'),
  /** @param {string} id @returns {Promise<{id: string, name: string, component: Body}>} */
  team: (id) => api.get(`/api/teams/${id}`),
  /** @param {string} id @returns {Promise<Run>} */
  run: (id) => api.get(`/api/runs/${id}`),
  /** @param {string} teamId @returns {Promise<RunSummary[]>} */
  runs: (teamId) => api.get(`/api/runs?team_id=${encodeURIComponent(teamId)}`),
  /** @param {string} teamId @param {Task} task @returns {Promise<{id: string}>} */
  start: (teamId, task) => api.post('/api/runs', { team_id: teamId, task }),
  /** @param {string} id @param {string} command @param {Body} [more] @returns {Promise<RunState>} */
  command: (id, command, more = {}) => api.post(`/api/runs/${id}/commands`, { command, ...more }),
  /** @param {string[]} hashes @param {unknown} [component]  that asks for them, where it is not saved */
  approve: (hashes, component) => api.post('/api/approvals', { hashes, ...(component ? { component } : {}) }),
  /** @param {string} id @param {number} after */
  streamUrl: (id, after) => `/api/runs/${id}/stream?after=${after}`,
}

/**
 * The log from its start, a page at a time.
 * @param {string} id
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<Entry[]>}
 */
export async function* pastOf(id, signal) {
  let after = 0
  for (;;) {
    const entries = await page(id, after, PAGE, signal)
    if (entries.length > 0) yield entries
    if (entries.length < PAGE) return
    after = entries[entries.length - 1].seq
  }
}

/**
 * The newest entries before one that the page has. Some numbers belong to entries that pages are not sent,
 * so a page may be short, or start a new search further back when it is empty.
 *
 * @param {string} id
 * @param {number} before
 * @param {number} count
 * @param {AbortSignal} signal
 * @returns {Promise<{entries: Entry[], isStart: boolean}>}
 */
export async function entriesBefore(id, before, count, signal) {
  for (let after = before - 1 - count; ; after -= count) {
    const from = Math.max(0, after)
    const entries = (await page(id, from, count, signal)).filter((entry) => entry.seq < before)
    if (entries.length > 0 || from === 0) return { entries, isStart: from === 0 }
  }
}

/** @param {string} id @param {number} after @param {number} limit @param {AbortSignal} signal @returns {Promise<Entry[]>} */
async function page(id, after, limit, signal) {
  return (await api.get(`/api/runs/${id}/events?after=${after}&limit=${limit}`, { signal })).entries
}

/** What a refused start would need, or null when the error is another one. @param {unknown} error @returns {Capability[] | null} */
export function missingApprovals(error) {
  if (!(error instanceof ApiError) || error.code !== 'not_approved') return null
  return /** @type {Capability[]} */ (error.body.missing ?? [])
}
