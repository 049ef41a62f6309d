// @ts-check
// What the pages of a deployment have in common where they change something.
import { ask } from '../core/dialog.js'
import { find } from '../core/dom.js'
import { toastError } from '../core/toast.js'

/**
 * @param {string} title
 * @param {string} text
 * @param {string} label
 * @param {'danger' | 'primary'} [tone]
 */
export async function isMeant(title, text, label, tone = 'danger') {
  const choices = [
    { value: '', label: 'Cancel' },
    { value: 'yes', label, tone },
  ]
  return (await ask({ title, text, choices })) === 'yes'
}

/**
 * The server owns what is shown: after a change the page is read again. Until then it takes no other
 * one, which would be lost with it.
 * @param {() => Promise<unknown>} work
 * @param {string} [next]  the page that follows
 */
export async function change(work, next) {
  const main = find('#main')
  const focused = document.activeElement
  main.inert = true
  try {
    await work()
  } catch (error) {
    main.inert = false
    if (focused instanceof HTMLElement) focused.focus()
    toastError(error)
    return
  }
  if (next) location.assign(next)
  else location.reload()
}
