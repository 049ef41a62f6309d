// @ts-check
import { el, svg } from '../../core/dom.js'
import { isSame } from '../../core/pointer.js'
import { around } from './align.js'
import { CardList } from './card-list.js'
import { drawEdges, redrawEdges } from './edges.js'
import { CARD_WIDTH_PX, extent, movedCards } from './geometry.js'
import { drawEmpty, drawHead, headKey } from './head.js'
import { isOld, placeCards } from './layout.js'
import { findingsByPlace, markProblems, markSelected } from './marks.js'
import { pinsIn } from '../document/pins.js'
import { makeScene } from './scene.js'
import { Viewport } from './viewport.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('./geometry.js').Box} Box
 * @typedef {import('./geometry.js').Point} Point
 * @typedef {import('./scene.js').Scene} Scene
 * @typedef {import('./card-list.js').Made} Made
 */

const PAD = 40
/** The title and the sentence need some room even where there are no cards. */
const MIN_WIDTH = 420
/** The box that stands for the first member; node.css has the same size. */
const EMPTY = { width: 300, height: 84 }
const HUB_GAP = 24
/** Room below the cards: for the line back to the first, or just air. */
const FOOT_WITH_LOOP = 54
const FOOT = 34
/** Cards stand on the dots of the ground, so what is above and left of them is a whole number of steps. */
const STEP = 20

/** The team as a frame with cards and edges. Fires `drawn` after each drawing. */
export class Canvas extends EventTarget {
  /** Where the cards stand, in the order of the scene; the same list as long as none has moved. @type {Box[]} */
  boxes = []
  /** @type {Box | null} */
  hub = null
  /** Size of the whole frame. */
  content = { width: 600, height: 300 }
  /** What stands above and left of all cards. */
  inset = { x: PAD, y: 0 }
  /** @type {Scene | undefined} */
  scene
  #turn = 0
  #frame = 0
  #shown = ''
  /** What the parts of the last drawing were made of; the same again needs no drawing. */
  #keys = { head: '', layout: '', edges: '', width: 0 }
  #headHeight = 0
  #cards
  /** @type {import('./layout.js').Placed | undefined} */
  #placed
  /** Where cards stand already, so that they stay there. @type {import('./layout.js').Memory} */
  #memory = {}
  /** What the marks of the selection show. @type {readonly string[]} */
  #marked = []
  /** A card that stays under the pointer when all others make room. @type {{ pointer: string, at: Point } | undefined} */
  #anchor

  /** @param {HTMLElement} root @param {Editor} editor @param {AbortSignal} signal */
  constructor(root, editor, signal) {
    super()
    this.root = root
    this.editor = editor
    this.head = el('header', { class: 'frame-head' })
    this.edges = svg('svg', { class: 'edges', 'aria-hidden': 'true' })
    this.nodes = el('div', { class: 'nodes' })
    this.#cards = new CardList(this.nodes)
    this.frame = el('div', { class: 'frame', 'data-component': '' }, this.head, this.edges, this.nodes)
    this.world = el('div', { class: 'world' }, this.frame)
    root.prepend(this.world)
    this.viewport = new Viewport(root, this.world, signal)
    this.viewport.addEventListener('resize', () => void this.draw(), { signal })
    this.viewport.addEventListener('move', () => this.#cards.showNear(this.viewport, this.hub ? [this.hub, ...this.boxes] : this.boxes), { signal })
    for (const type of ['doc', 'view']) editor.addEventListener(type, () => this.#drawSoon(), { signal })
    editor.addEventListener('select', () => this.markSelection(), { signal })
    editor.addEventListener('report', (event) => {
      if (/** @type {CustomEvent} */ (event).detail.hasNewWords) this.#drawSoon()
      this.markProblems()
    }, { signal })
  }

  /** Whether cards may stand anywhere; else they stand in order. */
  get isFree() {
    return this.scene !== undefined && this.scene.flow !== 'order'
  }

  /** However many changes come within one frame, they are drawn once. */
  #drawSoon() {
    if (this.#frame) return
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0
      void this.draw()
    })
  }

