// @ts-check
import { overlaps } from './align.js'
import { makeCard } from './cards.js'

/**
 * @typedef {import('./geometry.js').Box} Box
 * @typedef {import('./scene.js').Scene} Scene
 * @typedef {{ view: unknown, node: HTMLElement, height: number, at: string, isFar: boolean }} Made  height 0 before it was measured
 */

/** How much is drawn beyond each side of the part in view, as a share of it. */
const AROUND = 0.25

/** The elements of all cards. One is made anew only when its component changed, and moved only when its place did. */
export class CardList {
  /** @type {Map<string, Made>} */
  #cache = new Map()
  /** @type {Made[]} */
  #made = []

  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root
  }

  /** @param {Scene} scene @returns {{ made: Made[], fresh: Element[] }} all cards, the hub first, and those that were made just now */
  render(scene) {
    const views = scene.hub ? [scene.hub, ...scene.cards] : scene.cards
    const cache = new Map()
    /** @type {Element[]} */
    const fresh = []
    const made = views.map((view) => {
      const isHub = view === scene.hub
      const key = `${isHub ? 'hub' : view.pointer} ${view.order} ${scene.flow}`
      const known = this.#cache.get(key)
      // The hub stands for the whole team, which any change is a change of: it is told by what it shows.
      const shown = isHub ? JSON.stringify({ ...view, component: null }) : view.component
      const kept = known && known.view === shown ? known : { view: shown, height: 0, at: '', isFar: false, node: makeCard(view, { isNumbered: scene.isNumbered && !isHub, isHub }) }
      if (kept !== known) fresh.push(kept.node)
      cache.set(key, kept)
      return kept
    })
    this.#cache = cache
    this.#made = made
    this.#show(made.map((each) => each.node))
    return { made, fresh }
  }

  /** One card that changed is put in place of the one before; all others stay where they are. @param {HTMLElement[]} nodes */
  #show(nodes) {
    const before = [...this.root.children]
    const changed = nodes.filter((node, index) => node !== before[index])
    if (before.length !== nodes.length || changed.some((node) => node.parentNode === this.root)) return this.root.replaceChildren(...nodes)
    nodes.forEach((node, index) => { if (node !== before[index]) before[index]?.replaceWith(node) })
  }

  /**
   * What is far from the part of the world in view keeps its place and is not drawn. Compared by numbers, nothing is measured.
   * @param {import('./viewport.js').Viewport} viewport @param {Box[]} boxes  of all cards, the hub first
   */
  showNear({ x, y, zoom, size }, boxes) {
    const [width, height] = [size.width / zoom, size.height / zoom]
    const near = { x: -x / zoom - width * AROUND, y: -y / zoom - height * AROUND, width: width * (1 + 2 * AROUND), height: height * (1 + 2 * AROUND) }
    boxes.forEach((box, index) => {
      const made = this.#made[index]
      if (!made || made.isFar === !overlaps(near, box)) return
      made.isFar = !made.isFar
      made.node.toggleAttribute('data-far', made.isFar)
    })
  }

  /** @param {Made} made @param {Box | undefined} box */
  put(made, box) {
    const at = box ? `translate(${box.x}px, ${box.y}px)` : ''
    if (at === made.at) return
    made.at = at
    made.node.style.transform = at
    // With little detail its parts take no room, and it keeps its size all the same.
    made.node.style.minHeight = `${made.height}px`
  }
}
