// @ts-check
/** @import {RunContext} from '../types.js' */
import { copy } from '../../core/copy.js'
import { el, icon, on } from '../../core/dom.js'
import { disabledReason } from '../../core/actions.js'
import { modelPlace } from '../log/active-work.js'
import { partsOf } from '../chat/message-parts.js'
import { openMenu, whenReleased } from '../../core/menu.js'
import { toastError } from '../../core/toast.js'
import { editAndRun } from './edit-dialog.js'
import { forkFrom, startAndOpen } from './fork-dialog.js'
import { replay } from './replay-dialog.js'
import { showState } from './state-dialog.js'

const ORIGINS = /** @type {{[origin: string]: string}} */ ({
  fork: 'Fork of',
  rerun: 'Run again from',
  replay: 'Replay of',
})
const FOR_VIEWERS = ['copy-message', 'show-state']
const SELECT_FIRST = 'Select a message first.'
const OF_ENTRY = [
  'edit-message',
  'copy-message',
  'fork-here',
  'redo-here',
  'rerun-here',
  'show-prompt',
  'show-state',
]

/**
 * Runs that go on from this one: forks from the menu of each message, re-runs, a replay; and where
 * this one came from.
 * @param {RunContext} context
 */
export function forksPanel(context) {
  const { page, run, selection, actions, signal } = context
  const whenSelected = () => (selection.seq === null ? SELECT_FIRST : true)
  const shown = () => page.querySelector(`.chat > .turn[data-seq="${selection.seq}"]`)
  const isOwn = () => shown()?.getAttribute('data-side') === 'user'
  const whenOwn = () =>
    selection.seq === null ? SELECT_FIRST : isOwn() || 'You can edit only your own messages.'
  const whenTheirs = () =>
    selection.seq === null ? SELECT_FIRST : !isOwn() || 'This message has no model call.'
  const start = (
    /** @type {'fork' | 'rerun'} */ way,
    /** @type {{[field: string]: unknown}} */ body,
  ) => void startAndOpen(context, way, body).catch(toastError)
  const here = () => selection.seq ?? 0
  /** @type {Omit<import('../../core/actions.js').Action, 'group' | 'scope'>[]} */
  const list = [
    {
      id: 'copy-message',
      label: 'Copy message',
      icon: 'copy',
      keys: ['c'],
      when: whenSelected,
      run: () => void copyEntry(context, here()).catch(toastError),
    },
    {
      id: 'edit-message',
      label: 'Edit and run again…',
      icon: 'pencil',
      when: whenOwn,
      run: () => void editAndRun(context, here()).catch(toastError),
    },
    {
      id: 'fork-here',
      label: 'Fork from here…',
      icon: 'git-fork',
      keys: ['f'],
      when: whenSelected,
      run: () => void forkFrom(context, here()).catch(toastError),
    },
    {
      id: 'redo-here',
      label: 'Regenerate',
      icon: 'refresh-cw',
      when: whenTheirs,
      run: () => start('fork', { seq: here(), redo: true }),
    },
    {
      id: 'rerun-here',
      label: 'Run again from here',
      icon: 'skip-forward',
      when: whenSelected,
      run: () => start('rerun', { from_seq: here() }),
    },
    {
      id: 'rerun-all',
      label: 'Run again as it ran',
      icon: 'rotate-ccw',
      run: () => start('rerun', {}),
    },
    {
      id: 'rerun-failure',
      label: 'Run again from the failure',
      icon: 'triangle-alert',
      when: () => (hasFailed(page) ? true : 'The run has not failed.'),
      run: () => start('rerun', { from_seq: 'failure' }),
    },
    {
      id: 'show-state',
      label: 'Show memory at this point',
      icon: 'brain',
      keys: ['m'],
      when: whenSelected,
      run: () => void showState(context, here()).catch(toastError),
    },
    {
      id: 'replay-run',
      label: 'Replay for free',
      icon: 'repeat',
      run: () => void replay(context).catch(toastError),
    },
  ]
  actions.add(
    list.map((each) => ({
      needs: FOR_VIEWERS.includes(each.id) ? 'viewer' : 'editor',
      ...each,
      group: 'Run',
      scope: 'page',
    })),
  )
  page.addEventListener(
    'contextmenu',
    (event) => {
      const turn = event.target instanceof Element ? event.target.closest('.turn[data-seq]') : null
      if (!(turn instanceof HTMLElement) || event.target instanceof HTMLTextAreaElement) return
      event.preventDefault()
      const { left, top } = turn.getBoundingClientRect()
      whenReleased(event, () => open(turn, event.clientX || left + 40, event.clientY || top + 24))
    },
    { signal },
  )
  on(
    page,
    'click',
    '[data-turn-menu]',
    (event, button) => {
      event.stopPropagation()
      const turn = button.closest('.turn')
      const { left, bottom } = button.getBoundingClientRect()
      if (turn instanceof HTMLElement) open(turn, left, bottom)
    },
    signal,
  )
  on(page, 'click', '[data-retry]', () => start('rerun', { from_seq: 'failure' }), signal)
  on(
    page,
    'click',
    '[data-open-model]',
    (_, button) =>
      location.assign(
        `/teams/${run.team_id ?? ''}?at=${encodeURIComponent(modelPlace(run.component, button.dataset['openModel'] ?? ''))}`,
      ),
    signal,
  )
  showOrigin()
  showEvaluation()

  /**
   * @param {HTMLElement} turn
   * @param {number} x
   * @param {number} y
   */
  function open(turn, x, y) {
    selection.select(Number(turn.dataset['seq']), 'link')
    const offered = OF_ENTRY.map((id) => actions.find(id))
      .filter((action) => action !== undefined)
      .filter((action) => disabledReason(action) === '')
    openMenu(
      'This message',
      offered.map(({ id, label, icon: glyph = '', keys = [] }) => ({
        label,
        icon: glyph,
        keys,
        run: () => void actions.run(id),
      })),
      { x, y },
    )
  }

  function showOrigin() {
    if (!run.parent_id) return
    const note = el(
      'p',
      { class: 'run-origin small' },
      icon('git-fork'),
      el(
        'span',
        {},
        `${ORIGINS[run.origin ?? ''] ?? 'Continues'} `,
        el(
          'a',
          { href: `/runs/${run.parent_id}${run.parent_seq ? `#e${run.parent_seq}` : ''}` },
          'another run',
        ),
      ),
      el(
        'a',
        { class: 'run-origin-compare', href: `/runs/${run.parent_id}/compare/${run.id}` },
        'Compare both',
      ),
    )
    show(note)
  }

  function showEvaluation() {
    if (!run.evaluated) return
    const { evaluation_id: id, suite_name: suite, case_key: name, epoch } = run.evaluated
    const judged = run.evaluated.judged_run_id
    const place = judged
      ? ['A judge of ', el('a', { href: `/runs/${judged}` }, `run ${epoch} of ${name}`), ' in an ']
      : [`Run ${epoch} of ${name} in an `]
    show(
      el(
        'p',
        { class: 'run-origin small' },
        icon('circle-check'),
        el('span', {}, ...place, el('a', { href: `/evaluations/${id}` }, `evaluation of ${suite}`)),
      ),
    )
  }

  /** @param {HTMLElement} note */
  function show(note) {
    page.querySelector('.playground-chat')?.prepend(note)
    signal.addEventListener('abort', () => note.remove())
  }
}

/**
 * What the message says, as its author wrote it.
 * @param {RunContext} context
 * @param {number} seq
 */
async function copyEntry({ entriesBetween }, seq) {
  const entry = (await entriesBetween(seq - 1, seq + 1)).find((each) => each.seq === seq)
  const texts = partsOf(entry?.body ?? {})
    .filter(({ kind }) => kind !== 'image')
    .map(({ value }) => value)
  await copy(texts.join('\n\n'), 'Message copied.')
}

/** @param {HTMLElement} page */
const hasFailed = (page) =>
  page.querySelector('[data-part="state"]')?.getAttribute('data-state') === 'failed'
