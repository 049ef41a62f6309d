// @ts-check
/** @import {Pending} from '../types.js' */
/** @import {Send} from '../debug/decision.js' */
/** @import {Measure} from './money.js' */
import { el, icon } from '../../core/dom.js'
import { can } from '../../core/permissions.js'

const MICRO = 1_000_000
const UNITS = /** @type {{[measure: string]: {unit: number, word: string, least: number}}} */ ({
  micro_usd: { unit: MICRO, word: 'US dollars', least: 0.01 },
  tokens: { unit: 1, word: 'tokens', least: 1000 },
  turns: { unit: 1, word: 'turns', least: 1 },
  seconds: { unit: 60, word: 'minutes', least: 1 },
})

/**
 * A limit does not allow the next call: let more be spent, or stop.
 * @param {Pending} pending
 * @param {Send} send
 */
export function budgetCard(pending, send) {
  const details = pending.details ?? {}
  const measure = /** @type {Measure} */ (details.measure)
  const id = `asks-${pending.request_id}`
  const { unit, word, least } = UNITS[measure] ?? UNITS.tokens
  const more = el('input', {
    class: 'input numeric',
    type: 'number',
    min: '0',
    step: 'any',
    required: true,
    inputmode: 'decimal',
    'aria-label': `More ${word}`,
  })
  more.value = String(proposal(details, unit, least))
  const buttons = [
    el(
      'button',
      { class: 'button primary', type: 'submit' },
      icon('plus'),
      el('span', {}, 'Raise limit and continue'),
    ),
    el(
      'button',
      {
        class: 'button danger',
        type: 'button',
        on: { click: () => void answer({ action: 'stop' }) },
      },
      icon('square'),
      el('span', {}, 'Stop run'),
    ),
  ]
  const allow = el(
    'button',
    {
      class: 'button primary',
      type: 'button',
      on: { click: () => void answer({ action: 'allow' }) },
    },
    el('span', {}, 'Allow in this run'),
  )
  const isUnknown = Boolean(details.why)
  const mayLift = details.scope !== 'studio_day' || can('admin')

  /** @param {object} given */
  async function answer(given) {
    for (const button of [...buttons, allow]) button.disabled = true
    try {
      await send('answer', { request_id: pending.request_id, text: JSON.stringify(given) })
    } catch {
      for (const button of [...buttons, allow]) button.disabled = false
    }
  }

  const form = el(
    'form',
    { class: 'decision question-form', 'data-budget': measure, 'aria-label': 'Budget' },
    isUnknown || !mayLift
      ? null
      : el(
          'label',
          { class: 'budget-more' },
          el('span', {}, 'Allow'),
          more,
          el('span', {}, `more ${word}`),
        ),
    el(
      'div',
      { class: 'decision-foot row-wrap', 'data-action-group': true },
      ...(isUnknown && mayLift ? [allow] : []),
      ...(mayLift && !isUnknown ? buttons : [buttons[1]]),
    ),
    mayLift ? null : el('p', { class: 'muted small' }, 'Only an admin can raise this limit.'),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (!isUnknown && more.checkValidity())
      void answer({ action: 'raise', by: Math.ceil(Number(more.value) * unit) })
  })
  return el(
    'section',
    { class: 'decision', 'aria-labelledby': id },
    el(
      'div',
      { class: 'decision-head' },
      icon('coins'),
      el('h3', { id }, isUnknown ? 'Cost unknown' : 'Budget reached'),
    ),
    el('p', { class: 'decision-prompt' }, pending.prompt),
    form,
  )
}

/**
 * Enough for the next call, and half of the limit that was.
 * @param {{[name: string]: any}} details
 * @param {number} unit
 * @param {number} least
 */
function proposal({ spent, limit, next_call_estimate: next }, unit, least) {
  const wanted = Math.max(least, (spent + next - limit) / unit, limit / 2 / unit)
  const digits = unit === 1_000_000 ? 100 : 1
  return Math.ceil(wanted * digits) / digits
}
