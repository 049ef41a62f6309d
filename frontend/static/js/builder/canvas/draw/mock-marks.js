// @ts-check
// What test runs replace, as attributes of what is already drawn: no card changes its size.
import { MOCK_WORDS, mockAt } from '../../document/mocks.js'

/**
 * @param {import('../canvas.js').Canvas} canvas
 * @param {import('../../editor.js').Editor} editor
 * @param {AbortSignal} signal
 */
export function mockMarks(canvas, editor, signal) {
  const draw = () => {
    if (!editor.doc.layout.mocks && canvas.root.querySelector('[data-mocked]') === null) return
    for (const node of /** @type {NodeListOf<HTMLElement>} */ (
      canvas.nodes.querySelectorAll('[data-component]:not([data-hub])')
    ))
      markMocked(node, editor)
    for (const node of /** @type {NodeListOf<HTMLElement>} */ (
      canvas.head.querySelectorAll('.chip[data-component]')
    ))
      markMocked(node, editor)
  }
  for (const type of ['drawn', 'shown']) canvas.addEventListener(type, draw, { signal })
}

/**
 * A card, a chip, or a row of the outline.
 * @param {HTMLElement} node
 * @param {import('../../editor.js').Editor} editor
 */
export function markMocked(node, editor) {
  const kind = mockAt(editor.doc, node.dataset['component'] ?? '')?.kind
  if (node.dataset['mocked'] === kind) return
  if (kind) {
    node.dataset['mocked'] = kind
    node.setAttribute('aria-description', `${MOCK_WORDS[kind]} in test runs`)
  } else {
    delete node.dataset['mocked']
    node.removeAttribute('aria-description')
  }
}
