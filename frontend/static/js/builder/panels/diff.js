// @ts-check
import { api } from '../../core/api.js'
import { ask } from '../../core/dialog.js'
import { el } from '../../core/dom.js'

/**
 * @typedef {import('../document/commands.js').Doc} Doc
 * @typedef {{ document: Doc } | { team_id: string, version: number }} Side  what is compared: a
 *   document, or a stored version
 */

/**
 * What differs, as the server words it.
 * @param {Side} before
 * @param {Side} after
 * @param {AbortSignal} [signal]
 * @returns {Promise<HTMLElement>}
 */
export async function fetchDiff(before, after, signal) {
  const template = document.createElement('template')
  template.innerHTML = await api.html(
    '/fragments/diff',
    { before, after },
    signal ? { signal } : {},
  )
  return /** @type {HTMLElement} */ (template.content.firstElementChild)
}

/**
 * When, as short as it stays clear.
 * @param {string | number} at
 */
export function momentText(at) {
  const date = new Date(at)
  const isToday = date.toDateString() === new Date().toDateString()
  return new Intl.DateTimeFormat(
    'en-GB',
    isToday
      ? { timeStyle: 'short' }
      : { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  ).format(date)
}

/**
 * Offers what a tab that is gone had not saved.
 * @param {{ doc: Doc }} editor
 * @returns {import('../history-storage.js').Offer}
 */
export function draftOffer(editor) {
  return async (draft, at) => {
    const body = el(
      'div',
      { class: 'stack' },
      el('p', {}, `A closed tab left these unsaved changes, made ${momentText(at)}:`),
      await fetchDiff({ document: editor.doc }, { document: draft }),
    )
    const choices = /** @type {const} */ ([
      { value: 'drop', label: 'Discard', tone: 'danger' },
      { value: 'restore', label: 'Restore', tone: 'primary' },
    ])
    return /** @type {'restore' | 'drop' | ''} */ (
      await ask({ title: 'Unsaved changes were found', body, choices: [...choices] })
    )
  }
}
