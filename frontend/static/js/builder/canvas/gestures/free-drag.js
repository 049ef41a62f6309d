// @ts-check
// Cards that follow the pointer, where they may stand anywhere: in line with others, or on the dots
// of the ground.
import { svg } from '../../../core/dom.js'
import { around, snapped } from '../layout/align.js'
import { redrawEdges } from '../links/edges.js'

/**
 * @typedef {import('../canvas.js').Canvas} Canvas
 * @typedef {import('../layout/geometry.js').Box} Box
 * @typedef {import('../layout/geometry.js').Point} Point
 */

export class FreeDrag {
  /** @type {Map<number, { box: Box, node: HTMLElement, transform: string }>} */
  #cards = new Map()
  /** @type {Box[]} */
  #others
  #by = { x: 0, y: 0 }

  /**
   * @param {Canvas} canvas
   * @param {string[]} pointers
   * @param {Point} start  where it was grabbed, in the world
   */
  constructor(canvas, pointers, start) {
    this.canvas = canvas
    this.start = start
    const lifted = new Set(pointers)
    const indices = (canvas.scene?.cards ?? []).flatMap((card, index) =>
      lifted.has(card.pointer) ? [index] : [],
    )
    canvas.hold(indices)
    indices.forEach((index) => {
      const [box, node] = [canvas.boxes[index], canvas.nodeAt(index)]
      if (!box || !node) return
      this.#cards.set(index, { box, node, transform: node.style.transform })
      node.dataset['freeDrag'] = ''
    })
    this.whole = around([...this.#cards.values()].map((each) => each.box))
    this.#others = [
      ...canvas.boxes.filter((_box, index) => !this.#cards.has(index)),
      ...(canvas.hub ? [canvas.hub] : []),
    ]
    this.guides = svg('svg', { class: 'guides', 'aria-hidden': 'true' })
    canvas.frame.append(this.guides)
  }

  /**
   * One drawing per frame; nothing is measured.
   * @param {Point} at  the pointer in the world
   * @param {boolean} isLoose  neither in line nor on the grid
   */
  to(at, isLoose) {
    const { whole, start } = this
    const wanted = { ...whole, x: whole.x + at.x - start.x, y: whole.y + at.y - start.y }
    const place = isLoose
      ? { x: Math.round(wanted.x), y: Math.round(wanted.y), guides: [] }
      : snapped(wanted, this.#others)
    this.#by = { x: place.x - whole.x, y: place.y - whole.y }
    const boxes = [...this.canvas.boxes]
    for (const [index, { box, node }] of this.#cards) {
      const moved = { ...box, x: box.x + this.#by.x, y: box.y + this.#by.y }
      boxes[index] = moved
      node.style.transform = `translate(${moved.x}px, ${moved.y}px)`
    }
    this.guides.replaceChildren(
      ...place.guides.map((guide) =>
        guide.axis === 'x'
          ? svg('line', { x1: guide.at, x2: guide.at, y1: guide.from - 12, y2: guide.to + 12 })
          : svg('line', { x1: guide.from - 12, x2: guide.to + 12, y1: guide.at, y2: guide.at }),
      ),
    )
    redrawEdges(
      this.canvas.edges,
      this.canvas.scene?.edges ?? [],
      boxes,
      this.canvas.hub,
      new Set(this.#cards.keys()),
    )
  }

  /**
   * Where the cards have come to.
   * @returns {{ index: number, at: Point }[]}
   */
  places() {
    return [...this.#cards].map(([index, { box }]) => ({
      index,
      at: { x: box.x + this.#by.x, y: box.y + this.#by.y },
    }))
  }

  /** @param {boolean} isKept  else everything goes back */
  end(isKept) {
    this.guides.remove()
    this.canvas.hold([])
    for (const { node, transform } of this.#cards.values()) {
      delete node.dataset['freeDrag']
      if (!isKept) node.style.transform = transform
    }
    if (!isKept)
      redrawEdges(
        this.canvas.edges,
        this.canvas.scene?.edges ?? [],
        this.canvas.boxes,
        this.canvas.hub,
        new Set(this.#cards.keys()),
      )
  }
}
