// @ts-check
// The page of two runs side by side: from difference to difference, and more rows where they are
// asked for.
import { api } from './core/api.js'
import { announce, find, on } from './core/dom.js'
import { bindShortcuts } from './core/shortcuts.js'
import { toastError } from './core/toast.js'
import { compareFiles } from './playground/files/compare-files.js'

const page = find('[data-compare]')
const list = find('[data-rows]', page)
const place = find('[data-place]')
const differences = (page.dataset['differences'] ?? '').split(' ').filter(Boolean).map(Number)
let here = -1

/**
 * Rows from the server in place of the button that asked for them.
 * @param {HTMLElement} button
 * @param {string} query
 */
async function replace(button, query) {
  const row = button.closest('li')
  if (!row || button.ariaBusy === 'true') return null
  button.ariaBusy = 'true'
  try {
    const template = document.createElement('template')
    template.innerHTML = await api.get(`${page.dataset['url']}?${query}`, { as: 'text' })
    const fresh = /** @type {HTMLElement | null} */ (template.content.firstElementChild)
    row.replaceWith(template.content)
    return fresh
  } catch (error) {
    button.ariaBusy = 'false'
    toastError(error)
    return null
  }
}

/** @param {HTMLElement} button */
async function unfold(button) {
  const start = Number(button.dataset['start'])
  const count = Number(button.dataset['count'])
  const shown = Math.min(count, 200)
  const fresh = await replace(button, `start=${start}&limit=${shown}&folded=false`)
  if (!fresh) return
  // What follows the fold is there already: the way on that came along leads through the rest of
  // the fold only.
  const rest = fresh.parentElement?.querySelector(`[data-more][data-start="${start + shown}"]`)
  if (rest instanceof HTMLElement && rest.closest('li')?.nextElementSibling) {
    if (shown === count) rest.closest('li')?.remove()
    else {
      delete rest.dataset['more']
      Object.assign(rest.dataset, { unfold: '', count: String(count - shown) })
    }
  }
  fresh.tabIndex = -1
  fresh.focus({ preventScroll: true })
}

/** @param {HTMLElement} button */
const more = (button) => replace(button, `start=${button.dataset['start']}`)

/**
 * To the next difference or the one before, loading on the way.
 * @param {number} way
 */
async function go(way) {
  const to = Math.max(0, Math.min(here + way, differences.length - 1))
  const index = differences[to]
  if (index === undefined) return
  for (;;) {
    const row = list.querySelector(`[data-index="${index}"]`)
    if (row instanceof HTMLElement) {
      here = to
      row.scrollIntoView({ block: 'nearest' })
      row.focus({ preventScroll: true })
      place.textContent = `Difference ${to + 1} of ${differences.length}`
      return
    }
    const button = list.querySelector('[data-more]')
    if (!(button instanceof HTMLElement) || !(await more(button)))
      return announce('There are no more differences.')
  }
}

on(page, 'click', '[data-unfold]', (_, button) => void unfold(button))
on(page, 'click', '[data-more]', (_, button) => void more(button))
on(document, 'click', '[data-go]', (_, button) => void go(Number(button.dataset['go'])))
list.addEventListener('focusin', (event) => {
  const row = event.target instanceof Element ? event.target.closest('[data-index]') : null
  const at = differences.indexOf(Number(row instanceof HTMLElement ? row.dataset['index'] : -1))
  if (at >= 0) here = at
})
compareFiles(find('[data-compare-files]', page)).catch(toastError)
bindShortcuts(document, [
  { keys: 'n', label: 'Next difference', run: () => void go(1) },
  { keys: 'p', label: 'Previous difference', run: () => void go(-1) },
])
