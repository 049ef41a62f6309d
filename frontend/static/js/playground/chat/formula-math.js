// @ts-check
// Loaded with the first formula of a page: most pages show none.
import temml from 'temml'

/**
 * What a formula of a stranger may take up, in ems and points, and how often its macros may unfold.
 */
const LIMITS = { maxSize: /** @type {[number, number]} */ ([12, 400]), maxExpand: 300 }

/**
 * TeX as MathML, built as elements and never as HTML. A formula that cannot be read stays as TeX.
 * @param {HTMLElement} node
 * @param {string} tex
 * @param {boolean} isBlock
 */
export function showMath(node, tex, isBlock) {
  const made = document.createElement('span')
  try {
    temml.render(tex, made, { displayMode: isBlock, throwOnError: true, trust: false, ...LIMITS })
  } catch {
    return
  }
  node.replaceChildren(...made.childNodes)
  node.dataset.math = ''
}
