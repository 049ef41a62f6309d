// @ts-check
// The findings of an import, looked at part by part.
import { announce } from '../../core/dom.js'
import { inWords, markAllSeen, markSeen, unseenAt, unseenIn } from '../document/import-findings.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../../core/actions.js').Action} Action
 */

/**
 * @param {Editor} editor
 * @param {(pointer: string) => void} goTo  selects a part and gives it the focus
 * @returns {Action[]}
 */
export function importFindingActions(editor, goTo) {
  const hasAny = () =>
    unseenIn(editor.doc).length > 0 ? true : 'There are no import findings to look at.'
  /** @type {Omit<Action, 'group' | 'scope'>[]} */
  const list = [
    {
      id: 'next-import-finding',
      label: 'Go to next import finding',
      icon: 'import',
      keys: ['i'],
      needs: 'viewer',
      when: hasAny,
      run: () => goToNext(editor, goTo),
    },
    {
      id: 'import-seen',
      label: 'Mark import findings as seen',
      icon: 'check',
      keys: ['v'],
      menu: true,
      when: () =>
        unseenAt(editor.doc, editor.selection).length > 0
          ? true
          : 'The selection has no import findings.',
      run: () => see(editor),
    },
    {
      id: 'all-imports-seen',
      label: 'Mark all import findings as seen',
      icon: 'check',
      keys: ['shift+v'],
      when: hasAny,
      run: () => void editor.run(markAllSeen()),
    },
  ]
  return list.map((each) => ({ needs: 'editor', ...each, group: 'Import', scope: 'canvas' }))
}

/** @param {Editor} editor */
export function see(editor) {
  const pointer = editor.selection
  editor.run(markSeen(editor.root, pointer, editor.titleAt(pointer)))
}

/**
 * The next part with findings, in the order of the import; after the last comes the first.
 * @param {Editor} editor
 * @param {(pointer: string) => void} goTo
 */
function goToNext(editor, goTo) {
  const parts = unseenIn(editor.doc)
  const here = parts.findIndex((each) => each.pointer === editor.selection)
  const next = parts[(here + 1) % parts.length]
  if (!next) return
  goTo(next.pointer)
  announce(`${editor.titleAt(next.pointer)}: ${inWords(next.findings.length)}`)
}
