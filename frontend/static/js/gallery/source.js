// @ts-check
import { ApiError } from '../core/api.js'
import { find, on } from '../core/dom.js'

const MB = 1024 * 1024

/**
 * Make every `[data-source]` work: its tabs, and a file that is chosen or dropped.
 * @param {Document | HTMLElement} root
 */
export function sources(root) {
  on(root, 'click', '[data-source-tab]', (_event, tab) => show(tab))
  on(root, 'keydown', '[data-source-tab]', (event, tab) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[/** @type {string} */ (event.key)]
    if (!step) return
    const tabs = /** @type {HTMLElement[]} */ ([...(tab.parentElement?.children ?? [])])
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length]
    if (next) show(next)
    next?.focus()
  })
  on(root, 'change', '[data-drop-zone]', (_event, zone) => nameFile(zone))
  for (const type of ['dragenter', 'dragover']) {
    on(root, type, '[data-drop-zone]', (event, zone) => {
      event.preventDefault()
      zone.setAttribute('data-over', '')
    })
  }
  on(root, 'dragleave', '[data-drop-zone]', (event, zone) => {
    if (!zone.contains(event.relatedTarget)) zone.removeAttribute('data-over')
  })
  on(root, 'drop', '[data-drop-zone]', (event, zone) => {
    event.preventDefault()
    zone.removeAttribute('data-over')
    fileInput(zone).files = event.dataTransfer.files
    fileInput(zone).dispatchEvent(new Event('change', { bubbles: true }))
  })
}

/**
 * What the person gave, ready to send.
 * @typedef {{ file: File } | { text: string } | { url: string }} Given
 */

/**
 * Read the shown panel of a `[data-source]`.
 * @param {HTMLElement} source
 * @returns {Given}
 * @throws {ApiError} when nothing was given, or too much
 */
export function given(source) {
  const kind = find('[data-source-tab][aria-selected="true"]', source).dataset.sourceTab
  if (kind === 'file') return { file: givenFile(source) }
  const field = /** @type {HTMLInputElement} */ (find(`[name="${kind}"]`, source))
  const value = field.value.trim()
  if (value === '') {
    field.focus()
    throw new ApiError(0, {
      message: kind === 'url' ? 'Enter an address.' : 'Paste the JSON first.',
    })
  }
  if (kind === 'url') return { url: value }
  return { text: value }
}

/** @param {HTMLElement} source */
function givenFile(source) {
  const file = fileInput(source).files?.[0]
  const limit_mb = Number(source.dataset.maxMb)
  if (!file) throw new ApiError(0, { message: 'Choose a file first.' })
  if (file.size > limit_mb * MB) {
    const message = `${file.name} has ${Math.ceil(file.size / MB)} MB; the limit is ${limit_mb} MB.`
    throw new ApiError(0, {
      code: 'too_large',
      message,
      fix: 'Split it, or raise `STUDIO_MAX_UPLOAD_MB` on the server.',
    })
  }
  return file
}

/**
 * Show an error inside the source, or clear it.
 * @param {HTMLElement} source
 * @param {unknown} [error]
 */
export function showError(source, error) {
  const notice = find('[data-source-error]', source)
  notice.hidden = error === undefined
  if (error === undefined) return
  const { message = String(error), fix = '' } = /** @type {Partial<ApiError>} */ (error)
  find('[data-source-error-text]', notice).textContent = message
  find('[data-source-error-fix]', notice).textContent = fix
}

/** @param {HTMLElement} tab */
function show(tab) {
  const source = /** @type {HTMLElement} */ (tab.closest('[data-source]'))
  for (const other of source.querySelectorAll('[data-source-tab]')) {
    other.setAttribute('aria-selected', String(other === tab))
    other.setAttribute('tabindex', other === tab ? '0' : '-1')
  }
  for (const panel of /** @type {NodeListOf<HTMLElement>} */ (
    source.querySelectorAll('[data-source-panel]')
  )) {
    panel.hidden = panel.dataset.sourcePanel !== tab.dataset.sourceTab
  }
  showError(source)
}

/** @param {HTMLElement} zone */
function nameFile(zone) {
  const file = fileInput(zone).files?.[0]
  zone.toggleAttribute('data-chosen', Boolean(file))
  if (file)
    find('[data-file-name]', zone).textContent = `${file.name}, ${Math.ceil(file.size / 1024)} kB`
  const source = /** @type {HTMLElement} */ (zone.closest('[data-source]'))
  showError(source)
}

/** @param {HTMLElement} root */
function fileInput(root) {
  return /** @type {HTMLInputElement} */ (find('input[type="file"]', root))
}
