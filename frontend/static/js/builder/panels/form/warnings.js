// @ts-check
// Warnings of the report at the fields that it is about; what is about the whole part stands above
// them.
import { el, icon, prose } from '../../../core/dom.js'
import { isWithin } from '../../../core/pointer.js'
import { warningsOf, dismiss } from '../../document/findings.js'
import { runFix } from '../checklist/rows.js'
import { at } from './entries.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {import('../../../core/api.js').Finding} Finding
 */

/**
 * @param {HTMLElement} root  holds a form
 * @param {Editor} editor
 */
export function showWarnings(root, editor) {
  const places = /** @type {HTMLElement[]} */ ([...root.querySelectorAll('[data-warnings-for]')])
  const pointers = places.map((each) => each.dataset['hintFor'] ?? '')
  /** @type {Map<string, Finding[]>} */
  const found = new Map()
  for (const warning of warningsOf(editor.report, editor.doc)) {
    const where = editor.reportedPlace(warning.where)
    const place = where === undefined ? undefined : placeOf(root, editor, pointers, where)
    if (place !== undefined) found.set(place, [...(found.get(place) ?? []), warning])
  }
  for (const place of places) fill(place, editor, found.get(place.dataset['hintFor'] ?? '') ?? [])
}

/**
 * The innermost field around a place, if the form is about the part that the warning is about.
 * @param {HTMLElement} root
 * @param {Editor} editor
 * @param {string[]} pointers
 * @param {string} where
 */
function placeOf(root, editor, pointers, where) {
  const owner = editor.catalogue.owner(editor.root, where)
  const isShown =
    owner === editor.selection ||
    (isWithin(where, editor.selection) &&
      root.querySelector(`details${at('data-keep', `inline ${owner}`)}`) !== null)
  if (!isShown && !pointers.includes(where)) return undefined
  return pointers
    .filter((each) => isWithin(where, each))
    .sort((one, other) => other.length - one.length)[0]
}

/**
 * @param {HTMLElement} place
 * @param {Editor} editor
 * @param {Finding[]} warnings
 */
function fill(place, editor, warnings) {
  place.hidden = warnings.length === 0
  place.replaceChildren(
    ...warnings.map((each) =>
      el(
        'div',
        { class: 'field-warning', 'data-code': each.code },
        icon('lightbulb'),
        el(
          'div',
          {},
          el('p', {}, ...prose(`${each.message} ${each.fix}`.trim())),
          each.fixes &&
            el(
              'div',
              { class: 'row-wrap' },
              ...each.fixes.map((fix) =>
                el(
                  'button',
                  {
                    type: 'button',
                    class: 'button small',
                    on: { click: () => runFix(editor, fix) },
                  },
                  fix.label,
                ),
              ),
            ),
        ),
        el(
          'button',
          {
            type: 'button',
            class: 'button quiet small icon-only',
            'aria-label': 'Dismiss this warning',
            title: 'Dismiss this warning',
            on: { click: () => editor.run(dismiss(each)) },
          },
          icon('x'),
        ),
      ),
    ),
  )
}
