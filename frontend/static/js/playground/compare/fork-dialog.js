// @ts-check
/** @import {RunContext} from '../types.js' */
/** @import {Choice, Field} from './fork-changes.js' */
import { api } from '../../core/api.js'
import { el, icon } from '../../core/dom.js'
import { toastError } from '../../core/toast.js'
import { withApproval } from '../approval.js'
import { shownName } from '../flow/participants.js'
import { server } from '../log/server.js'
import { choicesAt, forkBody } from './fork-changes.js'

const LOOK_AHEAD = 40

/**
 * Ask what is to be otherwise from an entry on, and start that run.
 * @param {RunContext} context
 * @param {number} seq
 */
export async function forkFrom(context, seq) {
  const place = await placeAt(context, seq)
  if (!place) return
  const choices = choicesAt(place)
  const fields = el('div', { class: 'fork-fields' })
  const fork = el('button', { class: 'button primary' }, icon('git-fork'), 'Fork')
  const form = el(
    'form',
    {},
    el(
      'div',
      { class: 'dialog-header' },
      el(
        'h2',
        { id: 'fork-title' },
        `Fork from ${shownName(String(place.entry.body.source))}’s ${place.executed ? 'tool call' : 'message'}`,
      ),
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
        'Starts a new run with everything up to here. This run is unchanged.',
      ),
      el(
        'fieldset',
        { class: 'fork-choices' },
        el('legend', {}, 'What to change'),
        ...choices.map(option),
      ),
      fields,
    ),
    el(
      'div',
      { class: 'dialog-footer' },
      el('button', { type: 'button', class: 'button', 'data-closes': true }, 'Cancel'),
      fork,
    ),
  )
  const dialog = el(
    'dialog',
    { class: 'dialog fork', 'aria-labelledby': 'fork-title', on: { close: () => dialog.remove() } },
    form,
  )
  const chosen = () =>
    choices.find((each) => each.kind === new FormData(form).get('kind')) ?? choices[0]
  const show = () => {
    const choice = chosen()
    const rows = !choice?.isLong ? 1 : choice.fields.length > 1 ? 4 : 7
    fields.replaceChildren(
      ...(choice?.fields ?? []).map((each, index) => fieldOf(each, index, rows)),
    )
  }
  form.addEventListener('change', (event) => {
    if (event.target instanceof HTMLInputElement && event.target.name === 'kind') show()
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    fork.disabled = true
    try {
      const { kind } = /** @type {Choice} */ (chosen())
      const texts = Object.fromEntries(
        [...fields.querySelectorAll('textarea')].map(({ name, value }) => [name, value]),
      )
      const saved =
        kind === 'team' ? (await server.team(context.run.team_id ?? '')).component : undefined
      await startAndOpen(context, 'fork', forkBody(place, kind, texts, saved))
    } catch (error) {
      toastError(error)
    }
    fork.disabled = false
  })
  document.body.append(dialog)
  show()
  dialog.showModal()
  const first = /** @type {HTMLElement | null} */ (
    fields.querySelector('textarea') ?? form.querySelector(':checked')
  )
  first?.focus()
}

/**
 * @param {Field} field
 * @param {number} index
 * @param {number} rows
 */
function fieldOf({ name, label, text }, index, rows) {
  const box = el('textarea', {
    id: `fork-text-${index}`,
    name,
    rows: String(rows),
    spellcheck: 'true',
  })
  box.value = text
  return el('div', { class: 'field' }, el('label', { for: box.id }, label), box)
}

/**
 * @param {Choice} choice
 * @param {number} index
 */
function option({ kind, label, help }, index) {
  return el(
    'label',
    { class: 'fork-choice' },
    el('input', { type: 'radio', name: 'kind', value: kind, checked: index === 0 }),
    el(
      'span',
      {},
      el('span', { class: 'fork-label' }, label),
      el('span', { class: 'muted small' }, help),
    ),
  )
}

/**
 * The entry, and for calls of tools the event with their results.
 * @param {RunContext} context
 * @param {number} seq
 */
async function placeAt({ run, entriesBetween }, seq) {
  const entries = await entriesBetween(seq - 1, seq + LOOK_AHEAD)
  const entry = entries.find((each) => each.seq === seq)
  if (!entry) return null
  const isCall = entry.body.type === 'ToolCallRequestEvent'
  const executed =
    entry.body.type === 'ToolCallExecutionEvent'
      ? entry
      : isCall
        ? entries.find(
            (each) =>
              each.seq > seq &&
              each.body.type === 'ToolCallExecutionEvent' &&
              each.body.source === entry.body.source,
          )
        : undefined
  return { entry, executed, component: run.component, hasTeam: Boolean(run.team_id) }
}

/**
 * Start a run that goes on from this one, and open it.
 * @param {RunContext} context
 * @param {'fork' | 'rerun' | 'replay'} way
 * @param {{component?: unknown, [field: string]: unknown}} body
 */
export async function startAndOpen({ run }, way, body) {
  const started = await withApproval(() => api.post(`/api/runs/${run.id}/${way}`, body), {
    component: body.component ?? run.component,
  })
  if (started) location.assign(`/runs/${started.id}`)
}
