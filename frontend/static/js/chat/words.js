// @ts-check
import { ChatError } from './connection.js'

const A_WHILE_S = 120
/** @type {Record<string, string>} by code, for people who know nothing of calls and deployments */
const WORDS = {
  budget_exceeded:
    'The answer was stopped, since it reached a limit of this chat. Ask for less at once, or try again later.',
  cancelled: 'The answer was stopped.',
  stopped: 'The answer was stopped.',
  run_failed: 'The team could not answer. Try again, or say it in other words.',
  not_begun: 'The message did not reach the team. Send it again.',
  call_not_found: 'This message is no longer here. Send it again.',
  thread_busy: 'The team is still working on your last message. Wait for the answer, or stop it.',
  unavailable: 'This chat takes no messages now. Try again later.',
  too_large: 'The message is too long. Shorten it and send it again.',
  invalid_request: 'The message is too long. Shorten it and send it again.',
  unreachable: 'There is no connection. Check your network, then try again.',
}
const OTHER = 'Something went wrong. Try again in a moment.'

/**
 * Why there is no answer, and what to do.
 * @param {string} code
 */
export function wordsFor(code) {
  return WORDS[code] ?? OTHER
}

/** @param {unknown} error */
export function wordsOf(error) {
  if (!(error instanceof ChatError)) return OTHER
  if (error.code !== 'limit_reached') return wordsFor(error.code)
  return error.retryAfter_s > A_WHILE_S
    ? 'This chat has reached its limit for today. Try again tomorrow.'
    : 'There are too many messages at the moment. Wait a minute, then send it again.'
}
