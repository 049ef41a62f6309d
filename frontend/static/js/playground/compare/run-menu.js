// @ts-check
/** @import {RunContext, RunSummary} from '../types.js' */
import { mayDo } from '../../core/actions.js'
import { choose } from '../../core/chooser.js'
import { find } from '../../core/dom.js'
import { openMenu } from '../../core/menu.js'
import { toggleNotifications } from '../../core/notifications.js'
import { toastError } from '../../core/toast.js'
import { excerpt, listTime, taskText } from '../format.js'
import { rowWords } from '../run-words.js'
import { server } from '../log/server.js'
import { saveTest } from './save-test.js'

/**
 * What can be made of a run: compared, shared, turned into a test. In the menu of the run and in the command palette.
 * @param {RunContext} context
 */
export function runMenu({ page, run, actions, signal }) {
  const isUnderWay = () => (page.querySelector('[data-part="controls"][data-state="ended"]') ? true : 'The run is still under way.')
  actions.add([
    { id: 'compare-run', label: 'Compare with another run…', icon: 'git-fork', group: 'Run', scope: 'page', run: () => void compareWith(run.id, run.team_id ?? '').catch(toastError) },
    { id: 'watch-beside', label: 'Open side by side…', icon: 'panel-right', group: 'Run', scope: 'page', run: () => void watchBeside(run.id, run.team_id ?? '').catch(toastError) },
    { id: 'share-run', label: 'Share…', icon: 'external-link', group: 'Run', scope: 'page', run: () => location.assign(`/runs/${run.id}/share`) },
    { id: 'test-run', label: 'Make this a test', icon: 'shield-check', group: 'Run', scope: 'page', when: isUnderWay, run: () => void saveTest(run.id).catch(toastError) },
  ])
  actions.add([{ id: 'notify', label: 'Turn notifications on or off', icon: 'bell', group: 'Run', scope: 'page', run: () => void toggleNotifications() }])
  const button = find('[data-run-menu]', page)
  button.addEventListener('click', () => {
    const { left, bottom } = button.getBoundingClientRect()
    const offered = actions.all().filter((action) => MENU.includes(action.id) && mayDo(action))
    offered.sort((one, other) => MENU.indexOf(one.id) - MENU.indexOf(other.id))
    const items = offered.map(({ id, label, icon = '', keys = [] }) => ({ label, icon, keys, isApart: id === 'compare-run' && offered[0]?.id !== id, run: () => void actions.run(id) }))
    openMenu('This run', items, { x: left, y: bottom })
  }, { signal })
}

/** In this order; what is not there is left out. */
const MENU = ['rerun-all', 'rerun-here', 'rerun-failure', 'fork-here', 'replay-run', 'compare-run', 'watch-beside', 'share-run', 'test-run', 'notify']

/** @param {string} runId @param {string} teamId */
async function compareWith(runId, teamId) {
  const chosen = await chooseOther('Compare with…', runId, teamId)
  if (chosen) location.assign(`/runs/${chosen.id}/compare/${runId}`)
}

/** @param {string} runId @param {string} teamId */
async function watchBeside(runId, teamId) {
  const chosen = await chooseOther('Watch beside…', runId, teamId)
  if (chosen) location.assign(`/runs/${runId}/beside/${chosen.id}`)
}

/** @param {string} title @param {string} runId @param {string} teamId */
async function chooseOther(title, runId, teamId) {
  const others = (await server.runs(teamId)).filter((each) => each.id !== runId)
  return choose({
    title,
    placeholder: 'Search the runs of this team',
    find: (query) => others.filter((each) => taskText(each.task).toLowerCase().includes(query.toLowerCase())).map(option),
    none: () => (others.length > 0 ? 'No run has such a task.' : 'This team has no other run yet.'),
  })
}

/** @param {RunSummary} run */
function option(run) {
  return { id: run.id, label: excerpt(taskText(run.task), 80) || 'A picture', detail: `${rowWords(run).words}, ${listTime(run.started_at)}` }
}
