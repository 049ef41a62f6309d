// @ts-check
// The page of one team's runs: /teams/{id}/play and /runs/{id}.
import { find, on } from './core/dom.js'
import { bindShortcuts } from './core/shortcuts.js'
import { toastError } from './core/toast.js'
import { startWithApproval } from './playground/approval.js'
import { composer } from './playground/composer.js'
import { disableControls } from './playground/controls.js'
import { taskText } from './playground/format.js'
import { hasEnded } from './playground/run-words.js'
import { runsList } from './playground/runs-list.js'
import { server } from './playground/server.js'
import { previewTeam, showRun } from './playground/session.js'
import { teamSwitcher } from './playground/team-switcher.js'
import { welcome } from './playground/welcome.js'

const page = find('[data-playground]')
const { teamId = '' } = page.dataset // '' when the team is no more: its runs stay
const runs = runsList(find('[data-part="runs"]', page), teamId)
const form = /** @type {HTMLFormElement} */ (find('[data-part="composer"]', page))
const task = composer(form, start)

/** @type {AbortController} */
let life = new AbortController()
/** @type {ReturnType<typeof showRun> | null} */
let open = null
let runId = ''
let lastTask = ''
/** Started here, and its Pause button was not ready yet. */
let isFresh = false

/** @param {import('./playground/types.js').Task} given */
async function start(given) {
  const id = await startWithApproval(teamId, given)
  if (id === null) return false
  history.pushState(null, '', `/runs/${id}`)
  await show(id)
  isFresh = true
  focusRun()
  runs.refresh()
  return true
}

/** From the keyboard: Space pauses what was just started, and the next task can be typed where the last one ended. */
function focusRun() {
  const here = document.activeElement
  if (!isFresh || here?.closest('.question-form') || (here?.closest('textarea, dialog, a, [popover]') && here.checkVisibility())) return
  const pause = /** @type {HTMLButtonElement} */ (find('[data-command="pause"]', page))
  const target = pause.disabled ? find('[data-part="chat-scroll"]', page) : pause
  if (target === pause) isFresh = false
  target.focus({ preventScroll: true })
}

/** The run's buttons are gone: who was at one of them goes on with the next task. */
function focusAfterRun() {
  isFresh = false
  if (!document.activeElement?.matches('body, [data-command]')) return
  if (!form.hidden && isWide()) task.focus()
  else find('[data-part="chat-scroll"]', page).focus({ preventScroll: true })
}

/** On a phone the keyboard would cover what is to be read. */
function isWide() {
  return matchMedia('(min-width: 720px)').matches
}

/** Show a run, or with '' the way to a new one. @param {string} id */
async function show(id) {
  life.abort()
  life = new AbortController()
  const { signal } = life
  open = null
  isFresh = false
  runId = id
  page.dataset.view = id === '' ? 'new' : 'run'
  page.dataset.tab = 'chat'
  find('[data-part="chat"]', page).replaceChildren()
  disableControls(find('[data-part="controls"]', page))
  page.ariaBusy = 'true'
  runs.select(id)
  markTab()
  try {
    if (id === '') await showNew(signal)
    else await showOne(id, signal)
  } catch (error) {
    if (!signal.aborted) toastError(error)
  } finally {
    if (!signal.aborted) page.ariaBusy = 'false'
  }
}

/** @param {AbortSignal} signal */
async function showNew(signal) {
  showComposer(true)
  if (isWide()) task.focus()
  if (teamId === '') return
  const { component } = await server.team(teamId)
  if (signal.aborted) return
  welcome(page, component)
  previewTeam(page, component, signal)
}

/** @param {string} id @param {AbortSignal} signal */
async function showOne(id, signal) {
  const run = await server.run(id)
  if (signal.aborted) return
  lastTask = taskText(run.task)
  showComposer(hasEnded(run.state))
  open = showRun(page, run, signal)
  await open.shown
}

/** While a run is open there is nothing to type but answers. @param {boolean} isShown */
function showComposer(isShown) {
  form.hidden = !isShown || teamId === ''
  find('[data-part="to-live"] span:last-child', page).textContent = isShown ? 'To the end' : 'Jump to live'
}

function markTab() {
  for (const tab of page.querySelectorAll('[data-tab-name]')) {
    tab.setAttribute('aria-selected', String(/** @type {HTMLElement} */ (tab).dataset.tabName === page.dataset.tab))
  }
}

page.addEventListener('run:state', (event) => {
  const { detail } = /** @type {CustomEvent} */ (event)
  runs.update(runId, detail)
  showComposer(hasEnded(detail.state))
  if (hasEnded(detail.state)) focusAfterRun()
  else focusRun()
})
page.addEventListener('run:connected', () => runs.refresh({ isQuiet: true }))
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) runs.refresh({ isQuiet: true })
})
on(page, 'click', 'a[data-run]', (event, link) => {
  if (event.metaKey || event.ctrlKey || event.shiftKey) return
  event.preventDefault()
  history.pushState(null, '', link.getAttribute('href'))
  show(link.dataset.run ?? '')
})
on(page, 'click', '[data-new-run]', () => {
  history.pushState(null, '', `/teams/${teamId}/play`)
  show('')
})
on(page, 'click', '[data-again]', () => task.fill(lastTask))
on(page, 'click', '[data-example]', (_, button) => task.fill(button.dataset.example ?? ''))
on(page, 'click', '[data-tab-name]', (_, tab) => {
  page.dataset.tab = tab.dataset.tabName
  markTab()
})
window.addEventListener('popstate', () => {
  const id = /^\/runs\/([^/]+)$/.exec(location.pathname)?.[1] ?? ''
  if (id !== runId) show(id)
})
bindShortcuts(document, [
  { keys: 'space', label: 'Pause or resume', run: (event) => !isControl(event) && Boolean(open?.toolbar.toggle()) },
  { keys: 's', label: 'One step', run: () => Boolean(open?.toolbar.press('step')) },
  { keys: 'j', label: 'Next message', run: () => open?.step(1) },
  { keys: 'k', label: 'Message before', run: () => open?.step(-1) },
])

/** Space presses the button that has the focus. @param {KeyboardEvent} event */
function isControl(event) {
  return event.target instanceof Element && event.target.closest('button, a, summary, [role="button"], dialog') !== null
}

teamSwitcher(find('[data-part="team-menu"]', page), teamId)
runs.refresh()
show(page.dataset.runId ?? '')
