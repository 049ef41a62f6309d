// @ts-check
// The page of one team's runs: /teams/{id}/play and /runs/{id}.
import { find, on } from './core/dom.js'
import { Actions } from './core/actions.js'
import { keepEarlyPress } from './core/early-press.js'
import { bindKeyboard, explainDisabled } from './core/keyboard.js'
import { openMenu } from './core/menu.js'
import { renewPalette } from './core/palette.js'
import { tabs } from './core/tabs.js'
import { followRun } from './core/notifications.js'
import { toastError } from './core/toast.js'
import { saveDraft, loadDraft } from './core/drafts.js'
import { draftOf, startWithApproval } from './playground/approval.js'
import { importRun } from './playground/compare/import-run.js'
import { composer } from './playground/composer.js'
import { modeOf, nextTask } from './playground/next-task.js'
import { pastTasks } from './playground/past-tasks.js'
import { showEstimate } from './playground/cost/estimate.js'
import { costSettings } from './playground/cost/panel.js'
import { debugSettings } from './playground/debug/panel.js'
import { disableControls } from './playground/controls.js'
import { filesIn } from './playground/files/file-words.js'
import { taskText } from './playground/format.js'
import { paletteAction } from './playground/palette.js'
import { runActions } from './playground/run-actions.js'
import { editExamples, examplesOf } from './playground/examples/edit-examples.js'
import { fillIn } from './playground/examples/fill-in.js'
import { variablesIn } from './playground/examples/variables.js'
import { hasEnded } from './playground/run-status.js'
import { runsList } from './playground/runs-list.js'
import { server } from './playground/log/server.js'
import { previewTeam, showRun } from './playground/log/session.js'
import { tabTitle } from './playground/tab-title.js'
import { teamSwitcher } from './playground/team-switcher.js'
import { welcome } from './playground/welcome.js'

const page = find('[data-playground]')
const { teamId = '' } = page.dataset // '' when the team is no more: its runs stay
const runs = runsList(find('[data-part="runs"]', page), teamId)
const form = /** @type {HTMLFormElement} */ (find('[data-part="composer"]', page))
const task = composer(form, start, () =>
  teamId === '' ? Promise.resolve([]) : server.withoutVision(teamId),
)
const next = nextTask(form)
const sign = tabTitle()
const showTab = tabs(find('[data-part="views"]', page))

/** @type {AbortController} */
let life = new AbortController()
/** @type {ReturnType<typeof showRun> | null} */
let open = null
let runId = ''
/** @type {import('./playground/types.js').Task} */
let lastTask = ''
/** Started here, and its Pause button was not ready yet. */
let isFresh = false
/** New with each run, so that what its views add goes with it. */
let actions = new Actions(explainDisabled)

/**
 * @param {import('./playground/types.js').Task} given
 * @param {import('./playground/types.js').GivenFile[]} files
 */
async function start(given, files) {
  if (next.mode === 'say') return say(given, files)
  return opened(
    next.mode === 'next'
      ? await next.start(runId, given, files, () => saveDraft(draftOf(teamId), task.draft))
      : await startWithApproval(teamId, given, { files, draft: task.draft }),
  )
}

/**
 * Into the conversation under way.
 * @param {import('./playground/types.js').Task} given
 * @param {import('./playground/types.js').GivenFile[]} files
 */
async function say(given, files) {
  const said = { data: { source: 'user', text: given }, files }
  open?.toolbar.showState(await server.command(runId, 'inject', said))
  return true
}

/** @param {import('./playground/types.js').Run | null} run  that has just begun */
async function opened(run) {
  if (run === null) return false
  history.pushState(null, '', `/runs/${run.id}`)
  await show(run.id, run)
  isFresh = true
  focusRun()
  const refresh = () => runs.refresh()
  void Promise.resolve(open?.shown).then(refresh, refresh)
  return true
}

/**
 * From the keyboard: Space pauses what was just started, and the next task can be typed where the
 * last one ended.
 */
