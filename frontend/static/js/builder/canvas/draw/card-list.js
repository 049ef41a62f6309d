// @ts-check
import { CardHeights } from './card-heights.js'
import { makeCard } from './cards.js'
import { withinFrameBudget, nearbyCards } from './nearby-cards.js'

/**
 * @typedef {import('../layout/geometry.js').Box} Box
 * @typedef {import('./scene.js').CardView} CardView
 * @typedef {import('./scene.js').Scene} Scene
 * @typedef {{ shown: unknown, make: () => HTMLElement, node: HTMLElement | undefined, before:
 *   HTMLElement | undefined, card: CardView, height: number, box: Box | undefined, at: string }}
 *   Made
 * `shown`: what it was made of; `node`: none before it was needed; `before`: the one that it takes
 *   the place of; height 0 before it was measured
 */

/** More cards than this are measured by their shapes. */
const FEW = 8
/** Cards made in one frame; more would be felt as a stop. */
const AT_ONCE = 80

/**
 * The cards of a team. One is made when it is to be seen, anew only when its component changed, and
 * moved only when its place did.
 */
export class CardList {
  /** @type {Map<string, Made>} */
  #cache = new Map()
  /**
   * All cards, the hub first.
   * @type {Made[]}
   */
  #made = []
  /**
   * Those that are wanted wherever they stand, by their places, the hub first: the selected, what
   * is dragged, the last that was reached.
   */
  wanted = { selected: -1, held: /** @type {number[]} */ ([]), reached: -1 }
  /** @type {Map<Element, Made>} */
  #shown = new Map()
  #heights

  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root
    this.#heights = new CardHeights(root)
  }

  /**
   * @param {Scene} scene
   * @returns {Made[]} all cards, the hub first
   */
  render(scene) {
    const views = scene.hub ? [scene.hub, ...scene.cards] : scene.cards
    const cache = new Map()
    this.#made = views.map((card) => {
      const isHub = card === scene.hub
      const key = `${isHub ? 'hub' : card.pointer} ${card.order} ${scene.flow}`
      const known = this.#cache.get(key)
      // The hub stands for the whole team, which any change is a change of: it is told by what it
      // shows.
      const shown = isHub ? JSON.stringify({ ...card, component: null }) : card.component
      const kept =
        known && known.shown === shown
          ? known
          : {
              shown,
              card,
              make: () => makeCard(card, { isNumbered: scene.isNumbered && !isHub, isHub }),
              node: undefined,
              before: known?.node,
              height: 0,
              box: undefined,
              at: '',
            }
      cache.set(key, kept)
      return kept
    })
    this.#cache = cache
    this.#measure(this.#made.filter((each) => each.height === 0))
    return this.#made
  }

  /**
   * Of many cards only one of each shape is made to be measured.
   * @param {Made[]} unknown
   */
  #measure(unknown) {
    const isMany = unknown.length > FEW
    /** @type {Map<string, Made[]>} */
    const alike = new Map()
    for (const each of unknown) {
      const shape = isMany ? this.#heights.shapeOf(each.card) : String(alike.size)
      each.height = isMany ? this.#heights.get(shape) : 0
      if (each.height === 0) alike.set(shape, [...(alike.get(shape) ?? []), each])
    }
    const samples = [...alike].map(([shape, all]) => ({
      shape,
      all,
      node: nodeOf(/** @type {Made} */ (all[0])),
    }))
    for (const { all, node } of samples) {
      const before = all[0]?.before
      if (before?.parentNode === this.root) before.replaceWith(node)
      else if (!node.isConnected) this.root.append(node)
    }
    for (const { shape, all, node } of samples) {
      const height = node.offsetHeight
      for (const each of all) each.height = height
      if (isMany && height > 0) this.#heights.learn(shape, height)
    }
  }

  /**
   * Where the cards are to stand.
   * @param {(Box | undefined)[]} boxes  of all, the hub first
   */
  place(boxes) {
    this.#made.forEach((each, index) => {
      each.box = boxes[index]
      if (each.node) put(each)
    })
  }

  /**
   * Have those in the document that are near the part in view. Compared by numbers, nothing is
   * measured.
   * @param {import('../viewport.js').Viewport} viewport
   * @returns {{ fresh: HTMLElement[], isChanged: boolean, isWhole: boolean }} what came; whether
   *   anything came or went, and whether no more is to come
   */
  showNear(viewport) {
    const made = this.#made
    const active = this.root.contains(document.activeElement) ? document.activeElement : null
    const isThere = (/** @type {number} */ index) =>
      this.#shown.get(/** @type {Element} */ (made[index]?.node)) === made[index]
    const { selected, held, reached } = this.wanted
    const isHeld = (/** @type {number} */ index) =>
      index === selected ||
      index === reached ||
      held.includes(index) ||
      (active !== null && made[index]?.node?.contains(active) === true)
    const near = nearbyCards(
      viewport,
      made.map((each) => each.box),
      isThere,
      isHeld,
    )
    const now = withinFrameBudget(
      near,
      (index) => made[index]?.node !== undefined || isHeld(index),
      AT_ONCE,
    )
    return {
      ...this.#show(now.flatMap((index) => made[index] ?? [])),
      isWhole: now.length === near.length,
    }
  }

  /**
   * In their order, and touching none that stays.
   * @param {Made[]} wanted
   */
  #show(wanted) {
    const fresh = wanted
      .filter((each) => each.node === undefined || this.#shown.get(each.node) !== each)
      .map(nodeOf)
    const next = new Map(wanted.map((each) => [/** @type {Element} */ (nodeOf(each)), each]))
    let isChanged = fresh.length > 0
    for (const node of [...this.root.children]) {
      if (next.has(node)) continue
      node.remove()
      isChanged = true
    }
    this.#shown = next
    /** @type {Element | null} */
    let place = this.root.firstElementChild
    for (const node of next.keys()) {
      if (node === place) place = place.nextElementSibling
      else this.root.insertBefore(node, place)
    }
    return { fresh, isChanged }
  }

  /**
   * A card, if it is to be seen.
   * @param {number} index
   * @returns {HTMLElement | undefined}
   */
  at(index) {
    const each = this.#made[index]
    return each?.node && this.#shown.has(each.node) ? each.node : undefined
  }

  /**
   * @param {Element} node
   * @returns {number} its place among all, the hub first; -1 when it is no card
   */
  indexOf(node) {
    const each = this.#shown.get(node)
    return each ? this.#made.indexOf(each) : -1
  }
}

/**
 * @param {Made} made
 * @returns {HTMLElement}
 */
function nodeOf(made) {
  if (made.node) return made.node
  made.node = made.make()
  put(made)
  return made.node
}

/** @param {Made} made */
function put(made) {
  const { box, node } = made
  const at = box ? `translate(${box.x}px, ${box.y}px)` : ''
  if (!node || at === made.at) return
  made.at = at
  node.style.transform = at
  // With little detail its parts take no room, and it keeps its size all the same.
  node.style.minHeight = `${made.height}px`
}
