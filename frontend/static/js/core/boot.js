// What cannot wait for the modules. A classic script on purpose: it runs before the first paint, they run too late.

// The chosen theme, and whether first steps are hidden: shown or hidden later, they would move the page.
{
  const root = document.documentElement
  try {
    const theme = localStorage.getItem('studio-theme')
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme
    if (localStorage.getItem('studio-first-steps') === 'hidden')
      root.dataset.without = 'first-steps'
  } catch {
    // Storage may be off: the system's theme is then used.
  }
}

// Buttons and forms are drawn by the server before a module can answer to them. What is chosen and the
// last press until then are kept and told afterwards, so that they are not lost and no form is sent with
// its fields in the address.
{
  /** @type {(() => void) | undefined} */
  let press
  /** @type {Set<EventTarget>} */
  const chosen = new Set()
  const life = new AbortController()

  /** @param {MouseEvent} event */
  const holdPress = (event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null
    if (button) hold(event, button, () => button.click())
  }

  /** @param {SubmitEvent} event */
  const holdForm = (event) => {
    const form = /** @type {HTMLFormElement} */ (event.target)
    hold(event, form, () => form.requestSubmit(event.submitter))
  }

  /** @param {Event} event */
  const holdChoice = (event) => {
    event.stopImmediatePropagation()
    if (event.target) chosen.add(event.target)
  }

  /**
   * @param {Event} event
   * @param {Element} from
   * @param {() => void} again
   */
  const hold = (event, from, again) => {
    event.preventDefault()
    event.stopImmediatePropagation()
    press = () => from.isConnected && again()
  }

  const release = () => {
    life.abort()
    for (const field of chosen) field.dispatchEvent(new Event('change', { bubbles: true }))
    press?.()
  }

  const options = { capture: true, signal: life.signal }
  document.addEventListener('click', holdPress, options)
  document.addEventListener('submit', holdForm, options)
  document.addEventListener('change', holdChoice, options)
  // Modules have run by this event; htmx listens to the event itself.
  document.addEventListener('DOMContentLoaded', () => setTimeout(release))
}
