// @ts-check
// Every place of a team that a part of it could go to, for those who cannot or will not drag it
// there.
import { get, isWithin, join, last, parent } from '../../core/pointer.js'
import { isComponent, titleOf } from './catalogue.js'
import { moveTo, ownerOf } from './commands.js'

/**
 * @typedef {import('./catalogue.js').Catalogue} Catalogue
 * @typedef {import('./catalogue.js').Component} Component
 * @typedef {import('./commands.js').Command} Command
 * @typedef {{ slot: string, owner: string, label: string, detail: string, command: Command }}
 *   MoveTarget
 */

/**
 * The slots of the whole document that accept what stands at `from`, in the order of the document;
 * not where it already is.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {string} from
 * @returns {MoveTarget[]}
 */
export function moveTargets(catalogue, root, from) {
  const subject = get(root, from)
  if (!isComponent(subject) || from === '') return []
  const owners = [...catalogue.walk(root)].filter(({ pointer }) => !isWithin(pointer, from))
  return owners.flatMap(({ pointer, component }) =>
    catalogue
      .slotsOf(component)
      .filter((slot) => catalogue.accepts(slot, subject))
      .flatMap((slot) => {
        const place = join(pointer, 'config', slot.field)
        if (place === parent(from) || place === from) return []
        const filled = get(root, place)
        const detail = slot.many || !isComponent(filled) ? '' : `instead of ${titleOf(filled)}`
        return [
          {
            slot: place,
            owner: pointer,
            label: slotPath(root, place),
            detail,
            command: moveTo(from, place, slot.many),
          },
        ]
      }),
  )
}

/**
 * "writer › tools", with the teams on the way: "desk › reporter › tools".
 * @param {Component} root
 * @param {string} slot
 */
export function slotPath(root, slot) {
  const field = last(slot).replaceAll('_', ' ')
  const names = []
  for (let pointer = ownerOf(slot); ; pointer = ownerOf(pointer)) {
    const component = get(root, pointer)
    if (pointer !== '' && isComponent(component)) names.unshift(titleOf(component))
    if (pointer === '') break
  }
  return [...(names.length > 0 ? names : [titleOf(root)]), field].join(' › ')
}