  /** Draw the team in view. A later call overtakes an earlier one that still waits for its layout. */
  async draw() {
    const turn = ++this.#turn
    const { editor } = this
    const scene = makeScene(editor.catalogue, editor.root, editor.view, (pointer) => editor.conditionAt(pointer))
    this.scene = scene
    const { made, fresh } = this.#cards.render(scene)
    if (this.#renderHead(scene)) fresh.push(this.head)
    const sizes = made.map((each) => {
      each.height ||= each.node.offsetHeight
      return { width: CARD_WIDTH_PX, height: each.height }
    })
    const hubSize = scene.hub ? sizes.shift() ?? null : null
    const view = { width: this.viewport.size.width - 2 * PAD - 40, height: this.viewport.size.height - 220 }
    const pins = pinsIn(editor.doc, scene.pointer)
    const key = JSON.stringify([scene.flow, hubSize, sizes.map((size) => size.height), scene.edges, scene.cards.map((card) => card.name), pins, view])
    const placed = key === this.#keys.layout && this.#placed ? this.#placed : await placeCards(scene, hubSize, sizes, view, pins, this.#memory)
    if (turn !== this.#turn) return
    this.#keys.layout = key
    this.#apply(scene, made, placed, Math.min(MIN_WIDTH, view.width))
    this.#fitOnce(scene)
    this.#cards.showNear(this.viewport, this.hub ? [this.hub, ...this.boxes] : this.boxes)
    this.markSelection(isSame(this.#marked, editor.selected) ? fresh : undefined)
    markProblems(fresh, findingsByPlace(editor))
    this.dispatchEvent(new Event('drawn'))
  }

  /** Whether cards stand where they do because they stood there before the last changes. */
  get isUntidy() { return isOld(this.#memory) }

  /** Let the layout place every card anew. */
  tidy() {
    this.#memory.before = undefined
    this.#keys.layout = ''
    void this.draw()
  }

  fit() { this.viewport.fit(this.content, { isWhole: true }) }

  /** Show what is selected, as large as fits. */
  fitSelection() {
    const boxes = this.selectedCards().map((index) => this.boxes[index]).filter((box) => box !== undefined)
    return boxes.length === 0 ? this.fit() : this.viewport.show(around(boxes))
  }

  /** The cards that are selected or hold what is, by their places in the scene. @returns {number[]} */
  selectedCards() {
    const chosen = new Set(this.editor.selected.map((pointer) => this.cardOf(pointer)))
    return (this.scene?.cards ?? []).flatMap((card, index) => (chosen.has(card.pointer) ? [index] : []))
  }

  /** The element of a card. @param {number} index  its place in the scene @returns {HTMLElement | undefined} */
  nodeAt(index) {
    const node = this.nodes.children[index + (this.scene?.hub ? 1 : 0)]
    return node instanceof HTMLElement ? node : undefined
  }

  /** Let a card stay where it is seen in the next drawing. @param {string} pointer @param {Point} at */
  anchor(pointer, at) {
    this.#anchor = { pointer, at }
  }

  /** @param {Scene} scene @returns {boolean} whether it was drawn anew */
  #renderHead(scene) {
    this.frame.dataset['component'] = scene.pointer
    this.frame.dataset['flow'] = scene.flow
    const key = headKey(this.editor, scene)
    if (key === this.#keys.head) return false
    this.#keys.head = key
    this.#headHeight = 0
    drawHead(this.head, this.editor, scene)
    return true
  }

  /** @param {Scene} scene @param {Made[]} made @param {import('./layout.js').Placed} placed @param {number} minWidth */
  #apply(scene, made, placed, minWidth) {
    const all = placed.hub ? [placed.hub, ...placed.boxes] : placed.boxes
    const inner = placed.lanes ? placed.size : extent(all)
    const width = Math.max(inner.width, minWidth, EMPTY.width) + 2 * PAD
    if (width !== this.#keys.width) this.frame.style.width = `${width}px`
    if (width !== this.#keys.width || this.#headHeight === 0) this.#headHeight = this.head.offsetHeight
    this.#keys.width = width
    const top = Math.ceil((this.#headHeight + 12) / STEP) * STEP
    const left = PAD + Math.floor(Math.max(0, (width - 2 * PAD - inner.width) / 2) / STEP) * STEP
    const hasMoved = placed !== this.#placed || this.inset.x !== left || this.inset.y !== top
    const moved = hasMoved ? all.map((box) => ({ ...box, x: box.x + left, y: box.y + top })) : this.hub ? [this.hub, ...this.boxes] : [...this.boxes]
    this.#placed = placed
    made.forEach((each, index) => this.#cards.put(each, moved[index]))
    const before = { hub: this.hub, boxes: this.boxes }
    if (hasMoved) {
      this.hub = placed.hub ? moved.shift() ?? null : null
      this.boxes = moved
      this.inset = { x: left, y: top }
    }
    const isEmpty = scene.cards.length === 0 && scene.memberSlot !== ''
    const shown = isEmpty ? (placed.hub ? inner.height + HUB_GAP : 0) + EMPTY.height : inner.height
    const height = top + Math.max(shown, 96) + (scene.edges.length > 0 && scene.flow !== 'hub' ? FOOT_WITH_LOOP : FOOT)
    if (height !== this.content.height) this.frame.style.height = `${height}px`
    this.content = { width, height }
    drawEmpty(this.frame, scene, (width - EMPTY.width) / 2, this.hub ? this.hub.y + this.hub.height + HUB_GAP : top)
    this.#drawEdges(scene, hasMoved, before)
    this.#stay()
  }

  /** Lines to a hub follow the cards that moved; others may run anywhere, and are drawn anew. @param {Scene} scene @param {boolean} hasMoved @param {{ hub: Box | null, boxes: Box[] }} before */
  #drawEdges(scene, hasMoved, before) {
    const key = JSON.stringify(scene.edges)
    const isKnown = key === this.#keys.edges
    this.#keys.edges = key
    if (isKnown && !hasMoved) return
    const moved = isKnown && scene.flow === 'hub' && movedCards(before, this)
    if (moved) redrawEdges(this.edges, scene.edges, this.boxes, this.hub, moved)
    else drawEdges(this.edges, scene.edges, this.boxes, this.hub, this.#placed?.lanes, this.inset)
  }

  #stay() {
    const anchor = this.#anchor
    const box = this.boxes[this.scene?.cards.findIndex((card) => card.pointer === anchor?.pointer) ?? -1]
    this.#anchor = undefined
    if (!box || !anchor) return
    const { x, y, zoom } = this.viewport
    this.viewport.moveTo(x - (box.x - anchor.at.x) * zoom, y - (box.y - anchor.at.y) * zoom)
  }

  /** @param {Scene} scene */
  #fitOnce(scene) {
    const shown = `${scene.pointer} ${this.viewport.isMeasured}`
    if (shown !== this.#shown) this.viewport.fit(this.content)
    this.#shown = shown
  }

  /** @param {Iterable<Element>} [roots]  where to look @param {readonly string[]} [selected]  what is shown as selected, before it is */
  markSelection(roots = [this.head, ...this.nodes.children], selected = this.editor.selected) {
    this.#marked = selected
    this.frame.toggleAttribute('data-selected', selected.includes(this.editor.view))
    markSelected(roots, selected, (pointer) => this.cardOf(pointer))
  }

  markProblems() {
    markProblems([this.frame], findingsByPlace(this.editor))
  }

  /** The member of the team in view that a pointer lies in. @param {string} pointer */
  cardOf(pointer) {
    return this.scene?.cards.find((each) => pointer === each.pointer || pointer.startsWith(`${each.pointer}/`))?.pointer ?? ''
  }
}
