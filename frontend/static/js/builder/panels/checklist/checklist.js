// @ts-check
import { find, on } from '../../../core/dom.js'
import { isSame } from '../../../core/pointer.js'
import { headline, sorted } from '../../document/findings.js'
import { storeSecret } from './secrets.js'
import { draw } from './sections.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {import('../../document/findings.js').Checked} Checked
 */

/**
 * The button that counts what is to be done, and the list behind it: each entry leads to its place,
 * and mends itself where that is a matter of a press.
 * @param {HTMLElement} button
 * @param {HTMLElement} panel
 * @param {Editor} editor
 * @param {AbortSignal} signal
 */
export function checklist(button, panel, editor, signal) {
  /** @type {[Checked, isKnown: boolean] | undefined} */
  let shown
  /** @type {Map<string, HTMLElement>} */
  const forms = new Map()
  const show = () => {
    const checked = sorted(editor.report, editor.doc)
    showHeadline(button, checked, editor.report.isKnown)
    if (shown && isSame(shown, [checked, editor.report.isKnown])) return
    shown = [checked, editor.report.isKnown]
    if (panel.matches(':popover-open'))
      keepingFocus(panel, () => draw(panel, editor, checked, forms))
  }
  editor.addEventListener('report', show, { signal })
  let { dismissed } = editor.doc.layout
  editor.addEventListener(
    'doc',
    () => {
      const isAnew = dismissed !== editor.doc.layout.dismissed
      dismissed = editor.doc.layout.dismissed
      if (isAnew)
        editor.setReport(editor.report) // the badges of cards and rows count warnings as well
      else show()
    },
    { signal },
  )
  panel.addEventListener(
    'beforetoggle',
    (event) => {
      if (event.newState !== 'open') return
      forms.clear()
      draw(panel, editor, sorted(editor.report, editor.doc), forms)
    },
    { signal },
  )
  panel.addEventListener(
    'toggle',
    (event) => {
      if (event.newState === 'open') entries(panel)[0]?.focus()
    },
    { signal },
  )
  panel.addEventListener('keydown', (event) => moveAmong(entries(panel), event), { signal })
  on(
    panel,
    'submit',
    'form',
    (event, form) => {
      event.preventDefault()
      const need = editor.report.needs.find((each) => each.reference === form.dataset['secret'])
      if (need)
        void storeSecret(editor, need, /** @type {HTMLInputElement} */ (find('input', form)))
    },
    signal,
  )
  show()
}

/**
 * @param {HTMLElement} button
 * @param {Checked} checked
 * @param {boolean} isKnown
 */
function showHeadline(button, checked, isKnown) {
  const { state, text, glyph } = headline(checked, isKnown)
  const label = find('[data-label]', button)
  button.dataset['state'] = state
  find('.icon', button).dataset['icon'] = glyph
  if (label.textContent !== text) label.textContent = text
}

/** @param {HTMLElement} panel */
function entries(panel) {
  return /** @type {HTMLElement[]} */ (
    [...panel.querySelectorAll('.checklist-item')].filter((each) => each.checkVisibility())
  )
}

/**
 * The arrow keys go from entry to entry, Tab to what can be done with one.
 * @param {HTMLElement[]} items
 * @param {KeyboardEvent} event
 */
function moveAmong(items, event) {
  if (event.target instanceof HTMLInputElement || !['ArrowDown', 'ArrowUp'].includes(event.key))
    return
  event.preventDefault()
  const here = items.findIndex((each) => each.closest('li')?.contains(document.activeElement))
  items[(here + (event.key === 'ArrowDown' ? 1 : -1) + items.length) % items.length]?.focus()
}

/**
 * What had the focus keeps it, or the entry that took its place.
 * @param {HTMLElement} panel
 * @param {() => void} change
 */
function keepingFocus(panel, change) {
  const active = document.activeElement
  const had = active instanceof HTMLElement && panel.contains(active) ? active : null
  const index = entries(panel).findIndex((each) => each.closest('li')?.contains(had))
  change()
  if (!had) return
  if (had.isConnected) return had.focus()
  const items = entries(panel)
  const next =
    items[Math.min(Math.max(index, 0), items.length - 1)] ?? panel.querySelector('[tabindex]')
  if (next instanceof HTMLElement) next.focus()
}
