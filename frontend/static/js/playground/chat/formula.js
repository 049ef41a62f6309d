// @ts-check
/** @import {Formula} from './formulas.js' */
import { el } from '../../core/dom.js'

/** More TeX than this is shown as it is: laying it out would hold the page up. */
const MAX_DRAWN = 2000

/**
 * A formula: TeX at first, and MathML as soon as what makes it is here.
 * @param {Formula} formula
 */
export function renderFormula({ tex, isBlock }) {
  const node = el('span', { class: isBlock ? 'formula block' : 'formula', 'data-tex': tex }, tex)
  if (isBlock) node.tabIndex = 0
  if (tex.length <= MAX_DRAWN)
    import('./formula-math.js').then(
      ({ showMath }) => showMath(node, tex, isBlock),
      () => {},
    )
  return node
}
