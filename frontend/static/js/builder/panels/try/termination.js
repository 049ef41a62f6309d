// @ts-check
import { api, ApiError } from '../../../core/api.js'
import { el, find, icon } from '../../../core/dom.js'
import { toastError } from '../../../core/toast.js'
import { excerpt, listTime, taskText } from '../../../playground/format.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {{ where: string, description: string, so_far: string, has_fired: boolean }} Progress
 * @typedef {{ source: string, type: string, text: string, event_count: number, conditions:
 *   Progress[], stop_reason: string }} Turn
 * @typedef {{ words: string, stop_reason: string, turns: Turn[], unread_count: number, has_times:
 *   boolean }} Verdict
 */

/**
 * Where the selected condition would stop a conversation that a person brings.
 * @param {HTMLElement} root
 * @param {Editor} editor
 * @param {string} teamId
 * @param {AbortSignal} signal
 */
export function terminationPreview(root, editor, teamId, signal) {
  const form = find('[data-try-preview]', root)
  const runs = /** @type {HTMLSelectElement} */ (find('#try-run', root))
  const text = /** @type {HTMLTextAreaElement} */ (find('#try-text', root))
  const answer = find('[data-try-verdict]', root)
  const problem = find('[data-try-problem]', root)
  let asking = new AbortController()
  signal.addEventListener('abort', () => asking.abort())
  const follow = () => {
    find('[data-try-pasted]', root).hidden = runs.value !== ''
  }
  runs.addEventListener('change', follow, { signal })
  text.addEventListener(
    'keydown',
    (event) => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void preview()
    },
    { signal },
  )
  form.addEventListener(
    'submit',
    (event) => {
      event.preventDefault()
      void preview()
    },
    { signal },
  )

  async function preview() {
    const given = runs.value === '' ? { text: text.value } : { run_id: runs.value }
    problem.hidden = true
    asking.abort()
    asking = new AbortController()
    try {
      answer.replaceChildren(
        ...render(
          await api.post(
            '/api/part-runs/termination',
            { component: editor.at(editor.selection), ...given },
            { signal: asking.signal },
          ),
        ),
      )
      answer.querySelector('.notice')?.scrollIntoView({ block: 'nearest' })
    } catch (error) {
      if (!(error instanceof ApiError)) return toastError(error)
      answer.replaceChildren()
      problem.textContent = `${error.message} ${error.fix}`.trim()
      problem.hidden = false
    }
  }

  return {
    /** A verdict on something else means nothing here. */
    clear() {
      asking.abort()
      answer.replaceChildren()
      problem.hidden = true
    },
    async listRuns() {
      const list = await api.get(`/api/runs?team_id=${encodeURIComponent(teamId)}`)
      const kept = runs.value
      const options = list
        .slice(0, 50)
        .map((/** @type {any} */ run) =>
          el(
            'option',
            { value: run.id },
            `${listTime(run.created_at)}  ${excerpt(taskText(run.task))}`,
          ),
        )
      runs.replaceChildren(el('option', { value: '' }, 'Pasted below'), ...options)
      runs.value = kept
      if (runs.selectedIndex < 0) runs.value = '' // it is no longer among them
      follow()
    },
  }
}

/** @param {Verdict} verdict */
function render(verdict) {
  const stops = verdict.stop_reason !== ''
  const [first] = verdict.turns
  const fired = (verdict.turns.at(-1)?.conditions ?? [])
    .filter((each) => each.has_fired)
    .map((each) => each.description)
    .join(' and ')
  const line = stops
    ? `Stops at message ${verdict.turns.length}: ${fired || verdict.stop_reason}`
    : `Does not stop within ${count(verdict.turns.length)}.`
  const left =
    stops && verdict.unread_count > 0
      ? `${count(verdict.unread_count)} after it would not be sent.`
      : ''
  const timeless =
    !verdict.has_times && first?.conditions.some((each) => each.so_far.endsWith('seconds'))
      ? 'These messages have no timestamps, so no time passes.'
      : ''
  const notice = el(
    'div',
    { class: 'notice', 'data-tone': stops ? 'success' : 'info', role: 'status' },
    icon(stops ? 'circle-check' : 'info'),
    el(
      'div',
      {},
      el('div', { title: verdict.stop_reason || null }, line),
      (left || timeless) && el('div', { class: 'muted small' }, `${left} ${timeless}`.trim()),
    ),
  )
  const head = el(
    'thead',
    {},
    el(
      'tr',
      {},
      el('th', { scope: 'col' }, '#'),
      el('th', { scope: 'col' }, 'Message'),
      el('th', { scope: 'col' }, `Stops when ${verdict.words}`),
    ),
  )
  const table = el(
    'table',
    { class: 'table try-turns' },
    head,
    el('tbody', {}, ...verdict.turns.map(row)),
  )
  return [
    notice,
    el(
      'div',
      {
        class: 'table-scroll',
        tabindex: 0,
        role: 'region',
        'aria-label': 'Messages and conditions',
      },
      table,
    ),
  ]
}

/**
 * @param {Turn} turn
 * @param {number} index
 */
function row(turn, index) {
  const events =
    turn.event_count === 0
      ? ''
      : turn.event_count === 1
        ? 'after 1 event'
        : `after ${turn.event_count} events`
  return el(
    'tr',
    { 'data-stops': String(turn.stop_reason !== '') },
    el('td', { class: 'numeric muted' }, index + 1),
    el(
      'td',
      {},
      el('strong', {}, turn.source),
      events && el('span', { class: 'muted small' }, ` ${events}`),
      el('div', { class: 'try-excerpt', title: turn.text }, turn.text),
    ),
    el(
      'td',
      {},
      el(
        'ul',
        { role: 'list' },
        ...turn.conditions.map((each) =>
          el(
            'li',
            { 'data-fired': String(each.has_fired), title: each.description },
            each.has_fired && icon('circle-check'),
            el('span', {}, each.so_far),
            each.has_fired && el('span', { class: 'visually-hidden' }, ', met'),
          ),
        ),
      ),
    ),
  )
}

/** @param {number} number */
const count = (number) => (number === 1 ? '1 message' : `${number.toLocaleString('en')} messages`)
