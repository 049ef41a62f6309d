// @ts-check
import { conditionText } from '../canvas/scene.js'
import { KIND_ICON, titleOf, typeLabel } from '../document/catalogue.js'

/** @typedef {import('../editor.js').Editor} Editor */

/** Components in a form look and read as they do on the canvas. @param {HTMLElement} root @param {Editor} editor */
export function nameParts(root, editor) {
  for (const place of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll('.form-slot-name'))) namePart(place, editor)
  for (const option of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll('option[data-provider]'))) option.textContent = typeLabel(option.dataset['provider'] ?? '')
}

/** @param {HTMLElement} place @param {Editor} editor */
function namePart(place, editor) {
  const pointer = place.dataset['pointer'] ?? ''
  const component = editor.at(pointer)
  if (!component) return
  const kind = editor.catalogue.kindOf(component)
  const isCondition = kind === 'termination' && editor.catalogue.children(component, '').length === 0
  const type = typeLabel(component.provider)
  const title = isCondition ? editor.report.words[pointer] ?? conditionText(component) : titleOf(component)
  place.dataset['kind'] = kind
  place.querySelector('[data-slot-icon]')?.setAttribute('data-icon', KIND_ICON[kind])
  place.querySelector('[data-slot-title]')?.replaceChildren(title)
  place.querySelector('[data-slot-type]')?.replaceChildren(isCondition || title === type ? '' : type)
}
