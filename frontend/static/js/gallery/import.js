// @ts-check
import { api } from '../core/api.js'
import { announce, find, on } from '../core/dom.js'
import { toastError } from '../core/toast.js'
import { given, showError } from './source.js'
/** @import {Given} from './source.js' */

/**
 * Preview a gallery, then add exactly what was previewed.
 * @param {HTMLElement} page
 */
export function galleryImport(page) {
  const panel = page.querySelector('#import')
  if (!(panel instanceof HTMLElement)) return
  const opener = find('[data-show-import]', page)
  const region = find('[data-preview-region]', panel)
  const source = find('[data-source]', panel)
  /** @type {Given | null} */
  let previewed = null

  /** @param {boolean} isOpen */
  function toggle(isOpen) {
    panel?.toggleAttribute('hidden', !isOpen)
    opener.setAttribute('aria-expanded', String(isOpen))
    if (isOpen) find('[data-source-tab][aria-selected="true"]', source).focus()
    else opener.focus()
  }

  on(page, 'click', '[data-show-import]', () => toggle(panel.hidden !== false))
  on(page, 'click', '[data-hide-import]', () => toggle(false))
  // At the first letter, not only when the field is left: then the page would move below the pointer that leaves it.
  for (const type of ['input', 'change'])
    on(panel, type, '[data-source]', () => region.replaceChildren())

  on(panel, 'submit', '[data-import-gallery]', (event, form) => {
    event.preventDefault()
    busy(find('[data-preview]', form), async () => {
      showError(source)
      region.replaceChildren()
      try {
        previewed = given(source)
        region.innerHTML = await send('/fragments/galleries/preview', previewed, 'text')
        announce('The preview is ready.')
        region.scrollIntoView({
          block: 'nearest',
          behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth',
        })
      } catch (error) {
        showError(source, error)
      }
    })
  })

  on(panel, 'click', '[data-add-gallery]', (_event, button) => add(button, 'galleries'))
  on(panel, 'click', '[data-save-team]', (_event, button) => add(button, 'teams'))

  /**
   * Keep what was previewed, and open it.
   * @param {HTMLElement} button
   * @param {'galleries' | 'teams'} as
   */
  function add(button, as) {
    const digest = find('[data-gallery-preview]', region).dataset.digest ?? ''
    busy(button, async () => {
      try {
        if (!previewed) return
        const url = as === 'teams' ? '/api/imports' : '/api/galleries'
        const added = await send(url, previewed, 'json', digest)
        location.assign(`/${as}/${added.id}`)
      } catch (error) {
        toastError(error)
      }
    })
  }
}

/**
 * @param {string} url
 * @param {Given} what
 * @param {'json' | 'text'} as
 * @param {string} [digest]  of the preview; the server refuses anything else
 */
function send(url, what, as, digest) {
  if (!('file' in what)) return api.post(url, digest ? { ...what, digest } : what, { as })
  const form = new FormData()
  form.append('file', what.file)
  if (digest) form.append('digest', digest)
  return api.upload(url, form, { as })
}

/**
 * @param {HTMLElement} button
 * @param {() => Promise<void>} work
 */
async function busy(button, work) {
  if (button.getAttribute('aria-busy') === 'true') return
  button.setAttribute('aria-busy', 'true')
  await work()
  button.removeAttribute('aria-busy')
}
