// @ts-check
// Buttons are drawn by the server before the page can answer to them. What is pressed until then is
// not lost.

/**
 * Keep the last press on a button that comes before the page is ready.
 * @param {HTMLElement} root
 * @returns {() => void}  the page is ready: makes that press
 */
export function keepEarlyPress(root) {
  /** @type {HTMLButtonElement | undefined} */
  let pressed
  const keep = (/** @type {MouseEvent} */ event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null
    if (!button) return
    event.preventDefault()
    event.stopImmediatePropagation()
    pressed = button
  }
  root.addEventListener('click', keep, { capture: true })
  return () => {
    root.removeEventListener('click', keep, { capture: true })
    if (pressed?.isConnected) pressed.click()
  }
}
