// @ts-check
/** @import {RunContext} from '../types.js' */
import { api } from '../../core/api.js'
import { el, icon } from '../../core/dom.js'
import { toastError } from '../../core/toast.js'
import { startAndOpen } from './fork-dialog.js'

const MODES = [
  ['recorded', 'returns the recorded result'],
  ['live', 'is called'],
  ['ask', 'asks me'],
  ['fixed', 'always gives'],
]

/**
 * Replay a run; where it called tools, ask what each is to do.
 * @param {RunContext} context
 */
export async function replay(context) {
  /** @type {string[]} */
  const tools = await api.get(`/api/runs/${context.run.id}/tools`)
  if (tools.length === 0) return startAndOpen(context, 'replay', {})
  const start = el('button', { class: 'button primary' }, icon('repeat'), 'Replay')
  const form = el(
    'form',
    {},
    el(
      'div',
      { class: 'dialog-header' },
      el('h2', { id: 'replay-title' }, 'Replay this run'),
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
      { class: 'dialog-body' },
      el(
        'p',
        { class: 'muted' },
        'Models return their recorded answers, so the replay is free. It fails where the team diverges from the recording.',
      ),
      el('div', { class: 'replay-tools' }, ...tools.map(toolRow)),
    ),
    el(
      'div',
      { class: 'dialog-footer' },
      el('button', { type: 'button', class: 'button', 'data-closes': true }, 'Cancel'),
      start,
    ),
  )
  const dialog = el(
    'dialog',
    { class: 'dialog', 'aria-labelledby': 'replay-title', on: { close: () => dialog.remove() } },
    form,
  )
  form.addEventListener('change', (event) => {
    const text =
      event.target instanceof HTMLSelectElement
        ? event.target.closest('.replay-tool')?.querySelector('input')
        : null
    if (!text) return
    text.hidden = /** @type {HTMLSelectElement} */ (event.target).value !== 'fixed'
    if (!text.hidden) text.focus()
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    start.disabled = true
    await startAndOpen(context, 'replay', { tools: chosen(form) }).catch(toastError)
    start.disabled = false
  })
  document.body.append(dialog)
  dialog.showModal()
  form.querySelector('select')?.focus()
}

/** @param {string} name */
function toolRow(name) {
  const options = MODES.map(([value, label]) => el('option', { value }, label))
  return el(
    'div',
    { class: 'replay-tool', 'data-tool': name },
    el('code', {}, name),
    el('select', { class: 'input', 'aria-label': `Behavior of ${name}` }, ...options),
    el('input', {
      class: 'input',
      type: 'text',
      'aria-label': `Fixed result of ${name}`,
      hidden: true,
    }),
  )
}

/**
 * What is not recorded, by the tools' names.
 * @param {HTMLFormElement} form
 */
function chosen(form) {
  /** @type {{[name: string]: string | {fixed: string}}} */
  const modes = {}
  for (const row of form.querySelectorAll('.replay-tool')) {
    const mode = row.querySelector('select')?.value ?? 'recorded'
    const name = row.getAttribute('data-tool') ?? ''
    if (mode !== 'recorded')
      modes[name] = mode === 'fixed' ? { fixed: row.querySelector('input')?.value ?? '' } : mode
  }
  return modes
}
