// @ts-check

/** @import {Body, RunState} from './types.js' */
import { isMyName } from '../core/permissions.js'

const PAUSED = /** @type {{[reason: string]: string}} */ ({
  user: 'Paused by you',
  step: 'Paused after a step',
  breakpoint: 'Paused at a breakpoint',
  input: 'Waiting for your answer',
  approval: 'Waiting for your approval',
  budget: 'Paused at the budget limit',
  shutdown: 'Paused: the server is stopping',
  killed: 'Paused: the server crashed twice',
  error: 'Paused: it cannot continue',
})

const STATES = /** @type {{[state: string]: string}} */ ({
  created: 'Starting',
  running: 'Running',
  paused: 'Paused',
  finished: 'Finished',
  stopped: 'Stopped',
  cancelled: 'Cancelled',
  failed: 'Failed',
  interrupted: 'Interrupted',
})

/** Why a run ended, when the log has no better words. */
const ENDINGS = /** @type {{[reason: string]: string}} */ ({
  user: 'as you asked',
  shutdown: 'the server was stopped',
  killed: 'the server crashed',
})

/** Pauses that nobody pressed a button for. */
export const EXPLAINED_PAUSES = /** @type {{[reason: string]: string}} */ ({
  breakpoint: 'Paused at a breakpoint',
  budget: 'Paused: this run reached its budget',
  shutdown: 'Paused: the server was stopping',
  killed: 'Paused: the server crashed twice during this run',
  error: 'Paused: the run could not continue after a restart',
})

const ENDED = new Set(['finished', 'stopped', 'cancelled', 'failed', 'interrupted'])

/** @param {string} state */
export const hasEnded = (state) => ENDED.has(state)

/** @param {string} state */
export const stateLabel = (state) => STATES[state] ?? state

/**
 * The answer to a command may come after the news that it caused: the stream is another connection.
 * @param {RunState} news
 * @param {RunState} known
 */
export const isOlder = (news, known) => (news.last_seq ?? Infinity) < (known.last_seq ?? 0)

/**
 * For a row of a list: what the run does, or that it waits for the reader.
 * @param {{state: string, reason?: string}} run
 */
export function rowStatus({ state, reason = '' }) {
  const isWaiting = state === 'paused' && ['input', 'approval', 'budget'].includes(reason)
  return isWaiting
    ? { words: 'Waiting for you', look: 'waiting' }
    : { words: stateLabel(state), look: state }
}

/**
 * The badge of the toolbar: what the run does and why.
 * @param {RunState} run
 * @param {{isStopping?: boolean, worker?: string}} [doing]  what was asked of it, and who is at
 *   work
 * @returns {{word: string, look: string, more: string}} `look` is the badge's data-state
 */
export function badge(run, { isStopping = false, worker = '' } = {}) {
  if (run.state === 'running') return runningBadge(run, isStopping, worker)
  if (run.state === 'paused') {
    const asker = run.reason === 'input' && run.pending ? run.pending.source : ''
    return {
      word: PAUSED[run.reason] ?? 'Paused',
      look: run.reason === 'input' ? 'waiting' : 'paused',
      more: asker,
    }
  }
  return { word: stateLabel(run.state), look: run.state, more: '' }
}

/**
 * @param {RunState} run
 * @param {boolean} isStopping
 * @param {string} worker
 */
function runningBadge(run, isStopping, worker) {
  if (!run.finishing)
    return { word: run.reason === 'step' ? 'One step' : 'Running', look: 'running', more: worker }
  const rest = `${worker || 'the team'} is still finishing`
  return { word: isStopping ? 'Stopping after this turn' : 'Pausing', look: 'paused', more: rest }
}

/**
 * What the service of a model answered instead.
 * @param {number} status  0 where it did not answer
 */
