// @ts-check
import { el, find, icon, on, prose } from '../../core/dom.js'
import { typeLabel } from '../document/catalogue.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../../core/api.js').Finding} Finding
 */

/** The button that counts problems, and the list behind it, whose entries lead to their places. @param {HTMLElement} button @param {HTMLElement} panel @param {Editor} editor @param {AbortSignal} signal */
export function checklist(button, panel, editor, signal) {
  const show = () => {
    const { capabilities } = editor.report
    const errors = problems(editor)
    const warnings = editor.report.warnings.filter((each) => each.code !== 'unknown_provider')
    const state = errors.length > 0 ? 'error' : warnings.length > 0 ? 'warning' : 'ok'
    button.dataset['state'] = state
    find('.icon', button).dataset['icon'] = { error: 'circle-alert', warning: 'triangle-alert', ok: 'circle-check' }[state]
    find('[data-label]', button).textContent = summary(errors.length, warnings.length)
    panel.replaceChildren(
      ...group(editor, 'To fix', errors, 'danger'), ...group(editor, 'Worth knowing', warnings, 'warning'),
      ...(errors.length + warnings.length === 0 ? [el('p', { class: 'checklist-none' }, icon('circle-check'), 'Nothing to fix. The team can run.')] : []),
      ...(capabilities.length > 0 ? [el('div', { class: 'menu-label' }, 'What a run may do')] : []),
      ...capabilities.map((each) => entry(editor, each.where, each.text, each.approved ? 'approved' : '', each.approved ? 'shield-check' : 'shield-alert')))
  }
  editor.addEventListener('report', show, { signal })
  on(panel, 'click', '[data-where]', (_event, item) => {
    panel.hidePopover()
    const where = item.dataset['where'] ?? ''
    editor.select(editor.catalogue.owner(editor.root, where), { reveal: where })
  }, signal)
}

/** All that keeps the team from running: mistakes, and parts that have no engine here. @param {Pick<Editor, 'report' | 'at'>} editor @returns {Finding[]} */
export function problems(editor) {
  return [...opaqueParts(editor), ...editor.report.errors]
}

/** @param {Pick<Editor, 'report' | 'at'>} editor @returns {Finding[]} */
function opaqueParts(editor) {
  return editor.report.parts.filter((part) => part.status === 'opaque').map(({ where }) => {
    const component = editor.at(where)
    const what = component ? typeLabel(component.provider) : 'A part'
    return { code: 'opaque', where, message: `Cannot run here: ${what} is not supported yet.`, fix: 'It is kept as it is and exported unchanged.' }
  })
}

/** @param {number} errors @param {number} warnings */
function summary(errors, warnings) {
  if (errors > 0) return errors === 1 ? '1 problem' : `${errors} problems`
  if (warnings > 0) return warnings === 1 ? '1 note' : `${warnings} notes`
  return 'Ready'
}

/** @param {Editor} editor @param {string} title @param {Finding[]} findings @param {string} tone */
function group(editor, title, findings, tone) {
  if (findings.length === 0) return []
  return [el('div', { class: 'menu-label' }, title), ...findings.map((each) => entry(editor, each.where, each.message, each.fix, tone === 'danger' ? 'circle-alert' : 'triangle-alert', tone))]
}

/** @param {Editor} editor @param {string} where @param {string} text @param {string} detail @param {string} glyph @param {string} [tone] */
function entry(editor, where, text, detail, glyph, tone = '') {
  const owner = editor.titleAt(editor.catalogue.owner(editor.root, where))
  return el('button', { type: 'button', class: 'checklist-item', 'data-where': where, 'data-tone': tone }, icon(glyph),
    el('span', {}, el('b', {}, owner ? `${owner}: ` : ''), ...prose(text), detail && el('span', { class: 'muted' }, ' ', ...prose(detail))))
}
