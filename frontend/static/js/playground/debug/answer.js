// @ts-check
/** @import {Body, Pending} from '../types.js' */
/** @import {Send} from './decision.js' */
import { el, icon } from '../../core/dom.js'
import { fieldsOf, valuesOf } from './schema-form.js'

/**
 * A question that is answered with a text.
 * @param {Pending} pending
 * @param {Send} send
 */
export function answerCard(pending, send) {
  const id = `asks-${pending.request_id}`
  return el(
    'section',
    { class: 'decision', 'aria-labelledby': id },
    el(
      'div',
      { class: 'decision-head' },
      icon('circle-help'),
      el('h3', { id }, 'Input for ', el('strong', {}, pending.source)),
    ),
    pending.prompt && el('p', { class: 'decision-prompt' }, pending.prompt),
    answerForm(pending, send),
  )
}

/**
 * Answers by choosing, by filling a form, or by writing.
 * @param {Pending} pending
 * @param {Send} send
 */
export function answerForm(pending, send) {
  const { choices = [], schema } = pending.details ?? {}
  const id = `answer-${pending.request_id}`
  const fields = schema ? fieldsOf(schema, id) : null
  const text = el('textarea', {
    class: 'input',
    rows: '2',
    'aria-label': choices.length > 0 ? 'Another answer' : 'Your answer',
    placeholder: choices.length > 0 ? 'Or write another answer' : 'Your answer',
  })
  const submit = el(
    'button',
    { class: 'button primary', type: 'submit' },
    icon('send'),
    el('span', {}, 'Send'),
  )
  const error = el('p', { class: 'field-error', role: 'alert' })
  const picks = choices.map((/** @type {string | {value: string, label: string}} */ choice) => {
    const { value, label } = typeof choice === 'string' ? { value: choice, label: choice } : choice
    return el(
      'button',
      { type: 'button', class: 'button', on: { click: () => void answer(value) } },
      label,
    )
  })

  /** @param {string} given */
  async function answer(given) {
    const buttons = [submit, ...picks]
    for (const each of buttons) each.disabled = true
    try {
      await send('answer', { request_id: pending.request_id, text: given })
    } catch {
      for (const each of buttons) each.disabled = false
    }
  }

  const form = el(
    'form',
    {
      class: 'decision question-form',
      'data-decision': pending.request_id,
      novalidate: true,
      'aria-label': 'Answer',
    },
    picks.length > 0 &&
      el('div', { class: 'row-wrap', role: 'group', 'aria-label': 'Choices' }, ...picks),
    ...(fields ?? [text]),
    error,
    el('div', { class: 'decision-foot', 'data-action-group': true }, submit),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (!fields) return void answer(text.value)
    const found = valuesOf(form, schema)
    error.textContent = found.missing.length > 0 ? `Fill in ${found.missing.join(', ')}.` : ''
    if (found.missing.length === 0) void answer(JSON.stringify(found.values))
  })
  text.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    form.requestSubmit()
  })
  return form
}

/**
 * Whether a question is more than a field for text, which stands in the conversation already.
 * @param {Pending} pending
 */
export const hasMore = (pending) =>
  Boolean(pending.details?.choices?.length || pending.details?.schema)

/** @param {Body} [details] */
export const isDecision = (details) => Boolean(details?.hash)
