// @ts-check
import { el, icon } from './dom.js'
import { keysLabel } from './shortcuts.js'

/**
 * `icon`: "" keeps its room.
 * @typedef {{ label: string, icon?: string, keys?: string[], isDanger?: boolean, isApart?: boolean,
 *   run: () => void }} MenuItem  `isApart`: a line above it
 */

/**
 * A menu at a place of the window. What was focused gets the focus back before the item runs.
 * @param {string} label
 * @param {MenuItem[]} items
 * @param {{ x: number, y: number }} at
 * @param {{ isTitled?: boolean, left?: () => void }} [options]  `isTitled`: the label is shown;
 *   `left`: called when nothing was chosen
 */
export function openMenu(label, items, at, { isTitled = false, left } = {}) {
  const back = document.activeElement
  const menu = el(
    'div',
    { class: 'menu', popover: 'auto', role: 'menu', 'aria-label': label },
    isTitled && el('div', { class: 'menu-label' }, label),
    ...items.flatMap((item) => [
      item.isApart && el('div', { class: 'menu-separator', role: 'separator' }),
      menuItem(item),
    ]),
  )
  let isChosen = false
  menu.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('.menu-item') : null
    const item =
      items[[...menu.querySelectorAll('.menu-item')].indexOf(/** @type {Element} */ (button))]
    if (!item) return
    event.stopPropagation()
    isChosen = true
    menu.hidePopover()
    item.run()
  })
  menu.addEventListener('keydown', (event) => {
    if (event.key === 'Tab') menu.hidePopover()
  })
  menu.addEventListener('toggle', (event) => {
    if (event.newState !== 'closed') return
    menu.remove()
    if (!isChosen) left?.()
  })
  menu.addEventListener('beforetoggle', (event) => {
    if (
      event.newState === 'closed' &&
      menu.contains(document.activeElement) &&
      back instanceof HTMLElement
    )
      back.focus({ preventScroll: true })
  })
  ;(document.getElementById('main') ?? document.body).append(menu)
  menu.showPopover()
  placeMenu(menu, { left: at.x, right: at.x, top: at.y, bottom: at.y })
  const first = menu.querySelector('.menu-item')
  if (first instanceof HTMLElement) first.focus({ preventScroll: true })
}

/**
 * Open a menu at once, or when the right button of the mouse is up again: one that opens while it
 * is down is closed by some browsers as it goes up.
 * @param {MouseEvent} event
 * @param {() => void} open
 */
export function whenReleased(event, open) {
  if ((event.buttons & 2) === 0) open()
  else addEventListener('pointerup', () => setTimeout(open), { once: true })
}

/** @param {MenuItem} item */
function menuItem({ label, icon: glyph, keys, isDanger }) {
  return el(
    'button',
    {
      type: 'button',
      class: isDanger ? 'menu-item danger' : 'menu-item',
      role: 'menuitem',
      tabindex: '-1',
    },
    glyph === undefined ? false : glyph ? icon(glyph) : el('span', { class: 'icon menu-no-icon' }),
    el('span', {}, label),
    keys?.[0] && el('kbd', { 'aria-hidden': 'true' }, keysLabel(keys[0])),
  )
}

/**
 * Put a popover beside an anchor, inside the window.
 * @param {HTMLElement} menu
 * @param {DOMRect | { left: number, right: number, top: number, bottom: number }} anchor
 */
function placeMenu(menu, anchor) {
  const { offsetWidth: width, offsetHeight: height } = menu
  const below = anchor.bottom + 4
  const top = below + height > innerHeight - 8 ? Math.max(8, anchor.top - 4 - height) : below
  const left = Math.max(8, Math.min(anchor.left, innerWidth - width - 8))
  menu.style.left = `${left}px`
  menu.style.top = `${top}px`
}

/**
 * `<button popovertarget="id">` opens `<div class="menu" id="id" popover>` beside it; arrow keys
 * move inside.
 * @param {Document | HTMLElement} root
 */
export function menus(root) {
  root.addEventListener(
    'toggle',
    (event) => {
      const menu = event.target
      if (
        !(menu instanceof HTMLElement) ||
        !menu.matches('.menu') ||
        !menu.matches(':popover-open')
      )
        return
      const button = document.querySelector(`[popovertarget="${CSS.escape(menu.id)}"]`)
      if (button) placeMenu(menu, button.getBoundingClientRect())
      const first = menu.querySelector('.menu-item:not(:disabled)')
      if (first instanceof HTMLElement && !menu.contains(document.activeElement)) first.focus()
    },
    true,
  )
  root.addEventListener('keydown', (event) => {
    if (!(event instanceof KeyboardEvent) || !(event.target instanceof HTMLElement)) return
    const menu = event.target.closest('.menu')
    if (menu instanceof HTMLElement && isLetter(event) && !event.target.matches('input'))
      return moveToLetter(menu, event)
    if (
      !(menu instanceof HTMLElement) ||
      !['ArrowDown', 'ArrowUp', 'Home', 'End'].includes(event.key)
    )
      return
    if (event.target.matches('input') && (event.key === 'Home' || event.key === 'End')) return
    event.preventDefault()
    moveFocus(menu, event.key)
  })
  root.addEventListener('click', (event) => {
    const item = event.target instanceof Element ? event.target.closest('.menu-item') : null
    const menu = item?.closest('.menu')
    if (menu instanceof HTMLElement && menu.matches(':popover-open')) menu.hidePopover()
  })
}

/**
 * @param {HTMLElement} menu
 * @param {string} key
 */
function moveFocus(menu, key) {
  const items = /** @type {HTMLElement[]} */ ([
    ...menu.querySelectorAll('.menu-item:not(:disabled, [aria-disabled="true"])'),
  ])
  const here = items.indexOf(/** @type {HTMLElement} */ (document.activeElement))
  const last = items.length - 1
  const next =
    {
      ArrowDown: here === last ? 0 : here + 1,
      ArrowUp: here <= 0 ? last : here - 1,
      Home: 0,
      End: last,
    }[key] ?? 0
  items[next]?.focus()
}

/** @param {KeyboardEvent} event */
function isLetter(event) {
  return (
    event.key.length === 1 && event.key !== ' ' && !event.ctrlKey && !event.metaKey && !event.altKey
  )
}

/**
 * To the next item that begins with the letter.
 * @param {HTMLElement} menu
 * @param {KeyboardEvent} event
 */
function moveToLetter(menu, event) {
  const items = /** @type {HTMLElement[]} */ ([
    ...menu.querySelectorAll('.menu-item:not(:disabled, [aria-disabled="true"])'),
  ])
  const here = items.indexOf(/** @type {HTMLElement} */ (document.activeElement))
  const next = [...items.slice(here + 1), ...items.slice(0, here + 1)].find((item) =>
    item.textContent?.trim().toLowerCase().startsWith(event.key.toLowerCase()),
  )
  if (!next) return
  event.preventDefault()
  next.focus()
}
