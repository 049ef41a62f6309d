// @ts-check
import { GRID_PX } from './layout/align.js'
import { fitScale, SEEN_WHOLE } from './layout/geometry.js'
import { swallowClick } from './gestures/swallow-click.js'

const MIN_ZOOM = 0.1
const MAX_ZOOM = 2
/**
 * Text smaller than this is hard to read, so what cannot be seen as a whole is shown from its
 * beginning in this size.
 */
const READABLE_ZOOM = 0.72
/** On a telephone seeing the whole matters more. */
const NARROW_PX = 500
const NARROW_ZOOM = 0.5
/**
 * Below this only names are shown, large enough to be read down to where teams are seen as a whole.
 */
const LOW_DETAIL_ZOOM = 0.6
const MARGIN_PX = 28
/** Room for the tool bar and the map at the bottom. */
const FOOT_PX = 60
const SETTLE_MS = 160
/** A pointer that moved no further has clicked, not dragged. */
const STILL_PX = 4
/** What one can do something with; all else is ground. */
export const NOT_BACKGROUND =
  '[data-drag], [data-hub], [data-edge], button, a, input, .note, .canvas-tools, .selection-bar, .minimap'

/**
 * @typedef {import('./layout/geometry.js').Point} Point
 * @typedef {import('./layout/geometry.js').Size} Size
 */

/**
 * Which part of the world the canvas shows. Fires `move`; applies one transform per frame and reads
 * no layout while moving.
 */
export class Viewport extends EventTarget {
  x = MARGIN_PX
  y = MARGIN_PX
  zoom = 1
  /** @type {Size} */
  size = { width: 800, height: 600 }
  /** False while the canvas is hidden and has no size yet. */
  isMeasured = false
  #frame = 0
  #shownZoom = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #settle