function focusRun() {
  const here = document.activeElement
  const isTaken =
    here?.closest('textarea, dialog, a, [popover], .playground-views') &&
    (task.isBeingWritten || !form.contains(here)) &&
    here.checkVisibility() // last: it works out the whole page
  if (!isFresh || here?.closest('.question-form, [data-part="ask"]') || isTaken) return
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
  else
    find('[data-part="chat-scroll"]', page).focus(
      /** @type {FocusOptions} */ ({ preventScroll: true, focusVisible: false }),
    )
}

/** On a phone the keyboard would cover what is to be read. */
function isWide() {
  return matchMedia('(min-width: 720px)').matches
}

/**
 * Show a run, or with '' the way to a new one.
 * @param {string} id
 * @param {import('./playground/types.js').Run} [known]
 */
async function show(id, known) {
  life.abort()
  life = new AbortController()
  const { signal } = life
  open = null
  isFresh = false
  runId = id
  page.dataset.view = id === '' ? 'new' : 'run'
  page.dataset.tab = 'chat'
  find('[data-part="chat"]', page).replaceChildren()
  find('[data-part="chat-none"]', page).hidden = true
  find('[data-part="ask"]', page).hidden = true
  disableControls(find('[data-part="controls"]', page))
  const canOpenMenu = keepEarlyPress(find('[data-run-menu]', page))
  page.ariaBusy = 'true'
  runs.select(id)
  markTab()
  actions = new Actions(explainDisabled)
  actions.add([
    ...paletteAction(actions),
    ...runActions(
      () => open?.toolbar,
      () => void newRun(),
      showView,
      task,
    ),
  ])
  bindKeyboard(actions, [], signal)
  try {
    if (id === '') await showNew(signal)
    else showOne(known ?? (await server.run(id)), signal)
  } catch (error) {
    if (!signal.aborted) toastError(error)
  }
  canOpenMenu()
  renewPalette()
  void whole(signal)
}

/**
 * What has been said may come long after all that is needed to control the run.
 * @param {AbortSignal} signal
 */
async function whole(signal) {
  try {
    await open?.shown
  } catch (error) {
    if (!signal.aborted) toastError(error)
  }
  if (!signal.aborted) page.ariaBusy = 'false'
}

/** @param {AbortSignal} signal */
async function showNew(signal) {
  sign.show(null)
  showComposer(null)
  if (isWide()) task.focus()
  if (teamId === '') return
  const [{ component }, examples] = await Promise.all([
    server.team(teamId),
    examplesOf(teamId, signal),
  ])
  if (signal.aborted) return
  welcome(page, component, examples)
  previewTeam(page, component, signal)
  debugSettings(page, teamId, component, signal)
  costSettings(page, teamId, component, signal)
}

/**
 * @param {import('./playground/types.js').Run} run
 * @param {AbortSignal} signal
 */
function showOne(run, signal) {
  if (signal.aborted) return
  lastTask = run.task
  sign.show(run)
  if (!hasEnded(run.state)) followRun(run.id)
  showComposer(run)
  open = showRun(page, run, { actions, showView }, signal)
}

/** The same task once more. */
async function runAgain() {
  try {
    if (teamId === '') await actions.run('rerun-all')
    else await opened(await startWithApproval(teamId, lastTask))
  } catch (error) {
    toastError(error)
  }
}

async function changeTask() {
  await newRun()
  task.fill(taskText(lastTask))
  task.attach(filesIn(lastTask))
}

function newRun() {
  history.pushState(null, '', `/teams/${teamId}/play`)
  return show('')
}

/**
 * Bring a view of the run to the front.
 * @param {string} name
 */
function showView(name) {
  const tab = page.querySelector(`#view-tab-${name}`)
  if (!(tab instanceof HTMLElement)) return
  showTab(tab)
  page.dataset.tab = 'views'
  markTab()
}

