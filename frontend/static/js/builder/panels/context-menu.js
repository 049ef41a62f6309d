// @ts-check
import { disabledReason } from '../../core/actions.js'
import { openMenu, whenReleased } from '../../core/menu.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../../core/actions.js').Action} Action
 * @typedef {import('../../core/actions.js').Actions} Actions
 */

/**
 * The menu of what is selected: every action with `menu` that can be done now. By right click, by
 * `[data-menu]`, and by key.
 * @param {HTMLElement[]} surfaces  canvas and outline
 * @param {Editor} editor
 * @param {Actions} actions
 * @param {AbortSignal} signal
 * @returns {Action[]}
 */
export function contextMenu(surfaces, editor, actions, signal) {
  const open = (/** @type {{ x: number, y: number }} */ at) => {
    const possible = actions
      .all()
      .filter((each) => each.menu && disabledReason(each) === '')
      .toSorted((a, b) => Number(a.isDanger ?? false) - Number(b.isDanger ?? false))
    const items = possible.map((each, index) => ({
      label: each.label,
      icon: each.icon ?? '',
      keys: each.keys ?? [],
      isDanger: each.isDanger ?? false,
      isApart: index > 0 && sectionOf(each) !== sectionOf(possible[index - 1]),
      run: () => void actions.run(each.id),
    }))
    openMenu(`Actions for ${editor.titleAt(editor.selection)}`, items, at)
  }
  for (const surface of surfaces) {
    surface.addEventListener(
      'contextmenu',
      (event) => {
        const pointer = pointerAt(event)
        if (pointer === undefined) return
        event.preventDefault()
        if (!editor.selected.includes(pointer)) editor.select(pointer)
        focusOn(event)
        whenReleased(event, () => open({ x: event.clientX, y: event.clientY }))
      },
      { signal },
    )
    surface.addEventListener(
      'click',
      (event) => {
        const button = event.target instanceof Element ? event.target.closest('[data-menu]') : null
        if (!(button instanceof HTMLElement)) return
        const rect = button.getBoundingClientRect()
        open({ x: rect.left, y: rect.bottom + 2 })
      },
      { signal },
    )
  }
  return [
    {
      id: 'menu',
      label: 'Open menu',
      icon: 'ellipsis',
      keys: ['shift+f10', 'contextmenu'],
      group: 'Edit',
      scope: 'canvas',
      run: () => open(below(document.activeElement)),
    },
  ]
}

/**
 * What removes something stands apart, at the end.
 * @param {Action | undefined} action
 */
function sectionOf(action) {
  return action?.isDanger ? 'danger' : action?.group
}

/** @param {Event} event */
function pointerAt(event) {
  const target =
    event.target instanceof Element && !event.target.closest('input, textarea, [data-typing]')
      ? event.target
      : null
  return target?.closest('[data-component]')?.getAttribute('data-component') ?? undefined
}

/**
 * A right click does not move the focus by itself; the menu gives it back to what it is about.
 * @param {MouseEvent} event
 */
function focusOn(event) {
  const stop =
    event.target instanceof Element
      ? event.target.closest('.tree-row, .node, .chip, .sentence-joint, .frame-name')
      : null
  if (stop instanceof HTMLElement) stop.focus({ preventScroll: true })
}

/** @param {Element | null} node */
function below(node) {
  const rect =
    node && node !== document.body
      ? node.getBoundingClientRect()
      : { left: innerWidth / 3, top: innerHeight / 3, height: 0 }
  return { x: rect.left + 12, y: rect.top + Math.min(rect.height, 44) }
}