  /**
   * @param {HTMLElement} canvas
   * @param {HTMLElement} world
   * @param {AbortSignal} signal
   */
  constructor(canvas, world, signal) {
    super()
    this.canvas = canvas
    this.world = world
    this.origin = canvas.getBoundingClientRect()
    this.#measure(this.origin.width, this.origin.height)
    const observer = new ResizeObserver(([entry]) => {
      const resized = this.#measure(entry?.contentRect.width ?? 0, entry?.contentRect.height ?? 0)
      this.origin = canvas.getBoundingClientRect()
      this.dispatchEvent(new Event(resized ? 'resize' : 'move'))
    })
    observer.observe(canvas)
    signal.addEventListener('abort', () => observer.disconnect())
    canvas.addEventListener('wheel', (event) => this.#wheel(event), { passive: false, signal })
    canvas.addEventListener('pointerdown', (event) => this.#pan(event, signal), { signal })
  }

  /**
   * @param {number} width
   * @param {number} height
   * @returns {boolean} whether the width is another than before
   */
  #measure(width, height) {
    if (width === 0) return false
    const resized = !this.isMeasured || this.size.width !== width
    this.isMeasured = true
    this.size = { width, height }
    return resized
  }

  /**
   * From window to world.
   * @param {number} clientX
   * @param {number} clientY
   * @returns {Point}
   */
  toWorld(clientX, clientY) {
    return {
      x: (clientX - this.origin.left - this.x) / this.zoom,
      y: (clientY - this.origin.top - this.y) / this.zoom,
    }
  }

  /**
   * Show all of the world, as large as fits; where not even names could be read it is shown from
   * its beginning, unless the whole is wanted.
   * @param {import('./layout/geometry.js').Box} content
   * @param {{ isWhole?: boolean }} [options]
   */
  fit(content, { isWhole = false } = {}) {
    const least = isWhole ? MIN_ZOOM : this.size.width < NARROW_PX ? NARROW_ZOOM : SEEN_WHOLE
    const view = {
      width: this.size.width - 2 * MARGIN_PX,
      height: this.size.height - MARGIN_PX - FOOT_PX,
    }
    const whole = Math.min(1, fitScale(content, view))
    this.zoom =
      whole >= least ? whole : isWhole || this.size.width < NARROW_PX ? least : READABLE_ZOOM
    const left = (this.size.width - content.width * this.zoom) / 2
    const top = (this.size.height - FOOT_PX + 20 - content.height * this.zoom) / 2
    this.x = Math.round(Math.max(MARGIN_PX, left) - content.x * this.zoom)
    this.y = Math.round(Math.max(MARGIN_PX, Math.min(top, 120)) - content.y * this.zoom)
    this.#apply(false)
  }

  /**
   * Show a box of the world in the middle, as large as fits but not larger than life.
   * @param {import('./layout/geometry.js').Box} box
   */
  show(box) {
    const view = {
      width: this.size.width - 2 * MARGIN_PX,
      height: this.size.height - MARGIN_PX - FOOT_PX,
    }
    const zoom = Math.max(MIN_ZOOM, Math.min(1, fitScale(box, view)))
    const [x, y] = [
      (this.size.width - box.width * zoom) / 2 - box.x * zoom,
      (this.size.height - FOOT_PX - box.height * zoom) / 2 - box.y * zoom,
    ]
    this.moveTo(Math.round(x), Math.round(y), zoom)
  }

  /**
   * @param {number} factor
   * @param {Point} [at]  a point of the canvas that stays where it is
   */
  zoomBy(factor, at = { x: this.size.width / 2, y: this.size.height / 2 }) {
    const zoom = Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, this.zoom * factor))
    this.moveTo(
      at.x - ((at.x - this.x) * zoom) / this.zoom,
      at.y - ((at.y - this.y) * zoom) / this.zoom,
      zoom,
    )
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} [zoom]
   */
  moveTo(x, y, zoom = this.zoom) {
    this.x = x
    this.y = y
    this.zoom = zoom
    this.#apply(true)
  }

  /**
   * Show a box in the middle when it is too small to be read, else move just enough.
   * @param {import('./layout/geometry.js').Box} box
   */
  bring(box) {
    if (this.zoom >= LOW_DETAIL_ZOOM) return this.reveal(box)
    const [x, y] = [
      this.size.width / 2 - (box.x + box.width / 2) * READABLE_ZOOM,
      (this.size.height - FOOT_PX) / 2 - (box.y + box.height / 2) * READABLE_ZOOM,
    ]
    this.moveTo(Math.round(x), Math.round(y), READABLE_ZOOM)
  }

  /**
   * Move just enough to show a box of the world.
   * @param {import('./layout/geometry.js').Box} box
   */
  reveal(box) {
    const left = this.x + box.x * this.zoom
    const top = this.y + box.y * this.zoom
    const right = left + box.width * this.zoom
    const bottom = top + box.height * this.zoom
    const dx =
      left < 16
        ? 16 - left
        : right > this.size.width - 16
          ? Math.max(16 - left, this.size.width - 16 - right)
          : 0
    const dy =
      top < 16
        ? 16 - top
        : bottom > this.size.height - FOOT_PX
          ? Math.max(16 - top, this.size.height - FOOT_PX - bottom)
          : 0
    if (dx !== 0 || dy !== 0) this.moveTo(this.x + dx, this.y + dy)
  }

  /** @param {boolean} isMoving */
  #apply(isMoving) {
    if (isMoving) this.#keepLifted()
    if (this.#frame) return
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0
      this.world.style.transform = `translate(${this.x}px, ${this.y}px) scale(${this.zoom})`
      const detail = this.zoom < LOW_DETAIL_ZOOM ? 'low' : 'full'
      if (this.world.dataset['detail'] !== detail) this.world.dataset['detail'] = detail
      if (this.#shownZoom !== this.zoom) this.#showGrid()
      this.canvas.style.backgroundPosition = `${this.x}px ${this.y}px`
      this.dispatchEvent(new Event('move'))
    })
  }

  /**
   * Set on the canvas itself: a property that its parts inherit would have the style of every card
   * worked out again.
   */
  #showGrid() {
    this.#shownZoom = this.zoom
    const step = GRID_PX * this.zoom * (this.zoom < LOW_DETAIL_ZOOM ? 4 : 1)
    this.canvas.style.backgroundSize = `${step}px ${step}px`
  }

  /** A layer of its own only while it moves: kept for good it turns text blurred. */
  #keepLifted() {
    this.world.style.willChange = 'transform'
    clearTimeout(this.#settle)
    this.#settle = setTimeout(() => {
      this.world.style.willChange = ''
    }, SETTLE_MS)
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault()
    if (event.ctrlKey || event.metaKey) {
      this.zoomBy(Math.exp(-event.deltaY * 0.0022 * (event.deltaMode === 1 ? 16 : 1)), {
        x: event.clientX - this.origin.left,
        y: event.clientY - this.origin.top,
      })
      return
    }
    const step = event.deltaMode === 1 ? 16 : 1
    const [dx, dy] =
      event.shiftKey && event.deltaX === 0 ? [event.deltaY, 0] : [event.deltaX, event.deltaY]
    this.moveTo(this.x - dx * step, this.y - dy * step)
  }

  /**
   * Dragging the ground moves the world; two fingers zoom it.
   * @param {PointerEvent} down
   * @param {AbortSignal} signal
   */
  #pan(down, signal) {
    const onGround = down.target instanceof Element && !down.target.closest(NOT_BACKGROUND)
    if (!(onGround && down.button === 0 && !down.shiftKey) && down.button !== 1) return
    if (this.#fingers.size === 0) this.origin = this.canvas.getBoundingClientRect()
    this.#fingers.set(down.pointerId, { x: down.clientX, y: down.clientY })
    if (this.#fingers.size > 1) return
    const stop = new AbortController()
    const options = { signal: AbortSignal.any([stop.signal, signal]) }
    addEventListener('pointermove', (event) => this.#follow(event), options)
    const end = (/** @type {PointerEvent} */ event) => {
      this.#fingers.delete(event.pointerId)
      if (this.#fingers.size > 0) return
      stop.abort()
      if (
        event.type === 'pointerup' &&
        Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > STILL_PX
      )
        swallowClick()
      delete this.canvas.dataset['panning']
    }
    addEventListener('pointerup', end, options)
    addEventListener('pointercancel', end, options)
  }

  /** @type {Map<number, Point>} */
  #fingers = new Map()

  /** @param {PointerEvent} event */
  #follow(event) {
    const before = this.#fingers.get(event.pointerId)
    if (!before) return
    const now = { x: event.clientX, y: event.clientY }
    this.canvas.dataset['panning'] = ''
    const other = [...this.#fingers].find(([id]) => id !== event.pointerId)?.[1]
    this.#fingers.set(event.pointerId, now)
    if (!other) return this.moveTo(this.x + now.x - before.x, this.y + now.y - before.y)
    const grown =
      Math.hypot(now.x - other.x, now.y - other.y) /
      (Math.hypot(before.x - other.x, before.y - other.y) || 1)
    this.zoomBy(grown, {
      x: (now.x + other.x) / 2 - this.origin.left,
      y: (now.y + other.y) / 2 - this.origin.top,
    })
  }
}
