// @ts-check
// Pages of Help: code gets its colors and a bar to copy it, and a screen reader hears how much a search found.
import 'htmx.org'
import { announce } from './core/dom.js'
import { colour, frame } from './playground/chat/message-blocks.js'

for (const code of /** @type {NodeListOf<HTMLElement>} */ (
  document.querySelectorAll('[data-help-text] pre > code')
)) {
  frame(
    /** @type {HTMLElement} */ (code.parentElement),
    code.className || 'Text',
    () => code.textContent ?? '',
    true,
  )
  colour(code, code.className)
}
// What was typed before anybody listened is searched for as well.
document.addEventListener(
  'htmx:after:process',
  () => {
    const search = document.querySelector('input[type=search]')
    if (search instanceof HTMLInputElement && search.value !== search.defaultValue)
      search.dispatchEvent(new Event('input'))
  },
  { once: true },
)
document.addEventListener('htmx:after:swap', () =>
  announce(document.querySelector('[data-found]')?.textContent ?? ''),
)
