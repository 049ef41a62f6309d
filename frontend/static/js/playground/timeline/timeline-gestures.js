// @ts-check
/** @import {TimelineView} from './timeline-view.js' */

/** Moved less than this, it was a click. */
const CLICK_PX = 4
const WHEEL_ZOOM = 0.002

/**
 * Drag to move, Ctrl and the wheel to zoom, the wheel sideways to move, click to select.
 * @param {HTMLCanvasElement} canvas
 * @param {TimelineView} view
 * @param {{changed: () => void, select: (x: number, y: number) => void, point: (x: number, y:
 *   number) => void}} on
 * @param {AbortSignal} signal
 */
export function timelineGestures(canvas, view, { changed, select, point }, signal) {
  /** @type {{x: number, last: number, isDrag: boolean} | null} */
  let held = null

  canvas.addEventListener(
    'wheel',
    (event) => {
      const sideways = event.shiftKey ? event.deltaY : event.deltaX
      const isZoom = event.ctrlKey || event.metaKey
      if (!isZoom && (sideways === 0 || view.isWhole)) return
      event.preventDefault()
      if (isZoom)
        view.zoom(event.offsetX / canvas.clientWidth, Math.exp(-event.deltaY * WHEEL_ZOOM))
      else view.pan(sideways / canvas.clientWidth)
      changed()
    },
    { signal, passive: false },
  )

  canvas.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button !== 0) return
      held = { x: event.clientX, last: event.clientX, isDrag: false }
      canvas.setPointerCapture(event.pointerId)
    },
    { signal },
  )
  canvas.addEventListener(
    'pointermove',
    (event) => {
      if (!held) return point(event.offsetX, event.offsetY)
      if (Math.abs(event.clientX - held.x) > CLICK_PX) held.isDrag = true
      if (!held.isDrag) return
      view.pan((held.last - event.clientX) / canvas.clientWidth)
      held.last = event.clientX
      changed()
    },
    { signal },
  )
  canvas.addEventListener(
    'pointerup',
    (event) => {
      if (held && !held.isDrag) select(event.offsetX, event.offsetY)
      held = null
    },
    { signal },
  )
  canvas.addEventListener(
    'pointercancel',
    () => {
      held = null
    },
    { signal },
  )
  canvas.addEventListener('pointerleave', () => point(-1, -1), { signal })
}
