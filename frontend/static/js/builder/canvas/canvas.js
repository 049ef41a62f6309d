// @ts-check
import { el, svg } from '../../core/dom.js'
import { isSame, parent } from '../../core/pointer.js'
import { around } from './layout/align.js'
import { CardList } from './draw/card-list.js'
import { groupsIn, notesOn } from '../document/annotations.js'
import { EMPTY, frameAround, GROUP_ROOM, HUB_GAP, PAD, innerSize } from './draw/frame.js'
import { CARD_WIDTH_PX, movedCards } from './layout/geometry.js'
import { drawEmpty, drawHead, headKey } from './draw/head.js'
import { isOld, placeCards } from './layout/layout.js'
import { EdgeElements } from './links/edge-elements.js'
import { findingsByPlace, markProblems, markSelected } from './draw/marks.js'
import { pinsIn } from '../document/pins.js'
import { makeScene } from './draw/scene.js'
import { Viewport } from './viewport.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('./layout/geometry.js').Box} Box
 * @typedef {import('./layout/geometry.js').Point} Point
 * @typedef {import('./draw/scene.js').Scene} Scene
 */

/** As wide as components/annotations.css draws a note. */
const NOTE_WIDTH_PX = 200

/**
 * The team as a frame with cards and edges. Fires `drawn` after each drawing, and `shown` when the
 * view has come to more cards.
 */
export class Canvas extends EventTarget {
  /**
   * Where the cards stand, in the order of the scene; the same list as long as none has moved.
   * @type {Box[]}
   */
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
  #keys = { head: '', layout: '', width: 0, isEmpty: false }
  #headHeight = 0
  #cards
  #lines = new EdgeElements(this)
  #placed = /** @type {import('./layout/layout.js').Placed | undefined} */ (undefined)
  /**
   * Where cards stand already, so that they stay there.
   * @type {import('./layout/layout.js').Memory}
   */
  #memory = {}
  /**
   * What the marks of the selection show.
   * @type {readonly string[]}
   */
  #marked = []
  /**
   * A card that stays under the pointer when all others make room.
   * @type {{ pointer: string, at: Point } | undefined}
   */
  #anchor
  /**
   * The cards of the scene by their pointers.
   * @type {Map<string, number>}
   */
  #places = new Map()

