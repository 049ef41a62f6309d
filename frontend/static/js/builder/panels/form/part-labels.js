// @ts-check
import { KIND_ICON, typeLabel } from '../../document/catalogue.js'

/** @typedef {import('../../editor.js').Editor} Editor */

/**
 * Components in a form look and read as they do on the canvas.
 * @param {HTMLElement} root
 * @param {Editor} editor
 */
export function labelParts(root, editor) {
  for (const place of /** @type {NodeListOf<HTMLElement>} */ (
    root.querySelectorAll('.form-slot-name')
  ))
    labelPart(place, editor)
  for (const option of /** @type {NodeListOf<HTMLElement>} */ (
    root.querySelectorAll('option[data-provider]')
  ))
    option.textContent = typeLabel(option.dataset['provider'] ?? '')
}

/**
 * @param {HTMLElement} place
 * @param {Editor} editor
 */
function labelPart(place, editor) {
  const pointer = place.dataset['pointer'] ?? ''
  const component = editor.at(pointer)
  if (!component) return
  const kind = editor.catalogue.kindOf(component)
  const isCondition = kind === 'termination'
  const type = typeLabel(component.provider)
  const title = editor.titleAt(pointer)
  place.dataset['kind'] = kind
  place.querySelector('[data-slot-icon]')?.setAttribute('data-icon', KIND_ICON[kind])
  place.querySelector('[data-slot-title]')?.replaceChildren(title)
  place
    .querySelector('[data-slot-type]')
    ?.replaceChildren(isCondition || title === type ? '' : type)
}
