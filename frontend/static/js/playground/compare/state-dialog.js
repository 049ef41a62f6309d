// @ts-check
/** @import {Body, RunContext} from '../types.js' */
import { api } from '../../core/api.js'
import { ask } from '../../core/dialog.js'
import { el, icon } from '../../core/dom.js'

/**
 * @typedef {{seq: number, state: Body, is_exact: boolean, unrecorded: {where: string, reason:
 *   string}[], divergence: {expected: string, actual: string} | null}} Then
 */

const EXACT = 'Exact team state: the log was re-executed up to this entry.'
const UNSURE = 'The state of the team here, as far as its log shows.'

/**
 * Show what the team remembered behind an entry, part by part.
 * @param {RunContext} context
 * @param {number} seq
 */
export async function showState({ run }, seq) {
  const then = /** @type {Then} */ (await api.get(`/api/runs/${run.id}/state?at=${seq}`))
  const parts = Object.entries(then.state.agent_states ?? {})
  const body = el(
    'div',
    { class: 'state-snapshot' },
    el(
      'p',
      {},
      el(
        'span',
        { class: 'badge', 'data-state': then.is_exact ? 'finished' : 'paused' },
        then.is_exact ? 'Exact' : 'Approximate',
      ),
      ' ',
      then.is_exact ? EXACT : UNSURE,
    ),
    reasons(then) ?? '',
    ...parts.map(([name, state]) => part(name, state)),
    parts.length === 0 && part('The team', then.state),
  )
  return ask({
    title: `Memory at entry ${seq}`,
    body,
    choices: [{ value: '', label: 'Close' }],
  })
}

/** @param {Then} then */
function reasons({ unrecorded, divergence }) {
  const reasons = unrecorded.map(({ where, reason }) =>
    el('li', {}, reason, ' ', el('code', {}, where)),
  )
  if (divergence)
    reasons.push(
      el(
        'li',
        {},
        `Re-execution diverged from the log: ${divergence.actual} in place of ${divergence.expected}.`,
      ),
    )
  return reasons.length > 0 ? el('ul', { class: 'state-reasons' }, ...reasons) : null
}

/**
 * @param {string} name
 * @param {Body} state
 */
function part(name, state) {
  const text = JSON.stringify(state, null, 2)
  return el(
    'details',
    {},
    el(
      'summary',
      {},
      icon('brain'),
      el('span', {}, name),
      el('span', { class: 'muted small' }, `${text.length.toLocaleString('en')} characters`),
    ),
    el('pre', { class: 'code-block', tabindex: '0', 'aria-label': `State of ${name}` }, text),
  )
}
