// @ts-check
import { announce, find } from '../../../core/dom.js'
import { isSame } from '../../../core/pointer.js'
import { duration, tokens } from '../../../playground/format.js'

/** @typedef {import('./session.js').TrySession} TrySession */

const BADGES = /** @type {Record<string, [look: string, word: string]>} */ ({
  working: ['running', 'Working'],
  waiting: ['finished', 'Answered'],
  asked: ['warning', 'Waiting for you'],
  failed: ['failed', 'Failed'],
  cancelled: ['cancelled', 'Stopped'],
})

/**
 * What a try does now, what it cost, and the buttons that mean something.
 * @param {HTMLElement} root
 * @param {import('./tab.js').Open | null} open  the try of the selection
 * @param {unknown} component  the selection as it is now
 */
export function showStatus(root, open, component) {
  const part = (/** @type {string} */ name) => find(`[data-try-${name}]`, root)
  const session = open?.session
  const isBusy = session?.phase === 'starting' || session?.phase === 'working'
  for (const list of /** @type {NodeListOf<HTMLElement>} */ (
    part('chat').querySelectorAll('.chat')
  ))
    list.hidden = list !== open?.list
  part('empty').hidden = session !== undefined && session.phase !== 'starting'
  part('status').hidden = session === undefined || session.phase === 'starting'
  part('changed').hidden = !open || isSame(component, open.component)
  part('stop').hidden = !isBusy
  for (const button of /** @type {NodeListOf<HTMLButtonElement>} */ (
    root.querySelectorAll('[data-try-call], [data-try-list], [data-try-composer] button')
  ))
    button.disabled = isBusy
  if (!session || part('status').hidden) return
  const [look, word] = BADGES[badgeOf(session)] ?? ['', '']
  part('state').dataset['state'] = look
  part('state').textContent = word
  const facts = session.phase === 'working' ? '' : factsOf(session)
  if (facts && facts !== part('outcome').textContent && root.dataset['shape'] === 'tools')
    announce(`${word}: ${facts}`)
  part('outcome').textContent = facts
  part('outcome').title =
    root.dataset['kind'] === 'model' && session.outcome
      ? `Finish reason: ${session.outcome}`
      : facts
}

/** @param {TrySession} session */
function badgeOf(session) {
  if (session.isAsked) return 'asked'
  return session.phase === 'ended'
    ? session.state === 'failed'
      ? 'failed'
      : 'cancelled'
    : session.phase
}

/** @param {TrySession} session */
function factsOf({ phase, outcome, elapsedMs, tokens: count }) {
  const afresh = phase === 'ended' ? 'Your next message starts a new conversation' : ''
  return [outcome, duration(elapsedMs), count > 0 && `${tokens(count)} tokens`, afresh]
    .filter(Boolean)
    .join(' · ')
}
