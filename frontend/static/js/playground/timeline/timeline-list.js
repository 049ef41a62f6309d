// @ts-check
/** @import {Bar} from './timeline-bars.js' */
import { el, find, on } from '../../core/dom.js'
import { duration, tokens } from '../format.js'
import { whatOf } from './timeline-labels.js'

/** More rows than these are for the eye no list; zooming in shows the others. */
const MAX_ROWS = 60

/**
 * The bars in view as rows, for those who do not see the picture, or do not point.
 * @param {HTMLElement} root  a <details>
 * @param {(seq: number) => void} select
 * @param {AbortSignal} signal
 */
export function timelineList(root, select, signal) {
  const body = find('tbody', root)
  const rest = find('[data-part="timeline-rest"]', root)
  /** @type {Bar[]} */
  let bars = []
  /** @type {number | null} */
  let selected = null

  function fill() {
    if (!(/** @type {HTMLDetailsElement} */ (root).open)) return
    const here = Math.max(0, bars.findIndex((bar) => bar.seq === selected) - MAX_ROWS / 2)
    const shown = bars.slice(here, here + MAX_ROWS)
    const focused = /** @type {HTMLElement | null} */ (
      body.contains(document.activeElement) ? document.activeElement : null
    )?.dataset.seq
    body.replaceChildren(
      ...shown.map((bar) =>
        el(
          'tr',
          { 'aria-current': bar.seq === selected ? 'true' : null },
          el(
            'td',
            {},
            el('button', { type: 'button', class: 'link-button', 'data-seq': bar.seq }, bar.lane),
          ),
          el('td', {}, whatOf(bar)),
          el('td', { class: 'numeric' }, duration(bar.end - bar.start)),
          el('td', { class: 'numeric' }, bar.tokens > 0 ? tokens(bar.tokens) : ''),
        ),
      ),
    )
    rest.hidden = bars.length <= MAX_ROWS
    rest.textContent = `${shown.length} of ${bars.length.toLocaleString('en')} in view. Zoom in, or select one, to see others.`
    if (focused)
      /** @type {HTMLElement | null} */ (body.querySelector(`[data-seq="${focused}"]`))?.focus({
        preventScroll: true,
      })
  }

  root.addEventListener('toggle', fill, { signal })
  on(body, 'click', '[data-seq]', (_, button) => select(Number(button.dataset.seq)), signal)

  return {
    /**
     * @param {Bar[]} inView
     * @param {number | null} seq  the selected entry
     */
    show(inView, seq) {
      bars = inView
      selected = seq
      fill()
    },
  }
}
