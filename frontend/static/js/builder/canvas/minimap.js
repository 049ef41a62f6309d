// @ts-check
import { svg } from '../../core/dom.js'

/** @typedef {import('./canvas.js').Canvas} Canvas */

const WIDTH = 148
const HEIGHT = 92

/** A small picture of the frame with the visible part marked; drag it to move. @param {HTMLElement} root @param {Canvas} canvas @param {AbortSignal} signal */
export function minimap(root, canvas, signal) {
  const view = svg('rect', { class: 'minimap-view', rx: 2 })
  const cards = svg('g', {})
  const drawing = svg('svg', { width: WIDTH, height: HEIGHT, 'aria-hidden': 'true' }, cards, view)
  root.replaceChildren(drawing)
  const { viewport } = canvas
  let scale = 1

  const frame = () => {
    const { width, height } = canvas.content
    scale = Math.min((WIDTH - 16) / width, (HEIGHT - 16) / height)
    const [left, top] = [(WIDTH - width * scale) / 2, (HEIGHT - height * scale) / 2]
    const rects = [...canvas.boxes, ...(canvas.hub ? [canvas.hub] : [])].map((box) => svg('rect', { x: box.x, y: box.y, width: box.width, height: box.height, rx: 8 }))
    cards.setAttribute('transform', `translate(${left} ${top}) scale(${scale})`)
    cards.replaceChildren(svg('rect', { class: 'minimap-frame', width, height, rx: 14 }), ...rects)
    visible()
  }
  const visible = () => {
    const { width, height } = canvas.content
    const [left, top] = [(WIDTH - width * scale) / 2, (HEIGHT - height * scale) / 2]
    const shown = { x: -viewport.x / viewport.zoom, y: -viewport.y / viewport.zoom, width: viewport.size.width / viewport.zoom, height: viewport.size.height / viewport.zoom }
    const isAll = shown.x <= 0 && shown.y <= 0 && shown.x + shown.width >= width && shown.y + shown.height >= height
    root.hidden = isAll
    const [x1, y1] = [Math.max(1, left + shown.x * scale), Math.max(1, top + shown.y * scale)]
    const [x2, y2] = [Math.min(WIDTH - 1, left + (shown.x + shown.width) * scale), Math.min(HEIGHT - 1, top + (shown.y + shown.height) * scale)]
    const box = { x: x1, y: y1, width: Math.max(2, x2 - x1), height: Math.max(2, y2 - y1) }
    for (const [name, value] of Object.entries(box)) view.setAttribute(name, String(Math.round(value * 10) / 10))
  }
  canvas.addEventListener('drawn', frame, { signal })
  viewport.addEventListener('move', visible, { signal })
  root.addEventListener('pointerdown', (down) => {
    down.stopPropagation()
    root.setPointerCapture(down.pointerId)
    const rect = root.getBoundingClientRect()
    const go = (/** @type {PointerEvent} */ event) => {
      const { width, height } = canvas.content
      const x = (event.clientX - rect.left - (WIDTH - width * scale) / 2) / scale
      const y = (event.clientY - rect.top - (HEIGHT - height * scale) / 2) / scale
      viewport.moveTo(viewport.size.width / 2 - x * viewport.zoom, viewport.size.height / 2 - y * viewport.zoom)
    }
    go(down)
    root.addEventListener('pointermove', go)
    root.addEventListener('pointerup', () => root.removeEventListener('pointermove', go), { once: true })
  }, { signal })
}