  /**
   * @param {HTMLElement} root
   * @param {Editor} editor
   * @param {AbortSignal} signal
   */
  constructor(root, editor, signal) {
    super()
    this.root = root
    this.editor = editor
    this.head = el('header', { class: 'frame-head' })
    this.edges = svg('svg', { class: 'edges', role: 'presentation' })
    this.nodes = el('div', { class: 'nodes' })
    this.#cards = new CardList(this.nodes)
    this.frame = el(
      'div',
      { class: 'frame', 'data-component': '' },
      this.head,
      this.edges,
      this.nodes,
    )
    this.world = el('div', { class: 'world' }, this.frame)
    root.prepend(this.world)
    this.viewport = new Viewport(root, this.world, signal)
    this.viewport.addEventListener('resize', () => void this.draw(), { signal })
    this.viewport.addEventListener('move', () => this.#showNear(), { signal })
    for (const type of ['doc', 'view'])
      editor.addEventListener(type, () => this.#drawSoon(), { signal })
    editor.addEventListener(
      'select',
      () => {
        this.#showNear()
        this.markSelection()
      },
      { signal },
    )
    editor.addEventListener(
      'report',
      (event) => {
        if (/** @type {CustomEvent} */ (event).detail.hasNewWords) this.#drawSoon()
        this.markProblems()
      },
      { signal },
    )
  }

  /** Whether cards may stand anywhere; else they stand in order. */
  get isFree() {
    return this.scene !== undefined && this.scene.flow !== 'order'
  }

  /** However many changes come within one frame, they are drawn once. */
  #drawSoon() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0
      void this.draw()
    })
  }

  /**
   * Draw the team in view. A later call overtakes an earlier one that still waits for its layout.
   */
  async draw() {
    const turn = ++this.#turn
    const { editor } = this
    const scene = makeScene(editor.catalogue, editor.root, editor.view, (pointer) =>
      editor.conditionAt(pointer),
    )
    this.scene = scene
    this.#places = new Map(scene.cards.map((card, index) => [card.pointer, index]))
    const made = this.#cards.render(scene)
    const isHeadNew = this.#renderHead(scene)
    const sizes = made.map(({ height }) => ({ width: CARD_WIDTH_PX, height }))
    const hubSize = scene.hub ? (sizes.shift() ?? null) : null
    const view = innerSize(this.viewport.size)
    const pins = pinsIn(editor.doc, scene.pointer)
    const key = JSON.stringify([
      scene.flow,
      hubSize,
      sizes.map((size) => size.height),
      scene.edges,
      scene.cards.map((card) => card.name),
      pins,
      view,
    ])
    const placed =
      key === this.#keys.layout && this.#placed
        ? this.#placed
        : await placeCards(scene, hubSize, sizes, view, pins, this.#memory)
    if (turn !== this.#turn) return
    this.#keys.layout = key
    const moved = this.#apply(scene, placed, view)
    if (this.#shown !== `${scene.pointer} ${this.viewport.isMeasured}`)
      this.viewport.fit(this.#extent())
    this.#shown = `${scene.pointer} ${this.viewport.isMeasured}`
    const fresh = this.#showCards()
    this.#lines.draw(placed, moved)
    this.markSelection(
      isSame(this.#marked, editor.selected)
        ? isHeadNew
          ? [this.head, ...fresh]
          : fresh
        : undefined,
    )
    markProblems(isHeadNew ? [this.head, ...fresh] : fresh, findingsByPlace(editor))
    this.dispatchEvent(new Event('drawn'))
  }

  /** Whether cards stand where they do because they stood there before the last changes. */
  get isUntidy() {
    return isOld(this.#memory)
  }

  /** Reset to the automatic layout. */
  tidy() {
    this.#memory.before = undefined
    this.#keys.layout = ''
    void this.draw()
  }

  fit() {
    this.viewport.fit(this.#extent(), { isWhole: true })
  }

  /** The frame of the team, and what notes take beside it and above. */
  #extent() {
    const { content, editor, inset } = this
    const places = notesOn(editor.doc, editor.view).map(([, note]) => note)
    const left = Math.min(0, ...places.map(({ x }) => x + inset.x))
    const top = Math.min(0, ...places.map(({ y }) => y + inset.y))
    const right = Math.max(content.width, ...places.map(({ x }) => x + inset.x + NOTE_WIDTH_PX))
    return { x: left, y: top, width: right - left, height: content.height - top }
  }

  /** Show what is selected, as large as fits. */
  fitSelection() {
    const boxes = this.selectedCards()
      .map((index) => this.boxes[index])
      .filter((box) => box !== undefined)
    return boxes.length === 0 ? this.fit() : this.viewport.show(around(boxes))
  }

  /**
   * The cards that are selected or hold what is, by their places in the scene.
   * @returns {number[]}
   */
  selectedCards() {
    const chosen = new Set(this.editor.selected.map((pointer) => this.cardOf(pointer)))
    return (this.scene?.cards ?? []).flatMap((card, index) =>
      chosen.has(card.pointer) ? [index] : [],
    )
  }

  /**
   * The element of a card, if it is to be seen.
   * @param {number} index  its place in the scene
   * @returns {HTMLElement | undefined}
   */
  nodeAt(index) {
    return this.#cards.at(index + (this.scene?.hub ? 1 : 0))
  }

  /** All boxes, that of the hub first. */
  get standing() {
    return this.hub ? [this.hub, ...this.boxes] : this.boxes
  }

  /**
   * @param {Element} node  a card
   * @returns {number} its place in what is standing
   */
  placeOf(node) {
    return this.#cards.indexOf(node)
  }

  /**
   * The element of a card, which is made if it was far from what is seen.
   * @param {number} place  in what is standing
   * @returns {HTMLElement | undefined}
   */
  reach(place) {
    this.#cards.wanted.reached = place
    if (!this.#cards.at(place)) this.#showNear()
    return this.#cards.at(place)
  }

  /**
   * Keep cards wherever the view goes, until others are.
   * @param {number[]} indices  places in the scene
   */
  hold(indices) {
    this.#cards.wanted.held = indices.map((index) => index + (this.scene?.hub ? 1 : 0))
    this.#showNear()
  }

  /** @returns {HTMLElement[]} the cards that came */
  #showCards() {
    const selected = this.#places.get(this.cardOf(this.editor.selection))
    this.#cards.wanted.selected = selected === undefined ? -1 : selected + (this.scene?.hub ? 1 : 0)
    const { fresh, isChanged, isWhole } = this.#cards.showNear(this.viewport)
    if (!isWhole) requestAnimationFrame(() => this.#showNear())
    if (isChanged) this.#lines.drawNear()
    return fresh
  }

  /** Cards come and go with what is in view. */
  #showNear() {
    const fresh = this.#showCards()
    if (fresh.length === 0) return
    this.markSelection(fresh, this.#marked)
    markProblems(fresh, findingsByPlace(this.editor))
    this.dispatchEvent(new CustomEvent('shown', { detail: fresh }))
  }

  /**
   * Let a card stay where it is seen in the next drawing.
   * @param {string} pointer
   * @param {Point} at
   */
  anchor(pointer, at) {
    this.#anchor = { pointer, at }
  }

  /**
   * @param {Scene} scene
   * @returns {boolean} whether it was drawn anew
   */
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

  /**
   * @param {Scene} scene
   * @param {import('./layout/layout.js').Placed} placed
   * @param {import('./layout/geometry.js').Size} view
   * @returns {Set<number> | 'all'} the cards that stand elsewhere than before
   */
  #apply(scene, placed, view) {
    const isEmpty = scene.cards.length === 0 && scene.memberSlot !== ''
    const { width, heightBelow, left, topBelow } = frameAround(scene, placed, view)
    if (width !== this.#keys.width) this.frame.style.width = `${width}px`
    if (width !== this.#keys.width || this.#headHeight === 0)
      this.#headHeight = this.head.offsetHeight
    this.#keys.width = width
    const top =
      topBelow(this.#headHeight) +
      (groupsIn(this.editor.doc, scene.memberSlot).length > 0 ? GROUP_ROOM : 0)
    const hasMoved = placed !== this.#placed || this.inset.x !== left || this.inset.y !== top
    const before = { hub: this.hub, boxes: this.boxes }
    this.#placed = placed
    if (hasMoved) {
      const moved = (/** @type {Box} */ box) => ({ ...box, x: box.x + left, y: box.y + top })
      this.hub = placed.hub && moved(placed.hub)
      this.boxes = placed.boxes.map(moved)
      this.inset = { x: left, y: top }
    }
    this.#cards.place(this.standing)
    const height = top + heightBelow
    if (height !== this.content.height) this.frame.style.height = `${height}px`
    this.content = { width, height }
    if (isEmpty || this.#keys.isEmpty)
      drawEmpty(
        this.frame,
        scene,
        (width - EMPTY.width) / 2,
        this.hub ? this.hub.y + this.hub.height + HUB_GAP : top,
      )
    this.#keys.isEmpty = isEmpty
    this.#stay()
    return hasMoved ? (scene.flow === 'hub' && movedCards(before, this)) || 'all' : new Set()
  }

  #stay() {
    const anchor = this.#anchor
    const box = this.boxes[this.#places.get(anchor?.pointer ?? '') ?? -1]
    this.#anchor = undefined
    if (!box || !anchor) return
    const { x, y, zoom } = this.viewport
    this.viewport.moveTo(x - (box.x - anchor.at.x) * zoom, y - (box.y - anchor.at.y) * zoom)
  }

  /**
   * @param {Iterable<Element>} [roots]  where to look
   * @param {readonly string[]} [selected]  what is shown as selected, before it is
   */
  markSelection(roots = [this.head, ...this.nodes.children], selected = this.editor.selected) {
    this.#marked = selected
    this.frame.toggleAttribute('data-selected', selected.includes(this.editor.view))
    markSelected(roots, selected, (pointer) => this.cardOf(pointer))
  }

  markProblems() {
    markProblems([this.frame], findingsByPlace(this.editor))
  }

  /**
   * The member of the team in view that a pointer lies in.
   * @param {string} pointer
   */
  cardOf(pointer) {
    for (let place = pointer; place !== ''; place = parent(place))
      if (this.#places.has(place)) return place
    return ''
  }
}
