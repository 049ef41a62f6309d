// @ts-check
/** @import {GivenFile} from '../types.js' */
import { el, icon } from '../../core/dom.js'
import { attachments } from './attachments.js'

/**
 * @typedef {object} AnswerFiles
 * @property {HTMLElement} shelf  the files, and what was wrong with one
 * @property {HTMLElement} chooser
 * @property {() => GivenFile[]} given
 * @property {() => boolean} isUploading
 * @property {(form: HTMLFormElement, text: HTMLTextAreaElement) => void} bind  to the form that is
 *   shown now
 * @property {() => void} drop  they are sent
 */

/** @type {Map<string, AnswerFiles>} by question: its form is made anew when it is scrolled back */
const byQuestion = new Map()

/**
 * Files that go with an answer: chosen, pasted, or dropped on the form or the conversation. Null
 * where the page takes none.
 * @param {string} requestId
 * @returns {AnswerFiles | null}
 */
export function answerFiles(requestId) {
  const limit = /** @type {HTMLElement | null} */ (document.querySelector('[data-max-file-mb]'))
  if (!limit) return null
  const known = byQuestion.get(requestId) ?? made(requestId, Number(limit.dataset['maxFileMb']))
  byQuestion.set(requestId, known)
  return known
}

/**
 * @param {string} requestId
 * @param {number} maxMb
 * @returns {AnswerFiles}
 */
function made(requestId, maxMb) {
  const list = el('ul', {
    role: 'list',
    class: 'composer-files',
    'aria-label': 'Files of the answer',
  })
  const refusal = el('p', { class: 'field-error', role: 'alert' })
  const input = /** @type {HTMLInputElement} */ (
    el('input', { class: 'visually-hidden', type: 'file', multiple: true })
  )
  let changed = () => {}
  let focus = () => {}
  const files = attachments(list, {
    maxMb,
    changed: () => changed(),
    refuse: (words) => {
      refusal.textContent = words
    },
    focus: () => focus(),
  })
  input.addEventListener('change', () => {
    files.add([...(input.files ?? [])])
    input.value = ''
  })
  list.hidden = true
  return {
    shelf: el('div', { class: 'stack' }, list, refusal),
    chooser: el(
      'label',
      { class: 'button quiet small question-attach' },
      input,
      icon('upload'),
      el('span', {}, 'Attach files'),
    ),
    given: () => files.given,
    isUploading: () => files.isUploading,
    bind(form, text) {
      changed = () => form.dispatchEvent(new Event('files:changed'))
      focus = () => text.focus()
      form.addEventListener('files:given', (event) =>
        files.add(/** @type {CustomEvent<File[]>} */ (event).detail),
      )
      text.addEventListener('paste', (event) => {
        const pasted = [...(event.clipboardData?.files ?? [])]
        if (pasted.length === 0) return
        event.preventDefault()
        files.add(pasted)
      })
    },
    drop() {
      files.clear()
      byQuestion.delete(requestId)
    },
  }
}
