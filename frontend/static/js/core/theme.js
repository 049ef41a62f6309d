// @ts-check
/** @typedef {'light' | 'dark' | 'system'} Theme */

const KEY = 'studio-theme'
/** @type {Theme[]} */
const ORDER = ['system', 'light', 'dark']
/** @type {Record<Theme, string>} */
const NAMES = { system: 'System', light: 'Light', dark: 'Dark' }
/** @type {Record<Theme, string>} */
const ICONS = { system: 'monitor', light: 'sun', dark: 'moon' }

/** @returns {Theme} */
export function currentTheme() {
  const theme = document.documentElement.dataset.theme
  return theme === 'light' || theme === 'dark' ? theme : 'system'
}

/**
 * Fires `theme:change` on the document, so that drawings made on a canvas can follow.
 * @param {Theme} theme
 */
export function setTheme(theme) {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  try {
    if (theme === 'system') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, theme)
  } catch {
    // Storage may be off: the theme then lasts as long as the page.
  }
  document.dispatchEvent(new CustomEvent('theme:change', { detail: { theme } }))
}

/**
 * `<button data-theme-switch>` goes from system to light to dark and back.
 * @param {ParentNode & EventTarget} root
 */
export function themeSwitch(root) {
  const describe = () => {
    for (const button of /** @type {NodeListOf<HTMLElement>} */ (
      root.querySelectorAll('[data-theme-switch]')
    )) {
      button.title = `Theme: ${NAMES[currentTheme()]}`
      button.ariaLabel = button.title
      button.querySelector('.icon')?.setAttribute('data-icon', ICONS[currentTheme()])
    }
  }
  root.addEventListener('click', (event) => {
    if (!(event.target instanceof Element) || !event.target.closest('[data-theme-switch]')) return
    setTheme(ORDER[(ORDER.indexOf(currentTheme()) + 1) % ORDER.length] ?? 'system')
    describe()
  })
  describe()
}
