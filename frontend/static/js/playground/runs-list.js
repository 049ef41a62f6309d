// @ts-check
/** @import {RunSummary} from './types.js' */
import { el, find } from '../core/dom.js'
import { toastError } from '../core/toast.js'
import { asTree } from './compare/fork-changes.js'
import { excerpt, listTime, taskText, tokens, usageTotal } from './format.js'
import { rowWords } from './run-words.js'
import { server } from './log/server.js'

/**
 * The past runs of the team, newest first.
 * @param {HTMLElement} root
 * @param {string} teamId
 */
export function runsList(root, teamId) {
  const list = find('[data-part="run-list"]', root)
  const empty = find('[data-part="no-runs"]', root)
  let current = ''

  function mark() {
    for (const link of list.querySelectorAll('a')) {
      if (link.dataset.run === current) link.setAttribute('aria-current', 'page')
      else link.removeAttribute('aria-current')
    }
  }

  return {
    /** @param {{isQuiet?: boolean}} [options]  quiet: nobody asked, so a failure is not told */
    async refresh({ isQuiet = false } = {}) {
      try {
        const runs = teamId === '' ? [] : await server.runs(teamId)
        const focused = list.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.run ?? '' : ''
        list.replaceChildren(...asTree(runs).map(({ run, depth }) => renderRow(run, depth)))
        empty.hidden = runs.length > 0
        mark()
        if (focused) /** @type {HTMLElement | null} */ (list.querySelector(`[data-run="${CSS.escape(focused)}"]`))?.focus({ preventScroll: true })
      } catch (error) {
        if (!isQuiet) toastError(error)
      }
    },
    /** @param {string} runId  '' for none */
    select(runId) {
      current = runId
      mark()
    },
    /** The open run changed: no need to ask the server. @param {string} runId @param {Pick<RunSummary, 'state' | 'reason' | 'usage'>} run */
    update(runId, run) {
      const row = list.querySelector(`[data-run="${CSS.escape(runId)}"]`)
      row?.querySelector('.run-foot')?.replaceWith(renderFoot(run, row.querySelector('time')?.cloneNode(true)))
    },
  }
}

const ORIGINS = /** @type {{[origin: string]: string}} */ ({ fork: 'Fork', rerun: 'Again', replay: 'Replay', import: 'Imported' })

/** @param {RunSummary} run */
function wordBefore({ origin, session_id: session }) {
  const word = origin ? (ORIGINS[origin] ?? origin) : session ? 'Continued' : ''
  return word && el('span', { class: 'run-origin-word' }, `${word}: `)
}

/** @param {RunSummary} run @param {number} depth  in the tree of those that go on from others */
function renderRow(run, depth) {
  const time = el('time', { datetime: run.started_at ?? '' }, listTime(run.started_at ?? ''))
  return el('li', { 'data-depth': depth > 0 && Math.min(depth, 3) }, el('a', { class: 'run-row', href: `/runs/${run.id}`, 'data-run': run.id },
    el('span', { class: 'run-task' }, wordBefore(run), excerpt(taskText(run.task), 120) || 'A picture'), renderFoot(run, time)))
}

/** @param {Pick<RunSummary, 'state' | 'reason' | 'usage'>} run @param {Node | undefined} time */
function renderFoot(run, time) {
  const total = usageTotal(run.usage)
  const { words, look } = rowWords(run)
  return el('span', { class: 'run-foot' }, el('span', { class: 'run-state', 'data-state': look }, words), time,
    total > 0 && el('span', { class: 'numeric', title: `${total.toLocaleString('en')} tokens` }, `${tokens(total)} tok`))
}
