// @ts-check
// The page Inbox: every question that a run waits on, answered in place.
/** @import {Pending} from './playground/types.js' */
import { api } from './core/api.js'
import { announce, el, find } from './core/dom.js'
import { toastError } from './core/toast.js'
import { requestCard } from './playground/debug/request-card.js'
import { exactTime, listTime, taskText } from './playground/format.js'
import { server } from './playground/log/server.js'

/**
 * @typedef {{run_id: string, team_name: string, task: string, reason: string, since: string,
 *   pending: Pending}} Question
 */

const LOOK_AGAIN_MS = 5_000
const list = find('[data-part="inbox"]')
const none = find('[data-part="inbox-none"]')
const more = find('[data-part="inbox-more"]')
/** The server gives no more at once. */
const MAX_SHOWN = 200
/** @type {Map<string, HTMLElement>} by the question's id, so that what is being typed stays */
const shown = new Map()

async function look() {
  if (document.hidden) return
  try {
    show(await api.get('/api/inbox'))
  } catch (error) {
    toastError(error)
  }
}

/** @param {Question[]} questions */
function show(questions) {
  const open = new Set(questions.map(({ pending }) => pending.request_id))
  for (const [id, node] of shown) {
    if (open.has(id)) continue
    const next = node.nextElementSibling ?? node.previousElementSibling
    const hadFocus = node.contains(document.activeElement)
    node.remove()
    shown.delete(id)
    if (hadFocus) (next instanceof HTMLElement ? next : none).focus()
  }
  const fresh = questions.filter(({ pending }) => !shown.has(pending.request_id))
  for (const question of fresh) {
    const node = item(question)
    shown.set(question.pending.request_id, node)
    list.append(node)
  }
  if (fresh.length > 0 && list.ariaBusy !== 'true')
    announce(`${fresh.length} new ${fresh.length === 1 ? 'question' : 'questions'}.`)
  list.ariaBusy = null
  none.hidden = questions.length > 0
  more.hidden = questions.length < MAX_SHOWN
}

/** @param {Question} question */
function item({ run_id: runId, team_name: teamName, task, since, pending }) {
  /**
   * @param {string} command
   * @param {object} more
   */
  async function send(command, more) {
    try {
      await server.command(runId, command, more)
    } catch (error) {
      toastError(error)
      throw error
    } finally {
      void look()
      document.dispatchEvent(new CustomEvent('inbox:change'))
    }
  }
  return el(
    'li',
    { class: 'panel inbox-item', tabindex: '-1', 'data-run': runId },
    el(
      'p',
      { class: 'inbox-from' },
      el('a', { href: `/runs/${runId}` }, teamName || 'Team'),
      el('span', { class: 'truncate' }, taskText(task)),
      el('time', { datetime: since, title: exactTime(since) }, listTime(since)),
    ),
    requestCard(pending, send),
  )
}

list.ariaBusy = 'true'
void look()
setInterval(look, LOOK_AGAIN_MS)
document.addEventListener('visibilitychange', look)
