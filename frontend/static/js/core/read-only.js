// @ts-check
/** @import {Role} from './permissions.js' */
import { el } from './dom.js'
import { can } from './permissions.js'

/** Buttons that change nothing. */
const READING = '[data-action="select"], [data-reading]'

/** What holds only what is done with the rest. */
const ACTIONS = '[data-action-group]'

/**
 * All of it can be read and copied, and nothing changed: what would change something is taken away.
 * @param {ParentNode} root
 */
export function makeReadOnly(root) {
  for (const acts of root.querySelectorAll(ACTIONS)) acts.remove()
  for (const control of root.querySelectorAll('input, textarea, select')) {
    const isText =
      control instanceof HTMLTextAreaElement ||
      (control instanceof HTMLInputElement && !['checkbox', 'radio'].includes(control.type))
    control.setAttribute(isText ? 'readonly' : 'disabled', '')
  }
  for (const code of root.querySelectorAll('json-code')) code.setAttribute('data-readonly', '')
  for (const button of root.querySelectorAll('button'))
    if (!button.matches(READING)) button.remove()
}

/**
 * A form as it is shown to this person: with a sentence in place of its buttons where the server
 * would refuse them.
 * @template {HTMLElement} T
 * @param {Role} role  that it needs
 * @param {string} what  begins the sentence, such as "Changing limits"
 * @param {T} form
 */
export function forRole(role, what, form) {
  if (can(role)) return form
  makeReadOnly(form)
  form.append(el('p', { class: 'muted small' }, `${what} needs the ${role} role.`))
  return form
}
