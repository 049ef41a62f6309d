// @ts-check
// Above the fields of a part: what an import said of it, until it is seen.
import { el, icon, prose } from '../../../core/dom.js'
import { see } from '../../actions/import-findings.js'
import {
  inWords,
  markAllSeen,
  unseenAt,
  unseenIn,
  VERDICT_WORDS,
} from '../../document/import-findings.js'

/** @typedef {import('../../editor.js').Editor} Editor */

/**
 * @param {HTMLElement} root  holds a form
 * @param {Editor} editor
 */
export function showImportFindings(root, editor) {
  const place = root.querySelector('[data-import-findings]')
  if (!(place instanceof HTMLElement)) return
  const findings = editor.selected.length > 1 ? [] : unseenAt(editor.doc, editor.selection)
  place.hidden = findings.length === 0
  place.replaceChildren(...(findings.length === 0 ? [] : [head(editor, findings.length)]))
  if (findings.length > 0)
    place.append(el('ul', { role: 'list', class: 'findings' }, ...findings.map(row)))
}

/**
 * @param {Editor} editor
 * @param {number} count
 */
function head(editor, count) {
  const others = unseenIn(editor.doc).length - 1
  return el(
    'div',
    { class: 'import-findings-head' },
    el('h3', {}, inWords(count)),
    editor.whyNot === '' &&
      el(
        'button',
        {
          type: 'button',
          class: 'button small',
          title: 'Seen (V)',
          on: { click: () => see(editor) },
        },
        'Seen',
      ),
    editor.whyNot === '' &&
      others > 0 &&
      el(
        'button',
        {
          type: 'button',
          class: 'button quiet small',
          title: 'Mark the findings of all parts as seen (Shift+V)',
          on: { click: () => void editor.run(markAllSeen()) },
        },
        'All seen',
      ),
  )
}

/** @param {import('../../document/import-findings.js').ImportFinding} finding */
function row({ verdict, what, why, fix, place }) {
  return el(
    'li',
    { class: 'finding', 'data-verdict': verdict },
    icon(verdict === 'approximated' ? 'info' : 'circle-alert'),
    el(
      'div',
      {},
      el('span', { class: 'muted' }, `${VERDICT_WORDS[verdict]}: `),
      el('strong', {}, ...prose(what)),
      ...(why ? [' ', ...prose(why)] : []),
      fix && el('span', { class: 'muted' }, ' ', ...prose(fix)),
      place && ' ',
      place && el('code', { class: 'where' }, place),
    ),
  )
}
