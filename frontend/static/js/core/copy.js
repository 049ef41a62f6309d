// @ts-check
import { toast } from './toast.js'

/**
 * `<button data-copy-text="#code">` copies the text (or value) of that element.
 * @param {Document | HTMLElement} root
 */
export function copyText(root) {
  root.addEventListener('click', async (event) => {
    const button = event.target instanceof Element ? event.target.closest('[data-copy-text]') : null
    if (!(button instanceof HTMLElement)) return
    const source = document.querySelector(button.dataset.copyText ?? '')
    await copy(source && 'value' in source ? String(source.value) : (source?.textContent ?? ''))
  })
}

/**
 * Copy and say so.
 * @param {string} text
 * @param {string} [done]
 */
export async function copy(text, done = 'Copied.') {
  try {
    await navigator.clipboard.writeText(text)
    toast(done, { tone: 'success' })
  } catch {
    toast('The browser did not allow copying.', {
      tone: 'warning',
      fix: 'Select the text and copy it by hand.',
    })
  }
}
