// @ts-check
/** @import {Body, Capability, Entry, GivenFile, Run, RunState, RunSummary, Task} from '../types.js' */
import { ApiError, api } from '../../core/api.js'
import { pageTeamId } from '../../core/page-team.js'

const PAGE = 500
/** In one page of the list of runs. */
export const RUNS = 50
/** The server gives no more at once; and fewer where they say much. */
const MAX_ENTRIES = 2000

/** What the playground asks of the server. Rejects with `ApiError`. */
export const server = {
  /** @returns {Promise<{id: string, name: string, summary: string}[]>} */
  teams: () => api.get('/api/teams'),
  /**
   * @param {string} id
   * @returns {Promise<{id: string, name: string, component: Body}>}
   */
  team: (id) => api.get(`/api/teams/${id}`),
  /**
   * @param {string} id  of a team
   * @returns {Promise<{agent: string, model: string}[]>} whose models read no pictures
   */
  withoutVision: (id) => api.get(`/api/teams/${id}/without-vision`),
  /**
   * @param {string} id
   * @returns {Promise<Run>}
   */
  run: (id) => api.get(`/api/runs/${id}`),
  /**
   * The newest ones, or those before another one; with a text those that hold it.
   * @param {string} teamId
   * @param {string} [before]
   * @param {string} [text]
   * @returns {Promise<RunSummary[]>}
   */
  runs: (teamId, before, text) =>
    api.get(
      `/api/runs?team_id=${encodeURIComponent(teamId)}&limit=${RUNS}${before ? `&before=${encodeURIComponent(before)}` : ''}${text ? `&text=${encodeURIComponent(text)}` : ''}`,
    ),
  /**
   * @param {string} teamId
   * @param {Task} task
   * @param {boolean} withMocks
   * @param {GivenFile[]} files
   * @returns {Promise<Run>}
   */
  start: (teamId, task, withMocks, files) =>
    api.post('/api/runs', {
      team_id: teamId,
      task,
      ...(files.length > 0 ? { files } : {}),
      ...(withMocks ? { with_mocks: true } : {}),
    }),
  /**
   * A new run, recorded as the old one up to an entry.
   * @param {string} id
   * @param {number | 'failure'} place
   * @returns {Promise<{id: string}>}
   */
  rerun: (id, place) => api.post(`/api/runs/${id}/rerun`, { from_seq: place }),
  /**
   * @param {string} id
   * @param {string} command
   * @param {Body} [more]
   * @returns {Promise<RunState>}
   */
  command: (id, command, more = {}) => api.post(`/api/runs/${id}/commands`, { command, ...more }),
  /**
   * For the team of the page, where there is one; else, or if told so, for all teams.
   * @param {string[]} hashes
   * @param {unknown} [component]  that asks for them, where it is not saved
   * @param {{ isForAll?: boolean, isTyped?: boolean }} [how]
   */
  approve: (hashes, component, { isForAll = false, isTyped = false } = {}) =>
    api.post('/api/approvals', {
      hashes,
      ...(component ? { component } : {}),
      ...scopeOfPage(),
      ...(isForAll ? { scope: 'anywhere' } : {}),
      ...(isTyped ? { typed: true } : {}),
    }),
  /**
   * Approve scorers in Python of a suite, for its team.
   * @param {string[]} hashes
   * @param {string} suiteId
   */
  approveScorers: (hashes, suiteId) =>
    api.post('/api/approvals', { hashes, suite_id: suiteId, scope: 'team' }),
  /**
   * @param {string} id
   * @returns {Promise<{messages: {seq: number, micro_usd: number}[]}>}
   */
  cost: (id) => api.get(`/api/runs/${id}/cost`),
  /**
   * @param {string} id
   * @param {number} after
   */
  streamUrl: (id, after) => `/api/runs/${id}/stream?after=${after}`,
}

function scopeOfPage() {
  const teamId = pageTeamId()
  return teamId ? { team_id: teamId, scope: 'team' } : {}
}

/** @typedef {{seq: number, before: string, match: string, after: string}} Hit */

/**
 * The end of the log.
 * @param {string} id
 * @param {number} count
 * @param {AbortSignal} signal
 * @returns {Promise<{entries: Entry[], isWhole: boolean}>} `isWhole`: nothing comes before it
 */
