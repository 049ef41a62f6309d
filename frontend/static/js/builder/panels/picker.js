// @ts-check
import { el, icon } from '../../core/dom.js'
import { placeMenu } from '../../core/menu.js'
import { KIND_ICON, titleOf, typeLabel } from '../document/catalogue.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../document/catalogue.js').Component} Component
 * @typedef {{ group: string, source: string, component: Component }} Offer
 */

/** What palette and picker offer; filled once the galleries have come. @type {Offer[]} */
export const offers = []

/** @param {Editor} editor @param {Offer} offer @param {string} query */
export function matches(editor, offer, query) {
  const text = `${titleOf(offer.component)} ${offer.component.provider} ${offer.component.description ?? ''} ${editor.catalogue.kindOf(offer.component)}`.toLowerCase()
  return query.toLowerCase().split(/\s+/).every((word) => text.includes(word))
}

/** Which of the names found is meant: the very one that was typed, else the first. @param {string[]} names @param {string} query */
export function exactFirst(names, query) {
  const exact = names.findIndex((name) => name.toLowerCase() === query.trim().toLowerCase())
  return Math.max(0, exact)
}

/**
 * A searchable list of everything that `fits`.
 * @param {Editor} editor @param {(component: Component) => boolean} fits @param {string} title
 * @returns {Promise<Component | undefined>}
 */
export function pickComponent(editor, fits, title) {
  const fitting = offers.filter((offer) => fits(offer.component))
  const list = el('div', { class: 'picker-list', role: 'listbox', 'aria-label': title })
  const input = el('input', { class: 'input', type: 'search', placeholder: 'Search components', 'aria-label': 'Search components', autocomplete: 'off' })
  const dialog = el('dialog', { class: 'dialog picker', 'aria-label': title },
    el('div', { class: 'dialog-header' }, el('h2', {}, title), el('button', { class: 'button quiet icon-only', type: 'button', 'data-closes': true, 'aria-label': 'Close' }, icon('x'))),
    el('div', { class: 'picker-search search' }, icon('search'), input), list)
  /** @type {Component | undefined} */
  let chosen
  const show = () => {
    const found = fitting.filter((offer) => matches(editor, offer, input.value))
    list.replaceChildren(...found.map((offer) => option(editor, offer, () => {
      chosen = offer.component
      dialog.close()
    })))
    if (found.length === 0) list.append(el('p', { class: 'muted small picker-none' }, fitting.length === 0 ? 'Nothing in the palette fits here.' : 'Nothing found.'))
  }
  input.addEventListener('input', show)
  dialog.addEventListener('keydown', (event) => moveOrTake(event, list, input))
  show()
  document.body.append(dialog)
  dialog.showModal()
  input.focus()
  return new Promise((resolve) => dialog.addEventListener('close', () => {
    dialog.remove()
    resolve(chosen)
  }, { once: true }))
}

/** @param {Editor} editor @param {Offer} offer @param {() => void} take */
function option(editor, offer, take) {
  const kind = editor.catalogue.kindOf(offer.component)
  const glyph = icon(KIND_ICON[kind])
  glyph.classList.add('kind-icon')
  return el('button', { class: 'menu-item', type: 'button', role: 'option', 'data-kind': kind, 'data-name': titleOf(offer.component), on: { click: take } }, glyph,
    el('span', { class: 'truncate' }, titleOf(offer.component)),
    el('span', { class: 'muted small truncate picker-source' }, typeLabel(offer.component.provider) === titleOf(offer.component) ? offer.source : typeLabel(offer.component.provider)))
}

/** @param {KeyboardEvent} event @param {HTMLElement} list @param {HTMLInputElement} input */
function moveOrTake(event, list, input) {
  const items = /** @type {HTMLElement[]} */ ([...list.querySelectorAll('[role=option]')])
  const here = items.indexOf(/** @type {HTMLElement} */ (document.activeElement))
  if (event.key === 'Enter' && document.activeElement === input) {
    event.preventDefault()
    items[exactFirst(items.map((item) => item.dataset['name'] ?? ''), input.value)]?.click()
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault()
    const next = here + (event.key === 'ArrowDown' ? 1 : -1)
    if (next < 0) input.focus()
    else items[Math.min(next, items.length - 1)]?.focus()
  }
}

/**
 * One question with a few answers, at a place of the window.
 * @param {string} question @param {string[]} labels @param {{ x: number, y: number }} [at]
 * @returns {Promise<number>} -1 when it was left
 */
export async function chooseFrom(question, labels, at = { x: innerWidth / 2 - 110, y: innerHeight / 3 }) {
  let chosen = -1
  const menu = el('div', { class: 'menu', popover: 'auto', role: 'menu', 'aria-label': question }, el('div', { class: 'menu-label' }, question))
  labels.forEach((label, index) => menu.append(el('button', { class: 'menu-item', type: 'button', role: 'menuitem', on: { click: () => { chosen = index } } }, label)))
  document.body.append(menu)
  // A popover that opens while the button goes up would be taken for one that was clicked away.
  await new Promise((resolve) => setTimeout(resolve))
  menu.showPopover()
  placeMenu(menu, { left: at.x, right: at.x, top: at.y, bottom: at.y })
  return new Promise((resolve) => menu.addEventListener('toggle', (event) => {
    if (event.newState === 'open') return
    menu.remove()
    resolve(chosen)
  }))
}
