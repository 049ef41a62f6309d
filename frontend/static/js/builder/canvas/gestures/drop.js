// @ts-check
// What a drop means: into a slot, into an order, or at a place of the canvas.
import { parent } from '../../../core/pointer.js'
import { move, place } from '../../actions.js'
import { dropOnCondition } from '../../actions/conditions.js'
import { inOneList, moveBlock, moveManyTo } from '../../document/bulk.js'
import { titleOf } from '../../document/catalogue.js'
import { addComponent } from '../../document/commands.js'
import { pinMany } from '../../document/pins.js'
import { targetsFor } from '../../document/slot-targets.js'
import { insertionAt } from './insertion-marker.js'
import { pointerOf } from './drop-targets.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {import('../../document/catalogue.js').Component} Component
 * @typedef {import('../canvas.js').Canvas} Canvas
 * @typedef {import('../layout/geometry.js').Point} Point
 * @typedef {import('./drop-targets.js').Load} Load
 * @typedef {{ editor: Editor, canvas: Canvas, load: Load, event: PointerEvent, target: HTMLElement,
 *   isTaken: boolean, places: { index: number, at: Point }[] }} Drop
 *   `isTaken`: the target itself takes it; `places`: where lifted cards have come to
 */

/**
 * Whether a drop on the ground puts it into an order: members of such a team, or what would become
 * one.
 * @param {Canvas} canvas
 * @param {Editor} editor
 * @param {Load} load
 */
export function isOrdered(canvas, editor, load) {
  if (canvas.isFree || canvas.boxes.length === 0) return false
  const first = load.parts[0]
  return load.areCards || (first?.from === null && editor.catalogue.isParticipant(first.component))
}

/** @param {Drop} dropped */
export function drop(dropped) {
  const { editor, canvas, load, event, target, isTaken, places } = dropped
  const [first] = load.parts
  const isOnCanvas = canvas.root.contains(target)
  if (!first) return
  if (isTaken && target.dataset['joins'] !== undefined)
    return void dropOnCondition(
      editor,
      first.from === null ? { component: structuredClone(first.component) } : { from: first.from },
      pointerOf(target),
      { x: event.clientX, y: event.clientY },
    )
  if (isOnCanvas && !isTaken && isOrdered(canvas, editor, load)) return putInOrder(dropped)
  if (isOnCanvas && !isTaken && places.length > 0) return pinCards(editor, canvas, places)
  const at = { x: event.clientX, y: event.clientY }
  if (
    first.from === null &&
    isOnCanvas &&
    !isTaken &&
    canvas.isFree &&
    editor.catalogue.isParticipant(first.component)
  )
    return addAt(editor, canvas, first.component, canvas.viewport.toWorld(at.x, at.y))
  if (first.from === null) return void place(editor, first.component, pointerOf(target), at)
  if (isTaken) moveInto(editor, load, pointerOf(target))
}

/** @param {Drop} dropped */
function putInOrder({ editor, canvas, load, event }) {
  const gap = insertionAt(canvas.boxes, canvas.viewport.toWorld(event.clientX, event.clientY))
  const [first] = load.parts
  if (first?.from === null)
    editor.run(
      addComponent(canvas.scene?.memberSlot ?? '', true, structuredClone(first.component), gap),
    )
  else
    editor.run(
      moveBlock(
        load.parts.map((part) => part.from ?? ''),
        gap,
      ),
    )
}

/**
 * @param {Editor} editor
 * @param {Load} load
 * @param {string} target
 */
function moveInto(editor, load, target) {
  const froms = load.parts.map((part) => part.from ?? '')
  const [first] = load.parts
  if (!first?.from) return
  const places = targetsFor(editor.catalogue, editor.root, first.component, target)
  const chosen = places.find((each) => each.slot === target) ?? places[0]
  if (
    !chosen ||
    (inOneList(froms) && chosen.slot === parent(first.from)) ||
    chosen.slot === first.from
  )
    return
  if (froms.length === 1) move(editor, first.from, target)
  else editor.run(moveManyTo(editor.root, froms, chosen.slot))
}

/**
 * Cards stay where they were put.
 * @param {Editor} editor
 * @param {Canvas} canvas
 * @param {{ index: number, at: Point }[]} places  of the canvas
 * @param {string} [label]
 * @param {string} [key]
 */
export function pinCards(editor, canvas, places, label, key) {
  const cards = canvas.scene?.cards ?? []
  const moved = places.flatMap(({ index, at }) => {
    const card = cards[index]
    return card
      ? [
          {
            pointer: card.pointer,
            name: card.name,
            at: { x: at.x - canvas.inset.x, y: at.y - canvas.inset.y },
          },
        ]
      : []
  })
  const [first] = moved
  if (!first) return
  canvas.anchor(first.pointer, { x: first.at.x + canvas.inset.x, y: first.at.y + canvas.inset.y })
  editor.run(
    pinMany(
      editor.root,
      moved,
      label ?? `Move ${moved.length === 1 ? first.name : `${moved.length} cards`}`,
      key,
    ),
  )
}

/**
 * A new member that stands where the pointer is.
 * @param {Editor} editor
 * @param {Canvas} canvas
 * @param {Component} component
 * @param {Point} at  in the world
 */
export function addAt(editor, canvas, component, at) {
  const added = addComponent(canvas.scene?.memberSlot ?? '', true, structuredClone(component))
  const place = {
    x: Math.round((at.x - 110) / 20) * 20 - canvas.inset.x,
    y: Math.round((at.y - 20) / 20) * 20 - canvas.inset.y,
  }
  /** @type {import('../../document/commands.js').Command} */
  const command = {
    label: `Add ${titleOf(component)}`,
    apply(doc) {
      const grown = added.apply(doc)
      command.select = added.select ?? null
      const pointer = String(added.select)
      return canvas.boxes.length === 0
        ? grown
        : pinMany(grown.component, [{ pointer, at: place }], '').apply(grown)
    },
  }
  editor.run(command)
}
