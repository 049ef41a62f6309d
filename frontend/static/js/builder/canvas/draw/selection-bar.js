// @ts-check
import { announce, el, icon, on } from '../../../core/dom.js'
import { keysLabel } from '../../../core/shortcuts.js'
import { disabledReason } from '../../../core/actions.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {import('../canvas.js').Canvas} Canvas
 * @typedef {import('../../../core/actions.js').Actions} Actions
 */

/**
 * What can be done to several parts at once, by the names of the actions. "" is a line between
 * them.
 */
const FREE = [
  'align-left',
  'align-centre',
  'align-right',
  '',
  'align-top',
  'align-middle',
  'align-bottom',
  '',
  'distribute-x',
  'distribute-y',
  '',
]
const ORDERED = ['move-earlier', 'move-later', '']
const ALWAYS = ['duplicate', 'copy', 'cut', 'remove']

/**
 * A bar over the canvas while several parts are selected.
 * @param {Editor} editor
 * @param {Canvas} canvas
 * @param {Actions} actions
 * @param {AbortSignal} signal
 */
export function selectionBar(editor, canvas, actions, signal) {
  const count = el('span', { class: 'selection-count' })
  const buttons = el('div', { class: 'selection-actions' })
  const bar = el(
    'div',
    { class: 'selection-bar toolbar', role: 'toolbar', 'aria-label': 'Selection', hidden: true },
    count,
    buttons,
    el(
      'button',
      {
        type: 'button',
        class: 'button quiet small icon-only',
        'data-clear': true,
        'aria-label': 'Clear the selection',
        title: 'Clear the selection (Esc)',
      },
      icon('x'),
    ),
  )
  canvas.root.append(bar)
  let shown = ''

  const show = () => {
    const parts = editor.selected.length
    const hadFocus = bar.contains(document.activeElement)
    bar.hidden = parts < 2
    if (bar.hidden && hadFocus) canvas.root.focus({ preventScroll: true })
    if (bar.hidden) return
    count.textContent = `${parts} selected`
    const ids = [
      ...(canvas.selectedCards().length < 2 ? [] : canvas.isFree ? FREE : ORDERED),
      ...ALWAYS,
    ]
    if (shown !== ids.join()) buttons.replaceChildren(...ids.map((id) => button(actions, id)))
    shown = ids.join()
    for (const each of buttons.querySelectorAll('[data-act]')) {
      const action = actions.find(each.getAttribute('data-act') ?? '')
      if (action) each.setAttribute('aria-disabled', String(disabledReason(action) !== ''))
    }
  }
  editor.addEventListener(
    'select',
    () => {
      show()
      if (editor.selected.length > 1) announce(`${editor.selected.length} selected`)
    },
    { signal },
  )
  canvas.addEventListener('drawn', show, { signal })
  on(
    bar,
    'click',
    '[data-act]',
    (event, target) => void actions.run(target.dataset['act'] ?? '', event),
    signal,
  )
  on(bar, 'click', '[data-clear]', () => editor.select(editor.view), signal)
}

/**
 * @param {Actions} actions
 * @param {string} id
 */
function button(actions, id) {
  const action = id === '' ? undefined : actions.find(id)
  if (!action) return el('span', { class: 'toolbar-separator' })
  const keys = action.keys?.[0] ? ` (${keysLabel(action.keys[0])})` : ''
  return el(
    'button',
    {
      type: 'button',
      class: `button quiet small icon-only${action.isDanger ? ' danger' : ''}`,
      'data-act': id,
      'aria-label': action.label,
      title: `${action.label}${keys}`,
    },
    icon(action.icon ?? 'square'),
  )
}
