// @ts-check
import { el, find, icon, prose } from '../../../core/dom.js'
import { notifyChanged } from '../../actions.js'
import { ownerOf } from '../../document/commands.js'
import { applyFix } from '../../document/findings.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {import('../../../core/api.js').Finding} Finding
 */

/**
 * Problems as a list that leads to their places, for others to show.
 * @param {Editor} editor
 * @param {Finding[]} findings
 */
export function problemList(editor, findings) {
  return list(findings.map((each) => row(editor, each, 'error', 'circle-alert')))
}

/**
 * Go to what a finding is about: selected, unfolded, focused.
 * @param {Editor} editor
 * @param {string} reported
 */
export function goTo(editor, reported) {
  const where = editor.reportedPlace(reported) ?? ''
  document.getElementById('tab-form')?.click()
  // until the field is there, or where there is none
  document.getElementById('panel-form')?.focus({ preventScroll: true })
  editor.select(editor.catalogue.owner(editor.root, where), { reveal: where })
}

/**
 * @param {Editor} editor
 * @param {import('../../../core/api.js').Fix} fix
 */
export function runFix(editor, fix) {
  const pointer = editor.reportedPlace(fix.pointer)
  if (pointer === undefined) notifyChanged()
  else editor.run(applyFix({ ...fix, pointer }))
}

/** @param {HTMLElement[]} rows */
export function list(rows) {
  return el('ul', { role: 'list', class: 'checklist-list' }, ...rows)
}

/**
 * @param {Editor} editor
 * @param {Finding} finding
 * @param {string} tone
 * @param {string} glyph
 * @param {HTMLElement | null} [more]  what else can be done
 * @param {HTMLElement | false} [aside]
 */
export function row(editor, finding, tone, glyph, more, aside) {
  const { where, message, fix, fixes = [] } = finding
  const owner = placeName(editor, where)
  const leap = () => {
    find('#checklist').hidePopover()
    goTo(editor, where)
  }
  const mend = (editor.whyNot === '' ? fixes : []).map((each) =>
    el(
      'button',
      {
        type: 'button',
        class: 'button small',
        title: each.label,
        on: { click: () => runFix(editor, each) },
      },
      each.label,
    ),
  )
  return el(
    'li',
    { class: 'checklist-row', 'data-tone': tone, 'data-code': finding.code },
    el(
      'button',
      { type: 'button', class: 'checklist-item', 'data-where': where, on: { click: leap } },
      icon(glyph),
      el(
        'span',
        {},
        owner && el('b', { class: 'checklist-owner' }, owner),
        el(
          'span',
          { class: 'checklist-text' },
          ...prose(message),
          fix && el('span', { class: 'muted' }, ' ', ...prose(fix)),
        ),
      ),
    ),
    aside,
    (mend.length > 0 || more) && el('div', { class: 'checklist-actions' }, ...mend, more),
  )
}

/**
 * "writer › gpt-4o": what a place is in, and for parts without a name of their own whose part it
 * is.
 * @param {Editor} editor
 * @param {string} where
 */
function placeName(editor, where) {
  const owner = editor.catalogue.owner(editor.root, where)
  const around = ownerOf(owner)
  const isNamed = owner === '' || editor.at(owner)?.config['name'] !== undefined
  return [!isNamed && around !== '' && editor.titleAt(around), editor.titleAt(owner)]
    .filter(Boolean)
    .join(' › ')
}