/**
 * While a run asks something there is nothing to type but answers.
 * @param {import('./playground/types.js').RunState | null} run
 */
function showComposer(run) {
  const mode = modeOf(run)
  const isAtWork = run !== null && !hasEnded(run.state)
  form.hidden = teamId === '' || (mode === null && !task.isBeingWritten)
  // a browser lets go of what is hidden a moment later, and a key in that moment would be lost
  if (form.hidden) task.blur()
  if (mode !== null) next.offer(mode)
  if (isAtWork) find('[data-part="estimate"]', page).hidden = true
  else void showEstimate(page, teamId, life.signal)
  find('[data-part="to-live"] span:last-child', page).textContent = isAtWork
    ? 'Jump to live'
    : 'Jump to end'
}

/**
 * Whoever comes from the builder wants to see what a change makes of the same task; typing takes
 * its place.
 */
function offerLastTask() {
  const [last] = runs.tasks
  if (runId === '' && isWide() && last) task.propose(last)
}

function markTab() {
  for (const tab of page.querySelectorAll('[data-tab-name]')) {
    tab.setAttribute(
      'aria-selected',
      String(/** @type {HTMLElement} */ (tab).dataset.tabName === page.dataset.tab),
    )
  }
}

page.addEventListener('run:state', (event) => {
  const { detail } = /** @type {CustomEvent} */ (event)
  runs.update(runId, detail)
  sign.show(detail)
  showComposer(detail)
  if (hasEnded(detail.state)) focusAfterRun()
  else focusRun()
  if (hasEnded(detail.state)) document.dispatchEvent(new CustomEvent('inbox:change'))
})
document.addEventListener('notifications:change', () => {
  if (open && !hasEnded(open.toolbar.state.state)) followRun(runId)
})
page.addEventListener('files:attach', (event) => {
  const { detail } = /** @type {CustomEvent} */ (event)
  page.dataset.tab = 'chat'
  markTab()
  task.attach([detail])
})
page.addEventListener('runs:changed', () => void runs.refresh())
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
on(page, 'click', '[data-new-run]', newRun)
on(page, 'click', '[data-again]', () => void runAgain())
on(page, 'click', '[data-again-menu]', (_, button) => {
  const { left, bottom } = button.getBoundingClientRect()
  openMenu(
    'Run again',
    [
      { label: 'With the current team', icon: 'rotate-ccw', run: () => void runAgain() },
      { label: 'With the same version', icon: 'history', run: () => void actions.run('rerun-all') },
      { label: 'Edit task first', icon: 'pencil', run: changeTask },
    ],
    { x: left, y: bottom },
  )
})
on(page, 'click', '[data-example]', (_, button) => {
  const example = button.dataset.example ?? ''
  const names = variablesIn(example)
  if (names.length === 0) task.fill(example)
  else fillIn(example, names, task.submit)
})
on(
  page,
  'click',
  '[data-edit-examples]',
  () => void editExamples(teamId, () => runId === '' && void show('')),
)
on(page, 'click', '[data-tab-name]', (_, tab) => {
  page.dataset.tab = tab.dataset.tabName
  markTab()
})
form.addEventListener('focusin', () => {
  isFresh = false
})
window.addEventListener('popstate', () => {
  const id = /^\/runs\/([^/]+)$/.exec(location.pathname)?.[1] ?? ''
  if (id !== runId) show(id)
})
on(page, 'click', '[data-commands]', () => void actions.run('command-palette'))
teamSwitcher(find('[data-part="team-menu"]', page), teamId)
importRun(page, teamId)
void runs.refresh().then(offerLastTask)
pastTasks(/** @type {HTMLTextAreaElement} */ (find('textarea', form)), () => runs.tasks, task.fill)
const kept = loadDraft(draftOf(teamId)) // somebody comes back from the review of the team
saveDraft(draftOf(teamId), null)
task.restore(kept)
show(page.dataset.runId ?? '')
if (location.hash === '#debug') showView('debug') // from the form of a tool
