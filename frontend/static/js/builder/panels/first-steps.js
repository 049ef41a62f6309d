// @ts-check
// A strip that leads through a first team, ticks itself as the team comes to be, and goes for good
// when it is sent away.
import { api } from '../../core/api.js'
import { announce, el, find, icon, on } from '../../core/dom.js'
import { can } from '../../core/permissions.js'
import { toastError } from '../../core/toast.js'
import {
  areFirstStepsHidden,
  beginFirstSteps,
  firstStepsTeam,
  hideFirstSteps,
} from '../../core/first-steps-memory.js'
import { fillSlot } from '../actions.js'
import { firstSteps, isNearlyEmpty } from '../document/first-steps.js'
import { goTo } from './checklist/rows.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../document/first-steps.js').Step} Step
 * @typedef {import('../../core/actions.js').Action} Action
 */

/**
 * @param {HTMLElement} page
 * @param {Editor} editor
 * @param {string} teamId
 * @param {AbortSignal} signal
 * @returns {Action[]}
 */
export function firstStepsStrip(page, editor, teamId, signal) {
  const strip = find('[data-first-steps]', page)
  let hasRun = false
  let done = ''
  const steps = () => firstSteps(editor.catalogue, editor.root, hasRun)
  const draw = (change = '') => {
    if (strip.hidden) return
    const now = steps()
    const key = now.map((each) => Number(each.isDone)).join('')
    if (key === done) return
    if (done !== '') tell(now, done, change)
    done = key
    if (strip.childElementCount === 0) strip.append(...frame(now))
    const next = now.find((each) => !each.isDone)
    for (const [index, each] of now.entries())
      mark(find(`[data-step=${each.id}]`, strip), each, index, each === next)
    find('[data-first-steps-end]', strip).hidden = now.some((each) => !each.isDone)
  }
  const show = async () => {
    beginFirstSteps(teamId)
    strip.hidden = false
    draw()
    hasRun = (await api.get(`/api/runs?team_id=${encodeURIComponent(teamId)}`)).length > 0
    draw()
  }
  const hide = () => {
    hideFirstSteps()
    strip.hidden = true
    find('[data-canvas]', page).focus()
    announce('First steps are hidden. Show them again from the command palette.')
  }

  editor.addEventListener('doc', (event) => draw(/** @type {CustomEvent} */ (event).detail.label), {
    signal,
  })
  page.addEventListener(
    'run:started',
    () => {
      hasRun = true
      draw()
    },
    { signal },
  )
  addEventListener(
    'pageshow',
    (event) => {
      if (event.persisted && !strip.hidden) void show().catch(toastError)
    },
    { signal },
  ) // back from the run
  on(
    strip,
    'click',
    '[data-step]',
    (_event, button) => {
      const step = steps().find((each) => each.id === button.dataset['step'])
      if (step) lead(page, editor, step)
    },
    signal,
  )
  on(strip, 'click', '[data-hide-first-steps]', hide, signal)
  if (
    can('editor') &&
    !areFirstStepsHidden() &&
    (firstStepsTeam() === teamId || isNearlyEmpty(editor.catalogue, editor.root))
  )
    void show().catch(toastError)
  return [
    {
      id: 'first-steps',
      needs: 'editor',
      label: 'Show first steps',
      icon: 'list-tree',
      group: 'Team',
      scope: 'page',
      run: () =>
        void show()
          .then(() => focusNext(strip))
          .catch(toastError),
    },
  ]
}

/**
 * To the place of a step: one more agent and what is still missing are asked for, what is there is
 * shown.
 * @param {HTMLElement} page
 * @param {Editor} editor
 * @param {Step} step
 */
function lead(page, editor, { id, isDone, where }) {
  if (id === 'run') return find('[data-run]', page).click()
  if (where === '') return void find('[data-add-first]', page).click()
  if (isDone && id !== 'agent') goTo(editor, where)
  else void fillSlot(editor, where)
}

/**
 * What is new since, for those who do not see the ticks; after the change itself, which the editor
 * tells.
 * @param {Step[]} now
 * @param {string} before
 * @param {string} change
 */
function tell(now, before, change) {
  const ticked = now.filter((each, index) => each.isDone && before[index] === '0')
  const next = now.find((each) => !each.isDone)
  if (ticked.length === 0) return
  const words = `${ticked.map((each) => each.label).join(', ')}: done. ${next ? `Next: ${next.label}.` : 'Your team is ready.'}`
  queueMicrotask(() => announce([change, words].filter(Boolean).join('. ')))
}

/** @param {Step[]} steps */
function frame(steps) {
  return [
    el('h2', { class: 'first-steps-title' }, 'First steps'),
    el(
      'ol',
      { role: 'list', class: 'first-steps-list' },
      ...steps.map(({ id, label }) =>
        el(
          'li',
          { class: 'first-step' },
          el(
            'button',
            { type: 'button', class: 'first-step-go', 'data-step': id },
            el('span', { class: 'first-step-mark' }),
            el('span', {}, label),
            el('span', { class: 'visually-hidden', 'data-step-done': true }),
          ),
        ),
      ),
    ),
    el(
      'span',
      { class: 'first-steps-end', 'data-first-steps-end': true, hidden: true },
      'Your team is ready.',
    ),
    el(
      'button',
      {
        type: 'button',
        class: 'button quiet small icon-only first-steps-hide',
        'data-hide-first-steps': true,
        'aria-label': 'Hide first steps',
        title: 'Hide first steps',
      },
      icon('x'),
    ),
  ]
}

/**
 * The button stays, for it may have the focus.
 * @param {HTMLElement} button
 * @param {Step} step
 * @param {number} index
 * @param {boolean} isNext
 */
function mark(button, { isDone }, index, isNext) {
  const item = /** @type {HTMLElement} */ (button.parentElement)
  item.toggleAttribute('data-done', isDone)
  item.toggleAttribute('data-next', isNext)
  if (isNext) button.setAttribute('aria-current', 'step')
  else button.removeAttribute('aria-current')
  find('.first-step-mark', button).replaceChildren(isDone ? icon('check') : String(index + 1))
  find('[data-step-done]', button).textContent = isDone ? ', done' : ''
}

/** @param {HTMLElement} strip */
function focusNext(strip) {
  const next = strip.querySelector('[aria-current=step]') ?? strip.querySelector('[data-step]')
  if (next instanceof HTMLElement) next.focus()
}
