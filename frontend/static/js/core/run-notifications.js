// @ts-check
import { api } from './api.js'
import { showHidden } from './hidden-characters.js'
import { areNotificationsOn, followedRuns, notify, unfollowRun } from './notifications.js'

/**
 * @typedef {{run_id: string, team_name: string, pending: {request_id: string, prompt: string,
 *   kind?: string}}} Question
 */
/**
 * @typedef {{id: string, team_name: string, task: string, state: string, detail: string}} Summary
 */

const MAX_RUNS = 50
const MAX_LENGTH = 160
/** @type {{[state: string]: string}} */
const ENDED = {
  finished: 'finished',
  stopped: 'was stopped',
  cancelled: 'was canceled',
  failed: 'failed',
  interrupted: 'was interrupted',
}
/** @type {{[kind: string]: string}} */
const REQUESTS = {
  approval: 'asks to call a tool',
  budget: 'has reached its budget',
  breakpoint: 'is at a breakpoint',
  outcome: 'needs the outcome of a call',
}

/**
 * Notify of what runs ask, and of the end of those that are followed. What a window in front shows
 * is told already.
 * @param {Question[]} questions  all that are open
 * @param {{isOld: boolean}} how  whether they were open before
 */
export async function notifyOfRuns(questions, { isOld }) {
  if (!areNotificationsOn()) return
  for (const { run_id: runId, team_name: team, pending } of questions) {
    const words = REQUESTS[pending.kind ?? ''] ?? 'waits for your answer'
    notify(
      {
        id: `question ${pending.request_id}`,
        title: `${team || 'A team'} ${words}`,
        text: shorten(pending.prompt),
        address: `/runs/${runId}`,
      },
      { isSeen: isOld || isInFront(runId) || isInFront('', '/inbox') },
    )
  }
  const followed = followedRuns()
  if (followed.length === 0) return
  /** @type {Summary[]} */
  const newest = await api.get(`/api/runs?limit=${MAX_RUNS}`)
  for (const { id, team_name: team, task, state, detail } of newest) {
    const word = ENDED[state]
    if (!word || !followed.includes(id)) continue
    notify(
      {
        id: `end ${id}`,
        title: `${team || 'A team'} ${word}`,
        text: shorten(state === 'failed' ? detail : task),
        address: `/runs/${id}`,
      },
      { isSeen: isInFront(id) },
    )
    unfollowRun(id)
  }
}

/**
 * @param {string} runId
 * @param {string} [address]
 */
function isInFront(runId, address = `/runs/${runId}`) {
  return !document.hidden && location.pathname === address
}

/** @param {string} text */
function shorten(text) {
  const line = showHidden(text.replace(/\s+/g, ' '))
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line
}
