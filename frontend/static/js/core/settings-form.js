// @ts-check
// Forms of the studio's own settings, drawn by macros/settings_form.html.
import { find, on } from './dom.js'

/** @typedef {{ [name: string]: unknown }} Values */

/**
 * The settings with what the form holds in place of what they had.
 * @param {HTMLElement} form
 * @param {Values} [settings]
 * @returns {Values}
 */
export function readSettings(form, settings = {}) {
  const values = structuredClone(settings)
  for (const control of controlsOf(form)) {
    const names = (control.dataset['pointer'] ?? '').split('/').slice(1)
    const last = names.pop() ?? ''
    let place = values
    for (const name of names) place = /** @type {Values} */ ((place[name] ??= {}))
    place[last] = readControl(control)
  }
  return values
}

/** @param {HTMLElement} form */
function controlsOf(form) {
  return /** @type {NodeListOf<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>} */ (
    form.querySelectorAll('[data-pointer][data-kind]')
  )
}

/** @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} control */
function readControl(control) {
  const { kind } = control.dataset
  if (control instanceof HTMLInputElement && kind === 'boolean') return control.checked
  if (kind === 'lines') return control.value.split(/\s+/).filter((line) => line !== '')
  return kind === 'integer' || kind === 'number' ? Number(control.value) : control.value
}

/**
 * Say when callers may get an empty answer, as the form is filled in.
 * @param {HTMLElement} form
 */
export function warnOfEmptyAnswers(form) {
  const notice = form.querySelector('[data-empty-answer]')
  if (!(notice instanceof HTMLElement)) return
  /** @type {string[]} */
  const agents = JSON.parse(notice.dataset['agents'] ?? '[]')
  const show = () => {
    const { answer_from: from, tool_results: hasResults } = readSettings(form)
    const meant = agents.filter((name) => from === '' || from === name)
    notice.hidden = hasResults === true || meant.length === 0
    find('[data-agent-names]', notice).textContent = meant.join(', ')
  }
  on(form, 'change', '[data-pointer]', show)
  show()
}
