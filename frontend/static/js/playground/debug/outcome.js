// @ts-check
/** @import {Pending} from '../types.js' */
/** @import {Send} from './decision.js' */
import { el, icon } from '../../core/dom.js'

/**
 * A call that was under way when the server was killed: nobody but the person can know what came of
 * it.
 * @param {Pending} pending
 * @param {Send} send
 */
export function outcomeCard(pending, send) {
  const { tool = pending.source, request } = pending.details ?? {}
  const id = `outcome-${pending.request_id}`
  const text = el('textarea', {
    class: 'input',
    rows: '2',
    'aria-label': 'Result',
    placeholder: 'Result (shown to the agent)',
  })
  const happened = el(
    'button',
    { class: 'button primary', type: 'submit' },
    icon('check'),
    el('span', {}, 'Completed with this result'),
  )
  const others = [
    ['again', 'Retry', 'repeat'],
    ['failed', 'Failed', 'ban'],
    ['stop', 'Stop run', 'circle-stop'],
  ].map(([outcome = '', label, glyph = '']) =>
    el(
      'button',
      { class: 'button', type: 'button', on: { click: () => void tell(outcome) } },
      icon(glyph),
      el('span', {}, label),
    ),
  )

  /** @param {string} given */
  async function tell(given) {
    const buttons = [happened, ...others]
    for (const each of buttons) each.disabled = true
    try {
      await send('answer', { request_id: pending.request_id, text: given })
    } catch {
      for (const each of buttons) each.disabled = false
    }
  }

  const form = el(
    'form',
    { class: 'decision', 'data-decision': pending.request_id, 'aria-labelledby': `${id}-title` },
    el(
      'div',
      { class: 'decision-head' },
      icon('triangle-alert'),
      el('h3', { id: `${id}-title` }, 'Outcome of ', el('code', {}, String(tool)), '?'),
    ),
    el('p', { class: 'decision-prompt' }, pending.prompt),
    request &&
      el(
        'details',
        { class: 'small' },
        el('summary', {}, 'Request'),
        el('pre', { class: 'code-block', tabindex: '0' }, JSON.stringify(request, null, 2)),
      ),
    text,
    el('div', { class: 'decision-foot', 'data-action-group': true }, happened, ...others),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void tell(JSON.stringify({ outcome: 'result', text: text.value }))
  })
  return form
}