export function httpStatusText(status) {
  const meaning = {
    0: 'no connection',
    401: 'status 401 (key refused)',
    429: 'status 429 (rate limit)',
    503: 'status 503 (overloaded)',
    529: 'status 529 (overloaded)',
  }[status]
  return meaning ?? `status ${status}`
}

/** @param {Body} body  of the entry, which an index tells only the name of */
function failedCallText({ agent, model, status, attempt }) {
  if (status === undefined) return 'A model did not answer'
  return `${[agent, model].filter(Boolean).join(', ') || 'The model'}: ${httpStatusText(status)} at attempt ${attempt}`
}

/** @typedef {'pause' | 'step' | 'resume' | 'stop' | 'cancel'} Command */

/**
 * Which buttons mean something now.
 * @param {RunState} run
 * @returns {{[name in Command]: boolean}}
 */
export function allowed(run) {
  const isPausing = run.finishing === true
  const isHeld =
    run.state === 'paused' &&
    (run.reason === 'breakpoint' || (!run.pending && !['input', 'approval'].includes(run.reason)))
  const isOpen = ['created', 'running', 'paused'].includes(run.state)
  return {
    pause: run.state === 'running' && !isPausing && run.reason !== 'step',
    step: isHeld,
    resume: isHeld || (run.state === 'running' && isPausing),
    stop: run.state === 'running' || run.state === 'paused',
    cancel: isOpen,
  }
}

/**
 * How a run ended, in one line, and what else there is to say or do about it.
 * @param {Body} body  of the log's state entry
 * @param {{by?: string, because?: string}} [more]  who asked for it, and the conditions that fired
 *   in words
 * @returns {{line: string, more: string}}
 */
export function ending(body, { by = '', because = '' } = {}) {
  if (because) return { line: `${stateLabel(body.state)} because ${because}`, more: '' }
  const isAsked = by !== '' && ['stopped', 'cancelled'].includes(body.state)
  const message = body.error?.message || (isAsked ? '' : body.detail || ENDINGS[body.reason]) || ''
  const word = stateLabel(body.state)
  const isSaid = message.replace(/\.$/, '') === word
  const start = isAsked ? `${word} by ${person(by)}` : word
  return {
    line: message && !isSaid ? `${start}: ${message}` : start,
    more: String(body.error?.fix ?? ''),
  }
}

/** Who did it, for the person of this page. @param {string} by */
const person = (by) => (by && by !== 'user' && !isMyName(by) ? by : 'you')

/**
 * A command as a line of the conversation. What ends the run is told where it ends.
 * @param {string} command
 * @param {string} [by]
 * @param {Body} [body]  of the entry, where it is known
 */
export function commandText(command, by = '', body = {}) {
  if (command === 'decide') return decisionText(by, body)
  if (command === 'model_failed') return failedCallText(body)
  const past = {
    pause: 'Pause requested',
    interrupt: 'Paused now',
    hold: 'Paused now',
    resume: 'Resumed',
    step: STEPS[body.until] ?? 'One step',
    edit: body.text === null ? 'Message discarded' : 'Message changed',
    amend: body.text === null ? 'Message discarded' : 'Message changed',
  }
  const word = /** @type {{[name: string]: string}} */ (past)[command]
  return word ? `${word} by ${person(by)}` : ''
}

const STEPS = /** @type {{[until: string]: string}} */ ({
  turn: 'One turn',
  over: 'One step over',
  agent: 'A step to the next agent',
})

/**
 * @param {string} by
 * @param {Body} body
 */
function decisionText(by, body) {
  const what = body.tool ? `The call of ${body.tool}` : 'A call'
  const verb =
    body.verdict === 'deny'
      ? 'refused'
      : body.text !== undefined
        ? 'given another result'
        : body.arguments
          ? 'allowed with other arguments'
          : 'allowed'
  const who = by === 'timeout' ? 'because no one answered in time' : `by ${person(by)}`
  return `${what} was ${verb} ${who}${body.reason && by !== 'timeout' ? `: ${body.reason}` : ''}`
}
