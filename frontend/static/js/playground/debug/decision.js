// @ts-check
/** @import {Body, Pending} from '../types.js' */
import { el, icon } from '../../core/dom.js'
import { escapeHidden } from '../../core/hidden-characters.js'

/**
 * @typedef {(command: string, more: Body) => Promise<unknown>} Send  rejects when the studio
 *   refused; it has told why
 */

/**
 * A call of a tool that waits for a person: its exact arguments, which can be changed, or behind it
 * its result.
 * @param {Pending} pending
 * @param {Send} send
 * @param {((tool: string, args: Body) => void) | null} always  lets equal calls go from now on
 */
export function decisionCard(pending, send, always = null) {
  const {
    tool,
    agent,
    arguments: args,
    hash,
    result,
    is_error: isError,
    until,
    on_timeout: onTimeout,
  } = pending.details ?? {}
  const isBehind = result !== undefined
  const id = `decision-${pending.request_id}`
  const written = isBehind ? String(result) : escapeHidden(JSON.stringify(args, null, 2))
  const text = el('textarea', {
    class: 'input mono',
    rows: String(Math.min(12, written.split('\n').length + 1)),
    'aria-labelledby': `${id}-label`,
    spellcheck: 'false',
  })
  text.value = written
  const error = el('p', { class: 'field-error', role: 'alert' })
  const reason = el('input', {
    class: 'input',
    'aria-label': 'Reason (shown to the agent)',
    placeholder: isBehind ? 'What went wrong (shown to the agent)' : 'Reason (shown to the agent)',
    autocomplete: 'off',
  })
  const go = el(
    'button',
    { class: 'button primary', type: 'submit' },
    icon('check'),
    el('span', {}, isBehind ? 'Continue' : 'Allow'),
  )
  const deny = el(
    'button',
    { class: 'button danger', type: 'button', 'data-deny': true },
    icon('ban'),
    el('span', {}, isBehind ? 'Report failure' : 'Refuse'),
  )
  const isChanged = () => text.value !== written
  const buttons = [go, deny]

  /** @param {Body} decision */
  async function decide(decision) {
    for (const each of buttons) each.disabled = true
    try {
      await send('decide', { request_id: pending.request_id, data: { hash, ...decision } })
      return true
    } catch {
      for (const each of buttons) each.disabled = false
      return false
    }
  }

  /** @returns {Body | null} */
  function change() {
    if (!isChanged()) return {}
    if (isBehind) return { text: text.value, is_error: Boolean(isError) }
    const changed = parsed(text.value)
    error.textContent = changed ? '' : 'The arguments must be a JSON object.'
    text.ariaInvalid = changed ? null : 'true'
    return changed && { arguments: changed }
  }

  const form = el(
    'form',
    // no landmark: many may wait in the inbox
    { class: 'decision', 'data-decision': pending.request_id },
    el(
      'div',
      { class: 'decision-head' },
      icon(pending.kind === 'approval' ? 'shield-alert' : 'circle-dot'),
      el(
        'h3',
        {},
        el('strong', {}, agent || 'The team'),
        isBehind ? ' used ' : ' wants to use ',
        el('code', {}, tool),
      ),
      pending.kind === 'breakpoint' &&
        el('span', { class: 'badge', 'data-state': 'paused' }, 'Breakpoint'),
    ),
    el(
      'span',
      { class: 'overline', id: `${id}-label` },
      isBehind ? 'Result (shown to the agent)' : 'Exact arguments',
    ),
    text,
    error,
    isBehind &&
      el(
        'details',
        { class: 'small' },
        el('summary', {}, 'Arguments'),
        el(
          'pre',
          { class: 'code-block', tabindex: '0' },
          escapeHidden(JSON.stringify(args, null, 2)),
        ),
      ),
    el(
      'div',
      { class: 'decision-foot', 'data-action-group': true },
      go,
      deny,
      reason,
      !isBehind &&
        always &&
        el(
          'button',
          {
            class: 'button quiet small',
            type: 'button',
            on: {
              click: () => {
                always(tool, args)
                void decide({ verdict: 'allow' })
              },
            },
            title: 'Calls with the same arguments run without asking from now on',
          },
          'Always allow these arguments',
        ),
    ),
    until &&
      el(
        'p',
        { class: 'muted small' },
        `If unanswered by ${new Date(until).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' })}, it is ${onTimeout === 'allow' ? 'allowed' : 'refused'}.`,
      ),
  )
  text.addEventListener('input', () => {
    const label = go.querySelector('span:last-child')
    if (label)
      label.textContent = isChanged()
        ? isBehind
          ? 'Continue with changes'
          : 'Allow with changes'
        : isBehind
          ? 'Continue'
          : 'Allow'
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const changed = change()
    if (changed) void decide({ verdict: 'allow', ...changed })
  })
  deny.addEventListener(
    'click',
    () => void decide({ verdict: 'deny', reason: reason.value.trim() }),
  )
  reason.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    deny.click()
  })
  return form
}

/**
 * @param {string} text
 * @returns {Body | null}
 */
function parsed(text) {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
