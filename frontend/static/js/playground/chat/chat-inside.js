// @ts-check
/** @import {Inside} from '../log/insides.js' */
import { el } from '../../core/dom.js'
import { insideWords } from '../log/insides.js'

/** Deeper ones stand where these do: a line of text needs its room. */
const DEEPEST = 3

/**
 * Sets off what was said within a participant from what the team itself heard.
 * @param {HTMLElement} node  of an item
 * @param {Inside} inside
 * @param {boolean} goesOn  the item before is in the same place
 */
export function showInside(node, inside, goesOn) {
  if (inside.length === 0 || !node.matches('.turn, .marker')) return
  node.dataset.inside = String(Math.min(inside.length, DEEPEST))
  node.toggleAttribute('data-inside-begins', !goesOn)
  if (node.matches('.marker')) return
  let label = node.querySelector(':scope > .turn-inside')
  if (!label)
    node.prepend((label = el('p', { class: 'turn-inside' }, `Inside ${insideWords(inside)}`)))
  label.classList.toggle('visually-hidden', goesOn)
}
