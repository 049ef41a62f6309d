// @ts-check
/** @import {RunContext} from '../types.js' */
import { el, icon } from '../../core/dom.js'
import { toastError } from '../../core/toast.js'
import { partsOf } from '../chat/message-parts.js'
import { startAndOpen } from './fork-dialog.js'

/**
 * Change what a person said, and let the team answer that: the run goes on from before the message,
 * as one of its own.
 * @param {RunContext} context
 * @param {number} seq
 */
export async function editAndRun(context, seq) {
  const entry = (await context.entriesBetween(seq - 1, seq + 1)).find((each) => each.seq === seq)
  if (!entry) return
  const parts = partsOf(entry.body)
  const hasPictures = parts.some(({ kind }) => kind === 'image')
  const box = el('textarea', {
    class: 'input',
    id: 'edited-message',
    rows: '5',
    spellcheck: 'true',
    required: !hasPictures,
  })
  box.value = parts
    .filter(({ kind }) => kind !== 'image')
    .map(({ value }) => value)
    .join('\n\n')
  const run = el('button', { class: 'button primary' }, icon('play'), 'Run again')
  const form = el(
    'form',
    {},
    el(
      'div',
      { class: 'dialog-header' },
      el('h2', { id: 'edit-title' }, 'Edit and run again'),
      el(
        'button',
        {
          type: 'button',
          class: 'button quiet icon-only',
          'aria-label': 'Close',
          'data-closes': true,
        },
        icon('x'),
      ),
    ),
    el(
      'div',
      { class: 'dialog-body stack' },
      el('div', { class: 'field' }, el('label', { for: box.id }, 'Your message'), box),
      el(
        'p',
        { class: 'muted small' },
        'Starts a new run from here with everything before it. This run is unchanged.',
        hasPictures && ' Images are kept.',
      ),
    ),
    el(
      'div',
      { class: 'dialog-footer' },
      el('button', { type: 'button', class: 'button', 'data-closes': true }, 'Cancel'),
      run,
    ),
  )
  const dialog = el(
    'dialog',
    { class: 'dialog', 'aria-labelledby': 'edit-title', on: { close: () => dialog.remove() } },
    form,
  )
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    if (run.disabled) return
    run.disabled = true
    try {
      await startAndOpen(context, 'fork', {
        seq,
        edits: { [entry.body['id']]: box.value.trim() },
      })
    } catch (error) {
      toastError(error)
    }
    run.disabled = false
  })
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    form.requestSubmit()
  })
  document.body.append(dialog)
  dialog.showModal()
  box.focus()
}
