// @ts-check
/** @import {Action} from '../core/actions.js' */
/** @typedef {ReturnType<typeof import('./controls.js').controls>} Toolbar */

/**
 * What is done to the run, and to the page around it.
 * @param {() => Toolbar | undefined} toolbar  of the open run
 * @param {() => void} newRun
 * @param {(name: string) => void} showView
 * @param {{isShown: boolean, focus: () => void}} box  for tasks and messages
 * @returns {Action[]}
 */
export function runActions(toolbar, newRun, showView, box) {
  const whenOpen = () => (toolbar() ? true : 'No run is open.')
  /** @type {Omit<Action, 'group' | 'scope'>[]} */
  const run = [
    {
      id: 'pause-or-resume',
      label: 'Pause or resume',
      icon: 'pause',
      keys: ['space'],
      needs: 'editor',
      run: (event) => !isControl(event) && Boolean(toolbar()?.toggle()),
    },
    {
      id: 'step',
      label: 'One step',
      icon: 'step-forward',
      keys: ['s'],
      needs: 'editor',
      run: () => Boolean(toolbar()?.press('step')),
    },
    {
      id: 'stop',
      label: 'Stop after this turn',
      icon: 'square',
      needs: 'editor',
      when: whenOpen,
      run: () => void toolbar()?.press('stop'),
    },
    {
      id: 'cancel',
      label: 'Cancel now',
      icon: 'x',
      needs: 'editor',
      when: whenOpen,
      run: () => void toolbar()?.press('cancel'),
    },
    {
      id: 'write',
      label: 'Write to the team',
      icon: 'message-square',
      keys: ['r'],
      needs: 'editor',
      when: () => (box.isShown ? true : 'The run waits for an answer.'),
      run: () => box.focus(),
    },
    { id: 'new-run', label: 'New run', icon: 'plus', needs: 'editor', run: newRun },
  ]
  const views = /** @type {HTMLElement[]} */ ([
    ...document.querySelectorAll('[data-part="views"] [role=tab]'),
  ])
  /** @type {Omit<Action, 'group' | 'scope'>[]} */
  const shown = views.map((tab, index) => ({
    id: `view-${tab.id.slice('view-tab-'.length)}`,
    label: `Show ${tab.textContent?.trim()}`,
    icon: 'panel-right',
    keys: [String(index + 1)],
    run: () => showView(tab.id.slice('view-tab-'.length)),
  }))
  return [
    ...run.map((each) => /** @type {Action} */ ({ ...each, group: 'Run', scope: 'page' })),
    ...shown.map((each) => /** @type {Action} */ ({ ...each, group: 'View', scope: 'page' })),
  ]
}

/**
 * Space presses the button that has the focus.
 * @param {Event | undefined} event
 */
function isControl(event) {
  return (
    event?.target instanceof Element &&
    event.target.closest('button, a, summary, input, select, [role="button"], dialog') !== null
  )
}
