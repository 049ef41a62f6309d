// @ts-check
// Search at the pointer: what is chosen comes to stand where it was asked for.
import { place, tellChanged } from '../../actions.js'
import { addComponent } from '../../document/commands.js'
import { placesFor } from '../../document/places.js'
import { pickComponent } from '../../panels/picker.js'
import { addAt } from './drop.js'
import { gapAt } from './gap.js'
import { NO_GROUND } from '../viewport.js'

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
      if (event.target instanceof Element && !event.target.closest(NO_GROUND))
        void addHere(editor, canvas, { x: event.clientX, y: event.clientY }, takesPaste)
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
async function addHere(editor, canvas, at, takesPaste) {
  const { catalogue, root, view } = editor
  const fits = (/** @type {Component} */ each) => placesFor(catalogue, root, each, view).length > 0
  const placeOf = editor.keepPlace(view)
  const component = await pickComponent(editor, fits, `Add to ${editor.titleAt(view)}`, {
    at,
    takesPaste,
  })
  if (!component) return
  if (placeOf() !== editor.view) return tellChanged()
  const isMember = catalogue.isParticipant(component)
  const there = canvas.viewport.toWorld(at.x, at.y)
  if (!isMember || canvas.boxes.length === 0) return void place(editor, component, editor.view, at)
  if (canvas.isFree) return addAt(editor, canvas, component, there)
  editor.run(
    addComponent(
      canvas.scene?.memberSlot ?? '',
      true,
      structuredClone(component),
      gapAt(canvas.boxes, there),
    ),
  )
}
