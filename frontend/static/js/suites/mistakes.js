// @ts-check
// All mistakes of what was written, in the form where they can be corrected.
import { ApiError } from '../core/api.js'
import { el, find, prose } from '../core/dom.js'

/**
 * @typedef {{ message: string, fix: string, where: string, line?: number, column?: number }} Placed
 */

/** @param {HTMLElement} form */
export function hideMistakes(form) {
  find('[data-mistakes]', form).hidden = true
}

/**
 * @param {HTMLElement} form
 * @param {unknown} error
 * @param {HTMLTextAreaElement} [box]  with the lines that mistakes are of; pressing one leads there
 */
export function showMistakes(form, error, box) {
  const region = find('[data-mistakes]', form)
  const items = mistakesOf(error).map((each) => el('li', {}, ...mistake(each, box)))
  const title = items.length > 1 ? `${items.length} mistakes. Nothing is saved.` : 'Not saved.'
  region.replaceChildren(
    el(
      'div',
      { class: 'notice', 'data-tone': 'danger' },
      el('div', {}, el('strong', {}, title), el('ul', { class: 'suite-mistakes' }, ...items)),
    ),
  )
  region.hidden = false
  region.scrollIntoView({ block: 'nearest' })
}

/**
 * @param {unknown} error
 * @returns {Placed[]}
 */
function mistakesOf(error) {
  if (!(error instanceof ApiError))
    return [{ message: error instanceof Error ? error.message : String(error), fix: '', where: '' }]
  const found = /** @type {Placed[] | undefined} */ (error.body['findings'])
  return found ?? [{ message: error.message, fix: error.fix, where: error.where }]
}

/**
 * @param {Placed} found
 * @param {HTMLTextAreaElement} [box]
 */
function mistake({ message, fix, line }, box) {
  const words = [...prose(message), ' ', el('span', { class: 'muted' }, ...prose(fix))]
  if (!box || !line) return words
  const go = el('button', { class: 'button quiet small', type: 'button' }, `Line ${line}`)
  go.addEventListener('click', () => goTo(box, line))
  return [go, ' ', ...words]
}

/**
 * @param {HTMLTextAreaElement} box
 * @param {number} line  counted from 1
 */
function goTo(box, line) {
  const lines = box.value.split('\n')
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0)
  box.focus()
  box.setSelectionRange(start, start + (lines[line - 1] ?? '').length)
  box.scrollTop = (box.scrollHeight / lines.length) * Math.max(0, line - 4)
}
