// @ts-check
/** @import {RunContext, RunSummary} from '../types.js' */
import { isPermitted } from '../../core/actions.js'
import { choose } from '../../core/chooser.js'
import { api } from '../../core/api.js'
import { ask } from '../../core/dialog.js'
import { el, find } from '../../core/dom.js'
import { editTags, move, star } from '../../core/lists.js'
import { openMenu } from '../../core/menu.js'
import { toggleNotifications } from '../../core/notifications.js'
import { toastError } from '../../core/toast.js'
import { addToSuite } from '../../suites/case-of-run.js'
import { excerpt, listTime, taskText } from '../format.js'
import { rowStatus } from '../run-status.js'
import { server } from '../log/server.js'
import { saveTest } from './save-test.js'

/**
 * What can be made of a run: compared, shared, turned into a test. In the menu of the run and in
 * the command palette.
 * @param {RunContext} context
 */
export function runMenu({ page, run, actions, signal }) {
  const isUnderWay = () =>
    page.querySelector('[data-part="controls"][data-state="ended"]')
      ? true
      : 'The run is still active.'
  actions.add([
    {
      id: 'compare-run',
      label: 'Compare with another run…',
      icon: 'git-fork',
      group: 'Run',
      scope: 'page',
      run: () => void compareWith(run.id, run.team_id ?? '').catch(toastError),
    },
    {
      id: 'watch-beside',
      label: 'Open side by side…',
      icon: 'panel-right',
      group: 'Run',
      scope: 'page',
      run: () => void openSplitView(run.id, run.team_id ?? '').catch(toastError),
    },
    {
      id: 'share-run',
      label: 'Share…',
      icon: 'external-link',
      group: 'Run',
      scope: 'page',
      run: () => location.assign(`/runs/${run.id}/share`),
    },
    {
      id: 'test-run',
      label: 'Save as test',
      icon: 'shield-check',
      group: 'Run',
      scope: 'page',
      when: isUnderWay,
      run: () => void saveTest(run.id).catch(toastError),
    },
    {
      id: 'add-to-suite',
      label: 'Add to suite…',
      words: 'case evaluate evaluation scorer',
      icon: 'circle-check',
      group: 'Run',
      scope: 'page',
      needs: 'editor',
      run: () => void addToSuite(run.id).catch(toastError),
    },
  ])
  actions.add([
    {
      id: 'notify',
      label: 'Turn notifications on or off',
      icon: 'bell',
      group: 'Run',
      scope: 'page',
      run: () => void toggleNotifications(),
    },
  ])
  const changed = () => page.dispatchEvent(new CustomEvent('runs:changed'))
  actions.add([
    {
      id: 'rename-run',
      label: 'Rename run…',
      icon: 'pencil',
      group: 'Run',
      scope: 'page',
      needs: 'editor',
      run: () => void renamed(run).then(changed, toastError),
    },
    {
      id: 'star-run',
      label: 'Star or unstar run',
      icon: 'star',
      group: 'Run',
      scope: 'page',
      run: () => void starred(run.id).then(changed, toastError),
    },
    {
      id: 'tag-run',
      label: 'Edit tags…',
      icon: 'tag',
      group: 'Run',
      scope: 'page',
      needs: 'editor',
      run: () => void tagged(run.id).then(changed, toastError),
    },
    {
      id: 'archive-run',
      label: 'Archive run',
      icon: 'archive',
      group: 'Run',
      scope: 'page',
      needs: 'editor',
      run: () => void move('run', [run.id], 'archived', 'active', changed),
    },
    {
      id: 'delete-run',
      label: 'Delete run',
      icon: 'trash-2',
      group: 'Run',
      scope: 'page',
      needs: 'editor',
      when: isUnderWay,
      run: () => void move('run', [run.id], 'trashed', 'active', changed),
    },
  ])
  const button = find('[data-run-menu]', page)
  button.addEventListener(
    'click',
    () => {
      const { left, bottom } = button.getBoundingClientRect()
      const offered = actions
        .all()
        .filter((action) => MENU.includes(action.id) && isPermitted(action))
      offered.sort((one, other) => MENU.indexOf(one.id) - MENU.indexOf(other.id))
      const items = offered.map(({ id, label, icon = '', keys = [] }) => ({
        label,
        icon,
        keys,
        isApart: id === 'compare-run' && offered[0]?.id !== id,
        isDanger: id === 'delete-run',
        run: () => void actions.run(id),
      }))
      openMenu('This run', items, { x: left, y: bottom })
    },
    { signal },
  )
}

/** In this order; what is not there is left out. */
const MENU = [
  'rerun-all',
  'rerun-here',
  'rerun-failure',
  'fork-here',
  'replay-run',
  'compare-run',
  'watch-beside',
  'share-run',
  'test-run',
  'add-to-suite',
  'notify',
  'rename-run',
  'star-run',
  'tag-run',
  'archive-run',
  'delete-run',
]

/**
 * Ask for the name of a run.
 * @param {{ id: string, title?: string }} run
 */
async function renamed(run) {
  const input = el('input', {
    class: 'input',
    'aria-label': 'Name',
    value: run.title ?? '',
    maxlength: 200,
    placeholder: 'Shown in place of the task',
  })
  const asked = ask({
    title: 'Rename run',
    body: input,
    choices: [
      { value: '', label: 'Cancel' },
      { value: 'save', label: 'Rename', tone: 'primary' },
    ],
  })
  input.focus()
  if ((await asked) !== 'save') return
  run.title = input.value.trim()
  await api.patch(`/api/runs/${run.id}`, { title: run.title })
}

/** @param {string} runId */
async function starred(runId) {
  await star('run', [runId], !(await api.get(`/api/runs/${runId}`)).is_starred)
}

/** @param {string} runId */
async function tagged(runId) {
  await editTags('run', [runId], (await api.get(`/api/runs/${runId}`)).tags)
}

/**
 * @param {string} runId
 * @param {string} teamId
 */
async function compareWith(runId, teamId) {
  const chosen = await chooseOther('Compare with…', runId, teamId)
  if (chosen) location.assign(`/runs/${chosen.id}/compare/${runId}`)
}

/**
 * @param {string} runId
 * @param {string} teamId
 */
async function openSplitView(runId, teamId) {
  const chosen = await chooseOther('Open side by side with…', runId, teamId)
  if (chosen) location.assign(`/runs/${runId}/beside/${chosen.id}`)
}

/**
 * @param {string} title
 * @param {string} runId
 * @param {string} teamId
 */
async function chooseOther(title, runId, teamId) {
  const others = (await server.runs(teamId)).filter((each) => each.id !== runId)
  return choose({
    title,
    placeholder: 'Search runs of this team',
    find: (query) =>
      others
        .filter((each) => taskText(each.task).toLowerCase().includes(query.toLowerCase()))
        .map(option),
    none: () => (others.length > 0 ? 'No run matches.' : 'This team has no other run yet.'),
  })
}

/** @param {RunSummary} run */
function option(run) {
  return {
    id: run.id,
    label: excerpt(taskText(run.task), 80) || 'An image',
    detail: `${rowStatus(run).words}, ${listTime(run.started_at)}`,
  }
}
