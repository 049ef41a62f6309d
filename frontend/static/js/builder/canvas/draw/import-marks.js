// @ts-check
// How many import findings of a part are not seen yet, on what is already drawn: no card changes
// its size.
import { inWords, unseenAt, unseenIn, unseenWithin } from '../../document/import-findings.js'

/** @typedef {import('../../editor.js').Editor} Editor */

/**
 * @param {import('../canvas.js').Canvas} canvas
 * @param {Editor} editor
 * @param {AbortSignal} signal
 */
export function importMarks(canvas, editor, signal) {
  const draw = () => {
    for (const mark of /** @type {NodeListOf<HTMLElement>} */ (
      canvas.root.querySelectorAll('[data-imported-within], [data-imported-at]')
    )) {
      if (mark.hidden && unseenIn(editor.doc).length === 0) continue
      const { importedWithin, importedAt = '' } = mark.dataset
      markImported(
        mark,
        importedWithin === undefined
          ? unseenAt(editor.doc, importedAt)
          : unseenWithin(editor.doc, importedWithin),
      )
    }
  }
  for (const type of ['drawn', 'shown']) canvas.addEventListener(type, draw, { signal })
}

/**
 * A row of the outline; while it is folded, also for what is in it.
 * @param {HTMLElement} row
 * @param {Editor} editor
 */
export function markImportedRow(row, editor) {
  const pointer = row.dataset['component'] ?? ''
  const isFolded = row.ariaExpanded === 'false'
  const mark = /** @type {HTMLElement} */ (row.querySelector('.import-mark'))
  const found = (isFolded ? unseenWithin : unseenAt)(editor.doc, pointer)
  if (mark.hidden && found.length === 0) return
  markImported(mark, found)
  // A row has a name of its own, so that what stands in it is not read.
  row.ariaLabel = [row.dataset['spoken'], found.length > 0 && inWords(found.length)]
    .filter(Boolean)
    .join(', ')
}

/**
 * @param {HTMLElement} mark
 * @param {import('../../document/import-findings.js').ImportFinding[]} found
 */
function markImported(mark, found) {
  mark.hidden = found.length === 0
  mark.textContent = String(found.length)
  mark.title = [inWords(found.length), ...found.map((each) => each.what)].join('\n')
}
