// @ts-check
/** @import {Batch, Body, Panel, RunState} from '../types.js' */
import { el, find, icon, on } from '../../core/dom.js'
import { toastError } from '../../core/toast.js'
import { hasEnded } from '../run-status.js'
import { server } from '../log/server.js'
import { breakpointList } from './breakpoints.js'
import { messageEdits } from './message-edits.js'
import { Settings } from './settings.js'
import { withPermission } from './policy.js'
import { questionDock } from './question-dock.js'
import { toolRules } from './tool-rules.js'

/**
 * Breakpoints and rules can be set before anything runs.
 * @param {HTMLElement} page
 * @param {string} teamId
 * @param {Body} component
 * @param {AbortSignal} signal
 * @param {Promise<unknown>} [before]  what is wanted sooner
 */
export function debugSettings(page, teamId, component, signal, before) {
  const root = find('[data-part="debug"]', page)
  find('[data-part="debug-run"]', root).hidden = true
  find('[data-part="debug-change"]', root).hidden = true
  const settings = new Settings(teamId, () => {
    list.draw()
    rules.draw()
  })
  const list = breakpointList(root, settings, component, signal)
  const rules = toolRules(root, settings, component, signal)
  list.draw()
  rules.draw()
  if (teamId) settings.read(signal, before).catch((error) => signal.aborted || toastError(error))
  return { settings, list }
}

/**
 * Steps, what is still finishing, breakpoints, rules for tools, changes; and the question that
 * waits for a decision.
 * @type {Panel}
 */
export function debugPanel({ page, run, begun, actions, showView, signal }) {
  const root = find('[data-part="debug"]', page)
  const { team_id: teamId, component } = run
  const { settings, list } = debugSettings(page, teamId ?? '', component, signal, begun)
  /** @type {RunState} */
  let state = run

  /**
   * @param {string} command
   * @param {Body} [more]
   * @returns {Promise<void>}
   */
  async function send(command, more) {
    try {
      showState(await server.command(run.id, command, more))
    } catch (error) {
      toastError(error)
      throw error
    }
  }
  const press = (/** @type {string} */ command, /** @type {Body} */ more = {}) =>
    void send(command, more).catch(() => {})
  const change = messageEdits(root, run, send, signal)

  /**
   * @param {string} tool
   * @param {Body} args
   */
  const always = (tool, args) =>
    void settings.changePolicy((policy) => withPermission(policy, tool, args))
  const question = questionDock(page, send, run.team_id ? always : null)

  function show() {
    const isHeld = state.state === 'paused' && (!state.pending || state.reason === 'breakpoint')
    find('[data-part="debug-run"]', root).hidden = hasEnded(state.state)
    find('[data-part="debug-change"]', root).hidden = hasEnded(state.state)
    for (const button of root.querySelectorAll('button[data-step]'))
      button.toggleAttribute('disabled', !isHeld)
    const hold = /** @type {HTMLButtonElement} */ (find('[data-interrupt]', root))
    hold.disabled = state.state !== 'running'
    find('[data-part="debug-why"]', root).textContent =
      state.state === 'paused' ? (state.detail ?? '') : ''
    showFinishing(root, state.in_flight ?? [])
    const waitsAt = String(state.pending?.details?.breakpoint ?? '')
    list.count(state.hits ?? {}, waitsAt)
    change.show(state)
    question.show(state)
  }

  /** @param {RunState} news */
  function showState(news) {
    if ((news.last_seq ?? Infinity) < (state.last_seq ?? 0)) return
    state = { ...state, ...news }
    show()
  }

  on(
    root,
    'click',
    '[data-step]',
    (_event, button) => press('step', { data: { until: button.dataset.step } }),
    signal,
  )
  on(root, 'click', '[data-interrupt]', () => press('interrupt'), signal)
  page.addEventListener(
    'run:state',
    (event) => showState(/** @type {CustomEvent} */ (event).detail),
    {
      signal,
    },
  )
  const step = (/** @type {string} */ until) => press('step', { data: { until } })
  const whenHeld = () =>
    state.state === 'paused' && (!state.pending || state.reason === 'breakpoint')
      ? true
      : 'Only a paused run can be stepped.'
  actions.add([
    {
      id: 'step-turn',
      label: 'Step to the end of the turn',
      icon: 'step-forward',
      keys: ['shift+s'],
      group: 'Debug',
      scope: 'page',
      needs: 'editor',
      when: whenHeld,
      run: () => step('turn'),
    },
    {
      id: 'step-over',
      label: 'Step over',
      icon: 'skip-forward',
      keys: ['o'],
      group: 'Debug',
      scope: 'page',
      needs: 'editor',
      when: whenHeld,
      run: () => step('over'),
    },
    {
      id: 'step-agent',
      label: 'Step to the next agent',
      icon: 'user',
      keys: ['a'],
      group: 'Debug',
      scope: 'page',
      needs: 'editor',
      when: whenHeld,
      run: () => step('agent'),
    },
    {
      id: 'interrupt',
      label: 'Pause now',
      icon: 'hand',
      keys: ['h'],
      group: 'Debug',
      scope: 'page',
      needs: 'editor',
      when: () => (state.state === 'running' ? true : 'The run isn’t running.'),
      run: () => press('interrupt'),
    },
    {
      id: 'add-breakpoint',
      label: 'Add a breakpoint',
      icon: 'circle-dot',
      keys: ['b'],
      group: 'Debug',
      scope: 'page',
      needs: 'editor',
      run: () => {
        showView('debug')
        list.focus()
      },
    },
    {
      id: 'to-question',
      label: 'Go to pending question',
      icon: 'circle-help',
      keys: ['q'],
      group: 'Debug',
      scope: 'page',
      needs: 'editor',
      when: () => (question.isOpen ? true : 'No pending question.'),
      run: question.focus,
    },
  ])
  show()

  /** @param {Batch} batch */
  return (batch) => {
    change.apply(batch)
    if (batch.state) showState(batch.state)
  }
}

/**
 * @param {HTMLElement} root
 * @param {NonNullable<RunState['in_flight']>} calls
 */
function showFinishing(root, calls) {
  find('[data-part="finishing"]', root).hidden = calls.length === 0
  const glyph = /** @type {{[kind: string]: string}} */ ({
    model: 'brain',
    tool: 'wrench',
    code: 'terminal',
    memory: 'database',
  })
  find('[data-part="finishing-list"]', root).replaceChildren(
    ...calls.map((call) =>
      el(
        'li',
        {},
        icon(glyph[call.kind] ?? 'box'),
        el(
          'span',
          { class: 'grow truncate' },
          call.agent ? `${call.agent}: ${call.name}` : call.name,
        ),
        el(
          'span',
          { class: 'muted small numeric' },
          `since ${new Date(call.since).toLocaleTimeString('en', { timeStyle: 'medium', hour12: false })}`,
        ),
      ),
    ),
  )
}
