// @ts-check
// When the lines of a team are drawn anew, and when they only follow.
import { connectionText } from '../../document/parts.js'
import { drawEdges, drawNearEdges, redrawEdges } from './edges.js'

/** @typedef {import('../canvas.js').Canvas} Canvas */

export class EdgeElements {
  /** What the last drawing was made of. */
  #key = ''

  /** @param {Canvas} canvas */
  constructor(canvas) {
    this.canvas = canvas
  }

  /**
   * Lines to a hub follow the cards that moved; others may run anywhere, and are drawn anew.
   * @param {import('../layout/layout.js').Placed} placed
   * @param {Set<number> | 'all'} moved  cards by their places
   */
  draw({ lanes, bus }, moved) {
    const { scene, edges, boxes, hub, inset } = this.canvas
    if (!scene) return
    const key = JSON.stringify([scene.edges, bus, bus && inset])
    const isKnown = key === this.#key
    this.#key = key
    if (!isKnown || moved === 'all') {
      drawEdges(edges, scene.edges, boxes, hub, { lanes, bus }, inset, this.#isShown)
      this.#name()
    } else if (moved.size > 0) redrawEdges(edges, scene.edges, boxes, hub, moved)
  }

  /** Those to cards that came or went do so as well. */
  drawNear() {
    const { scene, edges, boxes, hub } = this.canvas
    drawNearEdges(edges, scene?.edges ?? [], boxes, hub, this.#isShown)
  }

  /** What can be selected has a name, and is a place for the focus. */
  #name() {
    const { edges, editor } = this.canvas
    const parts = edges.querySelectorAll('.edge[data-component]')
    for (const part of parts)
      part.setAttribute(
        'aria-label',
        connectionText(editor.root, part.getAttribute('data-component') ?? ''),
      )
  }

  #isShown = (/** @type {number} */ index) => this.canvas.nodeAt(index) !== undefined
}
