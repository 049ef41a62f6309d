// @ts-check
/** @import {RunSummary} from './types.js' */
import { debounce, el, find, icon } from '../core/dom.js'
import { toastError } from '../core/toast.js'
import { asTree } from './compare/fork-changes.js'
import { exactTime, excerpt, listTime, taskText, tokens, usageTotal } from './format.js'
import { rowStatus } from './run-status.js'
import { RUNS, server } from './log/server.js'

/**
 * The past runs of the team, newest first.
 * @param {HTMLElement} root
 * @param {string} teamId
 */
export function runsList(root, teamId) {
  const list = find('[data-part="run-list"]', root)
  const empty = find('[data-part="no-runs"]', root)
  const older = /** @type {HTMLButtonElement} */ (find('[data-part="older-runs"]', root))
  let current = ''
  /** @type {string[]} */
  let tasks = []
  /** @type {RunSummary[]} newest first, without a gap */
  let known = []
  let isWhole = false
  let shownText = ''
  const search = /** @type {HTMLInputElement} */ (find('[data-part="run-search"]', root))
  const searched = () => search.value.trim()
  search.addEventListener(
    'input',
    debounce(() => void refresh(), 200),
  )

  function show() {
    const active = /** @type {HTMLElement | null} */ (document.activeElement)
    const focused = list.contains(active) ? (active?.dataset.run ?? '') : ''
    list.replaceChildren(...asTree(known).map(({ run, depth }) => renderRow(run, depth)))
    empty.hidden = known.length > 0
    empty.textContent = searched() ? 'No run matches.' : 'Your runs will appear here.'
    search.hidden = known.length === 0 && searched() === ''
    older.hidden = isWhole
    mark()
    if (focused) focus(focused)
  }

  /** @param {string} runId */
  function focus(runId) {
    const row = /** @type {HTMLElement | null} */ (
      list.querySelector(`[data-run="${CSS.escape(runId)}"]`)
    )
    row?.focus({ preventScroll: true })
  }

  older.addEventListener('click', async () => {
    const last = known.at(-1)
    if (!last || older.ariaDisabled === 'true') return
    older.ariaDisabled = 'true'
    try {
      const runs = await server.runs(teamId, last.id, searched())
      known = [...known, ...runs]
      isWhole = runs.length < RUNS
      show()
      if (runs[0]) focus(runs[0].id)
    } catch (error) {
      toastError(error)
    } finally {
      older.ariaDisabled = null
    }
  })

  function mark() {
    for (const link of list.querySelectorAll('a')) {
      if (link.dataset.run === current) link.setAttribute('aria-current', 'page')
      else link.removeAttribute('aria-current')
    }
  }

  /** @param {{isQuiet?: boolean}} [options]  quiet: nobody asked, so a failure is not told */
  async function refresh({ isQuiet = false } = {}) {
    const text = searched()
    try {
      const runs = teamId === '' ? [] : await server.runs(teamId, undefined, text)
      if (text !== searched()) return
      if (text === '') tasks = [...new Set(runs.map((run) => taskText(run.task)).filter(Boolean))]
      const last = runs.at(-1)
      const at = text === shownText ? known.findIndex(({ id }) => id === last?.id) : -1
      const isAll = runs.length < RUNS
      if (isAll || at < 0) isWhole = isAll
      // what somebody has asked for stays
      known = isAll || at < 0 ? runs : [...runs, ...known.slice(at + 1)]
      shownText = text
      show()
    } catch (error) {
      if (!isQuiet) toastError(error)
    }
  }

  return {
    /** What was asked before, the newest first. */
    get tasks() {
      return tasks
    },
    refresh,
    /** @param {string} runId  '' for none */
    select(runId) {
      current = runId
      mark()
    },
    /**
     * The open run changed: no need to ask the server.
     * @param {string} runId
     * @param {Pick<RunSummary, 'state' | 'reason' | 'usage'>} run
     */
    update(runId, run) {
      const row = list.querySelector(`[data-run="${CSS.escape(runId)}"]`)
      row
        ?.querySelector('.run-foot')
        ?.replaceWith(renderFoot(run, row.querySelector('time')?.cloneNode(true)))
    },
  }
}

const ORIGINS = /** @type {{[origin: string]: string}} */ ({
  fork: 'Fork',
  rerun: 'Rerun',
  replay: 'Replay',
  import: 'Imported',
})

/** @param {RunSummary} run */
function wordBefore({ origin, session_id: session }) {
  const word = origin ? (ORIGINS[origin] ?? origin) : session ? 'Continued' : ''
  return word && el('span', { class: 'run-origin-word' }, `${word}: `)
}

/**
 * @param {RunSummary} run
 * @param {number} depth  in the tree of those that go on from others
 */
function renderRow(run, depth) {
  const at = run.started_at ?? ''
  const time = el('time', { datetime: at, title: exactTime(at) }, listTime(at))
  return el(
    'li',
    { 'data-depth': depth > 0 && Math.min(depth, 3) },
    el(
      'a',
      { class: 'run-row', href: `/runs/${run.id}`, 'data-run': run.id },
      el(
        'span',
        { class: 'run-task' },
        run.is_starred && icon('star'),
        wordBefore(run),
        run.title || excerpt(taskText(run.task), 120) || 'An image',
        ...(run.tags ?? []).map((tag) => el('span', { class: 'chip plain tag' }, tag)),
      ),
      renderFoot(run, time),
    ),
  )
}

/**
 * @param {Pick<RunSummary, 'state' | 'reason' | 'usage'>} run
 * @param {Node | undefined} time
 */
function renderFoot(run, time) {
  const total = usageTotal(run.usage)
  const { words, look } = rowStatus(run)
  return el(
    'span',
    { class: 'run-foot' },
    el('span', { class: 'run-state', 'data-state': look }, words),
    time,
    total > 0 &&
      el(
        'span',
        { class: 'numeric', title: `${total.toLocaleString('en')} tokens` },
        `${tokens(total)} tokens`,
      ),
  )
}
