// @ts-check
import { find, on } from './dom.js'

/**
 * Native tabs: arrow keys move, the chosen panel is shown.
 * @param {HTMLElement} root
 * @param {AbortSignal} [signal]
 */
export function tabs(root, signal) {
  const list = find('[role=tablist]', root)
  const buttons = /** @type {HTMLElement[]} */ ([...list.querySelectorAll('[role=tab]')])
  const panelOf = (/** @type {HTMLElement} */ tab) =>
    document.getElementById(tab.getAttribute('aria-controls') ?? '')
  const choose = (/** @type {HTMLElement} */ chosen) => {
    for (const tab of buttons) {
      const isChosen = tab === chosen
      if ((tab.getAttribute('aria-selected') === 'true') !== isChosen)
        panelOf(tab)?.dispatchEvent(new CustomEvent(isChosen ? 'tab:show' : 'tab:hide'))
      tab.setAttribute('aria-selected', String(isChosen))
      tab.tabIndex = isChosen ? 0 : -1
      const panel = panelOf(tab)
      if (panel) panel.hidden = !isChosen
    }
  }
  on(list, 'click', '[role=tab]', (_event, tab) => choose(tab), signal)
  list.addEventListener(
    'keydown',
    (event) => {
      const here = buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement))
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
      if (by === undefined || here < 0) return
      event.preventDefault()
      const next = buttons[(here + by + buttons.length) % buttons.length]
      if (next) choose(next)
      next?.focus()
    },
    signal ? { signal } : {},
  )
  return choose
}
