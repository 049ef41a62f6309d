// @ts-check
/** @import {GivenFile, Item} from './types.js' */
import { el, icon } from '../core/dom.js'
import { forRole } from '../core/read-only.js'
import { answerForm, hasMore } from './debug/answer.js'
import { answerFiles } from './files/answer-files.js'
import { renderMarkdown } from './chat/markdown.js'

/**
 * A question of the team to the person, at its place in the conversation. Answered, it stays as a
 * record.
 *
 * @typedef {(requestId: string, text: string, files?: GivenFile[]) => Promise<void>} Answer
 * @param {Item} item
 * @param {Answer} answer
 */
export function renderQuestion(item, answer) {
  const prompt = el('div', { class: 'prose question-prompt', id: `prompt-${item.requestId}` })
  renderMarkdown(prompt, item.label || 'Your answer?')
  const box = el('div', { class: 'turn-body question', 'data-answer': item.answer }, prompt)
  if (item.answer !== 'open') {
    box.append(
      el(
        'p',
        { class: 'muted small' },
        item.answer === 'answered' ? 'Answered below.' : 'The run ended without an answer.',
      ),
    )
    return box
  }
  const send = (/** @type {string} */ _command, /** @type {import('./types.js').Body} */ given) =>
    answer(given.request_id, given.text)
  const pending = {
    request_id: item.requestId,
    source: item.source,
    prompt: '',
    details: item.details ?? {},
  }
  box.append(
    forRole(
      'editor',
      'Answering',
      hasMore(pending) ? answerForm(pending, send) : renderForm(item, answer),
    ),
  )
  return box
}

/**
 * @param {Item} item
 * @param {Answer} answer
 */
function renderForm(item, answer) {
  const text = el('textarea', {
    class: 'input',
    rows: '2',
    'aria-labelledby': `prompt-${item.requestId}`,
    placeholder: 'Your answer',
  })
  const kept = `studio-answer-${item.requestId}`
  text.value = sessionStorage.getItem(kept) ?? ''
  text.addEventListener('input', () => sessionStorage.setItem(kept, text.value))
  const send = el('button', { class: 'button primary', type: 'submit' }, icon('send'), 'Send')
  const files = answerFiles(item.requestId)
  const form = el(
    'form',
    { class: 'question-form' },
    files?.shelf,
    text,
    el(
      'div',
      { class: 'question-actions', 'data-action-group': true },
      files?.chooser,
      el('span', { class: 'muted small' }, 'Enter sends, Shift+Enter starts a new line'),
      send,
    ),
  )
  const show = () => {
    send.disabled = files?.isUploading() ?? false
  }
  files?.bind(form, text)
  form.addEventListener('files:changed', show)
  show()
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (send.disabled) return
    send.disabled = true
    try {
      await answer(item.requestId, text.value, files?.given())
      text.readOnly = true
      sessionStorage.removeItem(kept)
      files?.drop()
      send.disabled = true
    } catch {
      send.disabled = false
    }
  })
  text.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    form.requestSubmit()
  })
  return form
}
