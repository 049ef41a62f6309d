// @ts-check
/** @import {Body} from './types.js' */
import { el, find, icon } from '../core/dom.js'
import { variablesIn } from './examples/variables.js'
import { excerpt } from './format.js'

/**
 * What a team's description tells somebody who is about to run it.
 * @param {unknown} description  may end in "Try: some task."
 * @returns {{about: string, task: string}}
 */
export function suggestion(description) {
  const text = String(description ?? '')
    .replace(/\s+/g, ' ')
    .trim()
  // documentation of the class, not of this team
  if (/:(class|meth|attr):/.test(text)) return { about: '', task: '' }
  const tried = /\bTry: (.+?[.?!])(?= |$)/.exec(text)
  const about = tried ? text.slice(0, tried.index) : text
  return { about: excerpt(about, 240), task: tried?.[1] ?? '' }
}

/**
 * Fill the empty conversation: what the team is, and tasks to begin with. Its own ones come first,
 * then the one that its description names.
 * @param {HTMLElement} page
 * @param {Body} component
 * @param {string[]} examples  that are kept with the team
 */
export function welcome(page, component, examples) {
  const { about, task } = suggestion(component.description)
  if (about) find('[data-part="about"]', page).textContent = about
  const tasks = examples.length > 0 ? examples : [task].filter(Boolean)
  if (tasks.length > 0)
    find('[data-part="examples"]', page).replaceChildren(...tasks.map(renderExample))
}

/** @param {string} task */
function renderExample(task) {
  const hasVariables = variablesIn(task).length > 0
  return el(
    'li',
    {},
    el(
      'button',
      {
        class: 'example',
        type: 'button',
        'data-example': task,
        'aria-haspopup': hasVariables && 'dialog',
      },
      icon(hasVariables ? 'braces' : 'pencil'),
      el('span', { class: 'example-task' }, task),
    ),
  )
}
