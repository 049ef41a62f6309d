// @ts-check
import { svg } from '../../../core/dom.js'

/**
 * @typedef {import('../canvas.js').Canvas} Canvas
 * @typedef {import('../layout/geometry.js').Box} Box
 */

const WIDTH = 148
const HEIGHT = 92
const MARGIN = 8

/**
 * A small picture of the frame, with the visible part and the selection marked; drag it to move.
 * @param {HTMLElement} root
 * @param {Canvas} canvas
 * @param {AbortSignal} signal
 */
export function minimap(root, canvas, signal) {
  const view = svg('rect', { class: 'minimap-view', rx: 2 })
  const cards = svg('g', {})
  const drawing = svg('svg', { width: WIDTH, height: HEIGHT, 'aria-hidden': 'true' }, cards, view)
  root.replaceChildren(drawing)
  const { viewport } = canvas
  let fit = { scale: 1, left: 0, top: 0 }
  /** @type {unknown} */
  let drawn

  const frame = () => {
    if (drawn === canvas.boxes && cards.childElementCount > 0) return select()
    drawn = canvas.boxes
    const { width, height } = canvas.content
    const scale = Math.min((WIDTH - 2 * MARGIN) / width, (HEIGHT - 2 * MARGIN) / height)
    fit = { scale, left: (WIDTH - width * scale) / 2, top: (HEIGHT - height * scale) / 2 }
    cards.setAttribute('transform', `translate(${fit.left} ${fit.top}) scale(${scale})`)
    cards.replaceChildren(
      svg('rect', { class: 'minimap-frame', rx: 14, width, height }),
      svg('path', { class: 'minimap-cards', d: canvas.standing.map(outline).join('') }),
    )
    visible()
    select()
  }
  const select = () => {
    const d = canvas
      .selectedCards()
      .map((index) => outline(/** @type {Box} */ (canvas.boxes[index])))
      .join('')
    const before = cards.querySelector('[data-selected]')
    if (d === (before?.getAttribute('d') ?? '')) return
    before?.remove()
    if (d !== '') cards.append(svg('path', { 'data-selected': '', d }))
  }
  const visible = () => {
    const { width, height } = canvas.content
    const { scale, left, top } = fit
    const shown = {
      x: -viewport.x / viewport.zoom,
      y: -viewport.y / viewport.zoom,
      width: viewport.size.width / viewport.zoom,
      height: viewport.size.height / viewport.zoom,
    }
    const isAll =
      shown.x <= 0 &&
      shown.y <= 0 &&
      shown.x + shown.width >= width &&
      shown.y + shown.height >= height
    if (root.hidden !== (isAll && !isHeld)) root.hidden = isAll && !isHeld
    const [x1, y1] = [Math.max(1, left + shown.x * scale), Math.max(1, top + shown.y * scale)]
    const [x2, y2] = [
      Math.min(WIDTH - 1, left + (shown.x + shown.width) * scale),
      Math.min(HEIGHT - 1, top + (shown.y + shown.height) * scale),
    ]
    const box = { x: x1, y: y1, width: Math.max(2, x2 - x1), height: Math.max(2, y2 - y1) }
    put(view, box)
  }
  let isHeld = false
  canvas.addEventListener('drawn', frame, { signal })
  canvas.editor.addEventListener('select', select, { signal })
  viewport.addEventListener('move', visible, { signal })
  root.addEventListener(
    'pointerdown',
    (down) => {
      down.stopPropagation()
      down.preventDefault()
      root.setPointerCapture(down.pointerId)
      const rect = root.getBoundingClientRect()
      const at = (/** @type {PointerEvent} */ event) => ({
        x: (event.clientX - rect.left - fit.left) / fit.scale,
        y: (event.clientY - rect.top - fit.top) / fit.scale,
      })
      const middle = {
        x: (viewport.size.width / 2 - viewport.x) / viewport.zoom,
        y: (viewport.size.height / 2 - viewport.y) / viewport.zoom,
      }
      // Held inside the marked part, that part comes along; elsewhere it jumps there first.
      const start = at(down)
      const isInside =
        Math.abs(start.x - middle.x) * viewport.zoom < viewport.size.width / 2 &&
        Math.abs(start.y - middle.y) * viewport.zoom < viewport.size.height / 2
      const by = isInside ? { x: middle.x - start.x, y: middle.y - start.y } : { x: 0, y: 0 }
      const stop = new AbortController()
      const go = (/** @type {PointerEvent} */ event) => {
        const to = at(event)
        viewport.moveTo(
          viewport.size.width / 2 - (to.x + by.x) * viewport.zoom,
          viewport.size.height / 2 - (to.y + by.y) * viewport.zoom,
        )
      }
      const end = () => {
        stop.abort()
        isHeld = false
        delete root.dataset['panning']
        visible()
      }
      isHeld = true
      root.dataset['panning'] = ''
      go(down)
      root.addEventListener('pointermove', go, { signal: stop.signal })
      root.addEventListener('pointerup', end, { signal: stop.signal })
      root.addEventListener('pointercancel', end, { signal: stop.signal })
    },
    { signal },
  )
}

/**
 * A box as a part of one path: a picture of a thousand cards is one element.
 * @param {Box} box
 */
function outline({ x, y, width, height }) {
  return `M${x} ${y}h${width}v${height}h${-width}z`
}

/**
 * @param {Element} rect
 * @param {Box} box
 */
function put(rect, { x, y, width, height }) {
  for (const [name, value] of Object.entries({ x, y, width, height })) {
    const text = String(Math.round(value * 10) / 10)
    if (rect.getAttribute(name) !== text) rect.setAttribute(name, text)
  }
}
