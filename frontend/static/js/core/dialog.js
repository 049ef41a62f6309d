// @ts-check
import { el, icon } from './dom.js'

/**
 * `<button data-opens="#dialog">` opens a <dialog>; `[data-closes]` inside closes it; a click
 * outside does as well.
 * @param {Document | HTMLElement} root
 */
export function dialogs(root) {
  root.addEventListener('click', (event) => {
    const target = event.target instanceof Element ? event.target : null
    const opener = target?.closest('[data-opens]')
    if (opener instanceof HTMLElement) {
      const dialog = document.querySelector(opener.dataset.opens ?? '')
      if (dialog instanceof HTMLDialogElement) dialog.showModal()
    }
    if (target?.closest('[data-closes]')) target.closest('dialog')?.close()
    if (target instanceof HTMLDialogElement && target.hasAttribute('closedby') === false)
      target.close()
  })
}

/** @typedef {{ value: string, label: string, tone?: 'primary' | 'danger' | '' }} Choice */

/**
 * Ask one question with a few answers; Escape answers "".
 * @param {{ title: string, text?: string, body?: Node, choices: Choice[] }} question
 * @returns {Promise<string>}
 */
export function ask({ title, text = '', body, choices }) {
  const buttons = choices.map(({ value, label, tone = '' }) =>
    el('button', { class: `button ${tone}`, value }, label),
  )
  const form = el(
    'form',
    { method: 'dialog' },
    el(
      'div',
      { class: 'dialog-header' },
      el('h2', { id: 'ask-title' }, title),
      el(
        'button',
        { class: 'button quiet icon-only', value: '', 'aria-label': 'Close' },
        icon('x'),
      ),
    ),
    el('div', { class: 'dialog-body' }, text && el('p', {}, text), body),
    el('div', { class: 'dialog-footer' }, ...buttons),
  )
  const dialog = el('dialog', { class: 'dialog', 'aria-labelledby': 'ask-title' }, form)
  // Enter in a control would press the first button of the form, which closes it.
  form.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
    event.preventDefault()
    const main = buttons[choices.findIndex((choice) => choice.tone === 'primary')] ?? buttons.at(-1)
    main?.click()
  })
  document.body.append(dialog)
  dialog.showModal()
  buttons.at(-1)?.focus()
  return new Promise((resolve) => {
    dialog.addEventListener(
      'close',
      () => {
        dialog.remove()
        resolve(dialog.returnValue)
      },
      { once: true },
    )
  })
}
