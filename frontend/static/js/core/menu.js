// @ts-check

/**
 * Put a popover beside an anchor, inside the window.
 * @param {HTMLElement} menu
 * @param {DOMRect | { left: number, right: number, top: number, bottom: number }} anchor
 */
export function placeMenu(menu, anchor) {
  const { offsetWidth: width, offsetHeight: height } = menu
  const below = anchor.bottom + 4
  const top = below + height > innerHeight - 8 ? Math.max(8, anchor.top - 4 - height) : below
  const left = Math.max(8, Math.min(anchor.left, innerWidth - width - 8))
  menu.style.left = `${left}px`
  menu.style.top = `${top}px`
}

/**
 * `<button popovertarget="id">` opens `<div class="menu" id="id" popover>` beside it; arrow keys move inside.
 * @param {Document | HTMLElement} root
 */
export function menus(root) {
  root.addEventListener('toggle', (event) => {
    const menu = event.target
    if (!(menu instanceof HTMLElement) || !menu.matches('.menu') || !menu.matches(':popover-open')) return
    const button = document.querySelector(`[popovertarget="${CSS.escape(menu.id)}"]`)
    if (button) placeMenu(menu, button.getBoundingClientRect())
    const first = menu.querySelector('.menu-item:not(:disabled)')
    if (first instanceof HTMLElement && !menu.contains(document.activeElement)) first.focus()
  }, true)
  root.addEventListener('keydown', (event) => {
    if (!(event instanceof KeyboardEvent) || !(event.target instanceof HTMLElement)) return
    const menu = event.target.closest('.menu')
    if (!(menu instanceof HTMLElement) || !['ArrowDown', 'ArrowUp', 'Home', 'End'].includes(event.key)) return
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

/** @param {HTMLElement} menu @param {string} key */
function moveFocus(menu, key) {
  const items = /** @type {HTMLElement[]} */ ([...menu.querySelectorAll('.menu-item:not(:disabled, [aria-disabled="true"])')])
  const here = items.indexOf(/** @type {HTMLElement} */ (document.activeElement))
  const last = items.length - 1
  const next = { ArrowDown: here === last ? 0 : here + 1, ArrowUp: here <= 0 ? last : here - 1, Home: 0, End: last }[key] ?? 0
  items[next]?.focus()
}
