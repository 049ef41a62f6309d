// @ts-check
// A release that a gate holds back: an admin says why it goes live nevertheless.
import { ApiError } from '../core/api.js'
import { ask } from '../core/dialog.js'
import { el } from '../core/dom.js'
import { can } from '../core/permissions.js'

/** @typedef {{ suite_id: string, suite: string, reasons: string[] }} Required */

/**
 * Let a release go live. Where a required evaluation did not pass, an admin is asked for a reason.
 * @template T
 * @param {(override: string) => Promise<T>} send  lets it go live; the reason is "" at first
 * @returns {Promise<T>}
 */
export async function withOverride(send) {
  try {
    return await send('')
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'gate_not_passed' || !can('admin'))
      throw error
    const reason = await askReason(/** @type {Required[]} */ (error.body['required']))
    if (!reason) throw error
    return send(reason)
  }
}

/** @param {Required[]} required */
async function askReason(required) {
  const reason = el('input', { class: 'input', maxlength: 280, required: true })
  const body = el(
    'div',
    { class: 'stack' },
    el(
      'ul',
      { role: 'list' },
      ...required.map(({ suite, reasons }) => el('li', {}, `${suite}: ${reasons.join(' ')}`)),
    ),
    el(
      'label',
      { class: 'field' },
      el('span', { class: 'field-label' }, 'Reason'),
      reason,
      el('span', { class: 'muted small' }, 'It is kept in the audit log.'),
    ),
  )
  const chosen = await ask({
    title: 'Override the gate?',
    text: 'Evaluations that this release needs did not pass:',
    body,
    choices: [
      { value: '', label: 'Cancel' },
      { value: 'yes', label: 'Override gate', tone: 'danger' },
    ],
  })
  return chosen === 'yes' ? reason.value.trim() : ''
}
