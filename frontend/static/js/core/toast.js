// @ts-check
import { ApiError } from './api.js'
import { el, icon, prose } from './dom.js'
import { liveRegion } from './live-regions.js'

/** @typedef {'info' | 'success' | 'warning' | 'danger'} Tone */

const ICONS = {
  info: 'info',
  success: 'circle-check',
  warning: 'triangle-alert',
  danger: 'circle-alert',
}
const ACTION_SHOWN_MS = 15000
const SHOWN_MS = { info: 5000, success: 3500, warning: 8000, danger: 12000 }

/**
 * Show a short message in the corner; it leaves by itself. Said again, it takes the place of the
 * one that is there.
 * @param {string} text
 * @param {{ tone?: Tone, fix?: string, action?: { label: string, run: () => void } }} [options]
 */
export function toast(text, { tone = 'info', fix = '', action } = {}) {
  const region = liveRegion('toasts')
  if (!region) return
  const close = el(
    'button',
    { type: 'button', class: 'button quiet small icon-only', 'aria-label': 'Dismiss' },
    icon('x'),
  )
  const node = el(
    'div',
    { class: 'toast', 'data-tone': tone },
    icon(ICONS[tone]),
    el('span', {}, ...prose(text)),
    close,
  )
  if (fix) node.append(el('span', { class: 'toast-fix' }, ...prose(fix)))
  if (action) {
    const run = action.run
    const button = el(
      'button',
      {
        type: 'button',
        class: 'button small',
        on: {
          click: () => {
            node.remove()
            run()
          },
        },
      },
      action.label,
    )
    node.append(el('span', { class: 'toast-fix' }, button))
  }
  close.addEventListener('click', () => node.remove())
  for (const each of region.children) if (each.textContent === node.textContent) each.remove()
  region.append(node)
  const leave = () => {
    if (node.matches(':hover, :focus-within')) setTimeout(leave, 1500)
    else node.remove()
  }
  setTimeout(leave, action ? ACTION_SHOWN_MS : SHOWN_MS[tone])
}

/**
 * Show what went wrong and what to do about it.
 * @param {unknown} error
 */
export function toastError(error) {
  if (error instanceof DOMException && error.name === 'AbortError') return
  if (error instanceof ApiError) toast(error.message, { tone: 'danger', fix: error.fix })
  else
    toast('Something went wrong on this page.', {
      tone: 'danger',
      fix: error instanceof Error ? error.message : String(error),
    })
}