export async function tailOf(id, count, signal) {
  /** @type {Entry[]} */
  let entries = []
  for (let before = ''; ; ) {
    const limit = count - entries.length
    const page = await api.get(`/api/runs/${id}/events?newest=true&limit=${limit}${before}`, {
      signal,
    })
    entries = [...page.entries, ...entries]
    if (page.is_whole || page.entries.length === 0 || entries.length >= count) {
      return { entries, isWhole: page.is_whole }
    }
    before = `&before=${entries[0].seq}`
  }
}

/**
 * Entries between two numbers, both left out, oldest first.
 * @param {string} id
 * @param {number} after
 * @param {number} before
 * @param {AbortSignal} signal
 * @returns {Promise<Entry[]>}
 */
export async function entriesBetween(id, after, before, signal) {
  /** @type {Entry[]} */
  const entries = []
  for (let place = Math.max(0, after); ; ) {
    const page = await api.get(
      `/api/runs/${id}/events?after=${place}&before=${before}&limit=${MAX_ENTRIES}`,
      { signal },
    )
    entries.push(...page.entries)
    if (page.is_whole || page.entries.length === 0) return entries
    place = page.entries[page.entries.length - 1].seq
  }
}

/**
 * What comes after an entry, to the end of the log, a page at a time.
 * @param {string} id
 * @param {number} after
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<Entry[]>}
 */
export async function* entriesAfter(id, after, signal) {
  for (let place = after; ; ) {
    const { entries, is_whole: isWhole } = await api.get(
      `/api/runs/${id}/events?after=${place}&limit=${PAGE}`,
      { signal },
    )
    if (entries.length > 0) yield entries
    if (isWhole || entries.length === 0) return
    place = entries[entries.length - 1].seq
  }
}

/**
 * What a stream would tell next.
 * @param {string} id
 * @param {number} after
 * @param {AbortSignal} signal
 * @returns {Promise<{entries: Entry[], state: Run}>}
 */
export async function newsOf(id, after, signal) {
  const state = await server.run(id) // first: what comes after it is in the entries as well
  /** @type {Entry[]} */
  const entries = []
  for await (const page of entriesAfter(id, after, signal)) entries.push(...page)
  return { entries, state }
}

/**
 * The index of the whole log, in pages.
 * @param {string} id
 * @param {AbortSignal} signal
 * @returns {Promise<Body[]>}
 */
export async function indexOf(id, signal) {
  /** @type {Body[]} */
  const pages = []
  for (let after = 0; ; ) {
    const page = await api.get(`/api/runs/${id}/index?after=${after}`, { signal })
    pages.push({ ...page, after })
    if (page.is_whole) return pages
    after = page.last_seq
  }
}

/**
 * @param {string} id
 * @param {string} text
 * @param {number} after
 * @param {AbortSignal} signal
 * @returns {Promise<{hits: Hit[], next_after: number | null}>}
 */
export function searchIn(id, text, after, signal) {
  return api.get(`/api/runs/${id}/search?q=${encodeURIComponent(text)}&after=${after}`, { signal })
}

/**
 * The page on which a person decides what a refused start needs; "" where there is none.
 * @param {unknown} error
 */
export function reviewPage(error) {
  const path = error instanceof ApiError ? error.body['review'] : undefined
  return typeof path === 'string' ? path : ''
}

/**
 * @typedef {{group: string, glyph: string, title: string, words: string, hashes: string[]}}
 *   AskedGroup
 * @typedef {{missing: Capability[], could: string, groups: AskedGroup[], connections: string[]}}
 *   Asked  `could`: goes on after "This team can";
 *   `connections`: hashes of what models are reached by
 */

/**
 * What a refused start would need, or null when the error is another one.
 * @param {unknown} error
 * @returns {Asked | null}
 */
export function missingApprovals(error) {
  if (!(error instanceof ApiError) || error.code !== 'not_approved') return null
  const {
    missing = [],
    could = '',
    groups = [],
    connections = [],
  } = /** @type {Partial<Asked>} */ (error.body)
  return { missing, could, groups, connections }
}
