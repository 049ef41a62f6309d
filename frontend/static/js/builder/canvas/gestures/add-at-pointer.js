// @ts-check
// Search at the pointer: what is chosen comes to stand where it was asked for.
import { place, notifyChanged } from '../../actions.js'
import { addComponent } from '../../document/commands.js'
import { targetsFor } from '../../document/slot-targets.js'
import { pickComponent } from '../../panels/component-picker.js'
import { addAt } from './drop.js'
import { insertionAt } from './insertion-marker.js'
import { NOT_BACKGROUND } from '../viewport.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {import('../../document/catalogue.js').Component} Component
 * @typedef {import('../canvas.js').Canvas} Canvas
 * @typedef {import('../layout/geometry.js').Point} Point
 */

/**
 * A double click on the ground asks what to add there.
 * @param {Editor} editor
 * @param {Canvas} canvas
 * @param {(text: string) => boolean} takesPaste
 * @param {AbortSignal} signal
 */
export function addOnGround(editor, canvas, takesPaste, signal) {
  canvas.root.addEventListener(
    'dblclick',
    (event) => {
      if (event.target instanceof Element && !event.target.closest(NOT_BACKGROUND))
        void addAtPointer(editor, canvas, { x: event.clientX, y: event.clientY }, takesPaste)
    },
    { signal },
  )
}

/**
 * @param {Editor} editor
 * @param {Canvas} canvas
 * @param {Point} at  in the window
 * @param {(text: string) => boolean} takesPaste
 */
async function addAtPointer(editor, canvas, at, takesPaste) {
  const { catalogue, root, view } = editor
  const fits = (/** @type {Component} */ each) => targetsFor(catalogue, root, each, view).length > 0
  const placeOf = editor.keepPlace(view)
  const component = await pickComponent(editor, fits, `Add to ${editor.titleAt(view)}`, {
    at,
    takesPaste,
  })
  if (!component) return
  if (placeOf() !== editor.view) return notifyChanged()
  const isMember = catalogue.isParticipant(component)
  const there = canvas.viewport.toWorld(at.x, at.y)
  if (!isMember || canvas.boxes.length === 0) return void place(editor, component, editor.view, at)
  if (canvas.isFree) return addAt(editor, canvas, component, there)
  editor.run(
    addComponent(
      canvas.scene?.memberSlot ?? '',
      true,
      structuredClone(component),
      insertionAt(canvas.boxes, there),
    ),
  )
}
