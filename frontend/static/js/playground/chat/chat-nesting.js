// @ts-check
/** @import {NestingPath} from '../log/nested-runs.js' */
import { el } from '../../core/dom.js'
import { nestingText } from '../log/nested-runs.js'

/** Deeper ones stand where these do: a line of text needs its room. */
const MAX_DEPTH = 3

/**
 * Sets off what was said within a participant from what the team itself heard.
 * @param {HTMLElement} node  of an item
 * @param {NestingPath} inside
 * @param {boolean} goesOn  the item before is in the same place
 */
export function showNesting(node, inside, goesOn) {
  if (inside.length === 0 || !node.matches('.turn, .marker')) return
  node.dataset.nesting = String(Math.min(inside.length, MAX_DEPTH))
  node.toggleAttribute('data-nesting-begins', !goesOn)
  if (node.matches('.marker')) return
  let label = node.querySelector(':scope > .turn-nesting')
  if (!label)
    node.prepend((label = el('p', { class: 'turn-nesting' }, `Inside ${nestingText(inside)}`)))
  label.classList.toggle('visually-hidden', goesOn)
}
