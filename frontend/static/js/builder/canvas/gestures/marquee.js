// @ts-check
// Shift and drag on the ground: a rectangle that selects every card it touches. Without Shift the
// ground moves the world.
import { el } from '../../../core/dom.js'
import { isSame } from '../../../core/pointer.js'
import { overlaps } from '../layout/align.js'
import { swallowClick } from './swallow-click.js'
import { NOT_BACKGROUND } from '../viewport.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {import('../canvas.js').Canvas} Canvas
 * @typedef {import('../layout/geometry.js').Box} Box
 */

/**
 * @param {Editor} editor
 * @param {Canvas} canvas
 * @param {AbortSignal} signal
 */
export function marquee(editor, canvas, signal) {
  canvas.root.addEventListener(
    'click',
    (event) => {
      const isOutside =
        event.target instanceof Element &&
        !event.target.closest('.frame') &&
        !event.target.closest(NOT_BACKGROUND)
      if (isOutside && !event.shiftKey) editor.select(editor.view)
    },
    { signal },
  )
  canvas.root.addEventListener(
    'pointerdown',
    (down) => {
      if (
        down.button !== 0 ||
        !down.shiftKey ||
        !(down.target instanceof Element) ||
        down.target.closest(NOT_BACKGROUND)
      )
        return
      down.preventDefault()
      canvas.root.focus({ preventScroll: true })
      draw(editor, canvas, down, signal)
    },
    { signal },
  )
}

/**
 * @param {Editor} editor
 * @param {Canvas} canvas
 * @param {PointerEvent} down
 * @param {AbortSignal} signal
 */
function draw(editor, canvas, down, signal) {
  const { viewport } = canvas
  const stop = new AbortController()
  const options = { signal: AbortSignal.any([stop.signal, signal]) }
  const before = editor.selected.filter((each) => canvas.cardOf(each) === each && each !== '')
  const start = viewport.toWorld(down.clientX, down.clientY)
  const rect = el('div', { class: 'marquee' })
  canvas.frame.append(rect)
  let frame = 0
  let last = down
  let wanted = before

  const show = () => {
    frame = 0
    const box = between(start, viewport.toWorld(last.clientX, last.clientY))
    rect.style.transform = `translate(${box.x}px, ${box.y}px)`
    rect.style.width = `${box.width}px`
    rect.style.height = `${box.height}px`
    const touched = (canvas.scene?.cards ?? [])
      .filter((_card, index) => overlaps(box, canvas.boxes[index] ?? NOWHERE))
      .map((card) => card.pointer)
    const next = [...before.filter((each) => !touched.includes(each)), ...touched]
    if (isSame(next, wanted)) return
    wanted = next
    canvas.markSelection(undefined, next)
  }
  const end = (/** @type {boolean} */ isKept) => {
    stop.abort()
    cancelAnimationFrame(frame)
    rect.remove()
    // Only now: whatever shows what is selected need not follow each move.
    if (isKept && last === down) return
    editor.selectAll(isKept ? wanted : before)
  }
  addEventListener(
    'pointermove',
    (event) => {
      last = event
      frame ||= requestAnimationFrame(show)
    },
    options,
  )
  addEventListener(
    'pointerup',
    () => {
      if (last !== down) {
        show()
        swallowClick()
      }
      end(true)
    },
    options,
  )
  addEventListener('pointercancel', () => end(false), options)
  addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      end(false)
    },
    { ...options, capture: true },
  )
}

const NOWHERE = { x: -1e9, y: -1e9, width: 0, height: 0 }

/**
 * @param {import('../layout/geometry.js').Point} a
 * @param {import('../layout/geometry.js').Point} b
 * @returns {Box}
 */
function between(a, b) {
  return {
    x: Math.min(a.x, b.x),
    y: Math.min(a.y, b.y),
    width: Math.abs(a.x - b.x),
    height: Math.abs(a.y - b.y),
  }
}
