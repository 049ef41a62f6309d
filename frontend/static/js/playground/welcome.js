// @ts-check
/** @import {Body} from './types.js' */
import { el, find, icon } from '../core/dom.js'
import { excerpt } from './format.js'

/**
 * What a team's description tells somebody who is about to run it.
 * @param {unknown} description  may end in "Try: some task."
 * @returns {{about: string, task: string}}
 */
export function suggestion(description) {
  const text = String(description ?? '').replace(/\s+/g, ' ').trim()
  if (/:(class|meth|attr):/.test(text)) return { about: '', task: '' } // documentation of the class, not of this team
  const tried = /\bTry: (.+?[.?!])(?= |$)/.exec(text)
  const about = tried ? text.slice(0, tried.index) : text
  return { about: excerpt(about, 240), task: tried?.[1] ?? '' }
}

/**
 * Fill the empty conversation: what the team is, and tasks to begin with.
 * @param {HTMLElement} page
 * @param {Body} component
 */
export function welcome(page, component) {
  const { about, task } = suggestion(component.description)
  if (about) find('[data-part="about"]', page).textContent = about
  if (!task) return
  find('[data-part="examples"]', page).replaceChildren(
    el('li', {}, el('button', { class: 'example', type: 'button', 'data-example': task }, icon('pencil'), el('span', {}, task))))
}
