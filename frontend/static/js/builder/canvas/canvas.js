// @ts-check
import { el, icon, svg } from '../../core/dom.js'
import { kindIcon, makeCard, makeSlot } from './cards.js'
import { conditionSentence } from './condition.js'
import { drawEdges } from './edges.js'
import { CARD_WIDTH_PX, extent } from './geometry.js'
import { placeCards } from './layout.js'
import { makeScene } from './scene.js'
import { Viewport } from './viewport.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('./geometry.js').Box} Box
 * @typedef {import('./scene.js').Scene} Scene
 * @typedef {{ view: object, node: HTMLElement, height: number }} Made  height 0 before it was measured
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

/** The team as a frame with cards and edges. Fires `drawn` after each drawing. */
export class Canvas extends EventTarget {
  /** @type {Box[]} */
  boxes = []
  /** @type {Box | null} */
  hub = null
  /** Size of the whole frame. */
  content = { width: 600, height: 300 }
  /** @type {Scene | undefined} */
  scene
  #turn = 0
  #frame = 0
  #shown = ''
  /** Cards by place; one is made anew only when its component changed. @type {Map<string, Made>} */
  #cache = new Map()

  /** @param {HTMLElement} root @param {Editor} editor @param {AbortSignal} signal */
  constructor(root, editor, signal) {
    super()
    this.root = root
    this.editor = editor
    this.head = el('header', { class: 'frame-head' })
    this.edges = svg('svg', { class: 'edges', 'aria-hidden': 'true' })
    this.nodes = el('div', { class: 'nodes' })
    this.frame = el('div', { class: 'frame', 'data-component': '' }, this.head, this.edges, this.nodes)
    this.world = el('div', { class: 'world' }, this.frame)
    root.prepend(this.world)
    this.viewport = new Viewport(root, this.world, signal)
    this.viewport.addEventListener('resize', () => void this.draw(), { signal })
    for (const type of ['doc', 'view']) editor.addEventListener(type, () => this.#drawSoon(), { signal })
    editor.addEventListener('select', () => this.markSelection(), { signal })
    editor.addEventListener('report', (event) => {
      if (/** @type {CustomEvent} */ (event).detail.hasNewWords) this.#drawSoon()
      else this.markProblems()
    }, { signal })
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
    const scene = makeScene(editor.catalogue, editor.root, editor.view, (pointer) => editor.report.words[pointer] ?? '')
    this.scene = scene
    const made = this.#renderNodes(scene)
    const nodes = made.map((each) => each.node)
    this.#renderHead(scene)
    const sizes = made.map((each) => {
      each.height ||= each.node.offsetHeight
      return { width: CARD_WIDTH_PX, height: each.height }
    })
    const hubSize = scene.hub ? sizes.shift() ?? null : null
    const view = { width: this.viewport.size.width - 2 * PAD - 40, height: this.viewport.size.height - 220 }
    const placed = await placeCards(scene, hubSize, sizes, view, editor.doc.layout.pins ?? {})
    if (turn !== this.#turn) return
    this.#apply(scene, nodes, placed, Math.min(MIN_WIDTH, view.width))
    this.#fitOnce(scene)
    this.markSelection()
    this.markProblems()
    this.dispatchEvent(new Event('drawn'))
  }

  fit() {
    this.viewport.fit(this.content)
  }

  /** @param {Scene} scene @returns {Made[]} */
  #renderNodes(scene) {
    const views = scene.hub ? [scene.hub, ...scene.cards] : scene.cards
    const cache = new Map()
    const made = views.map((view) => {
      const isHub = view === scene.hub
      const key = `${isHub ? 'hub' : view.pointer} ${view.order}`
      const known = this.#cache.get(key)
      const kept = known && known.view === view.component ? known : { view: view.component, height: 0, node: makeCard(view, { isNumbered: scene.flow === 'order' && !isHub, isHub }) }
      cache.set(key, kept)
      return kept
    })
    const nodes = made.map((each) => each.node)
    this.#cache = cache
    const hadFocus = this.nodes.contains(document.activeElement)
    if (nodes.length !== this.nodes.children.length || nodes.some((node, index) => node !== this.nodes.children[index])) this.nodes.replaceChildren(...nodes)
    if (hadFocus) (nodes.find((node) => node.dataset['card'] === this.editor.selection) ?? this.root).focus({ preventScroll: true })
    return made
  }

  /** @param {Scene} scene */
  #renderHead(scene) {
    const required = this.editor.catalogue.slotsOf(scene.team).find((slot) => scene.conditionSlot.endsWith(`/${slot.field}`))?.required ?? false
    this.frame.dataset['component'] = scene.pointer
    this.frame.dataset['flow'] = scene.flow
    this.head.replaceChildren(
      el('div', { class: 'frame-title' }, kindIcon('team'), el('button', { type: 'button', class: 'frame-name', 'data-component': scene.pointer, tabindex: '-1' }, this.editor.titleAt(scene.pointer)),
        el('span', { class: 'muted small' }, scene.type),
        el('span', { class: 'badge', 'data-state': 'error', 'data-problems-at': scene.pointer, hidden: true })),
      scene.conditionSlot ? conditionSentence(scene.condition, scene.conditionSlot, required) : el('span'),
      el('div', { class: 'frame-slots' }, ...scene.slots.filter((slot) => slot.chips.length > 0 || slot.isRequired).map(makeSlot)))
  }

  /** @param {Scene} scene @param {HTMLElement[]} nodes @param {import('./layout.js').Placed} placed @param {number} minWidth */
  #apply(scene, nodes, placed, minWidth) {
    const all = placed.hub ? [placed.hub, ...placed.boxes] : placed.boxes
    const inner = extent(all)
    const width = Math.max(inner.width, minWidth, EMPTY.width) + 2 * PAD
    this.frame.style.width = `${width}px`
    const top = this.head.offsetHeight + 22
    const left = PAD + Math.max(0, (width - 2 * PAD - inner.width) / 2)
    const moved = all.map((box) => ({ ...box, x: box.x + left, y: box.y + top }))
    nodes.forEach((node, index) => {
      const box = moved[index]
      if (box) node.style.transform = `translate(${box.x}px, ${box.y}px)`
    })
    this.hub = placed.hub ? moved.shift() ?? null : null
    this.boxes = moved
    const isEmpty = scene.cards.length === 0 && scene.memberSlot !== ''
    const shown = isEmpty ? (placed.hub ? inner.height + HUB_GAP : 0) + EMPTY.height : inner.height
    const height = top + Math.max(shown, 96) + (scene.edges.length > 0 && scene.flow !== 'hub' ? FOOT_WITH_LOOP : FOOT)
    this.frame.style.height = `${height}px`
    this.content = { width, height }
    this.inset = { x: left, y: top }
    this.#renderEmpty(scene, (width - EMPTY.width) / 2, top)
    drawEdges(this.edges, scene.edges, this.boxes, this.hub)
  }

  /** @param {Scene} scene @param {number} left @param {number} top */
  #renderEmpty(scene, left, top) {
    this.frame.querySelector('.frame-empty')?.remove()
    if (scene.cards.length > 0 || !scene.memberSlot) return
    const empty = el('button', { type: 'button', class: 'frame-empty slot-add', 'data-fill': scene.memberSlot, 'data-drop': scene.memberSlot }, icon('plus'), el('span', {}, 'Drop an agent here, or choose one'))
    empty.style.left = `${left}px`
    empty.style.top = `${this.hub ? this.hub.y + this.hub.height + HUB_GAP : top}px`
    this.frame.append(empty)
  }

  /** @param {Scene} scene */
  #fitOnce(scene) {
    const shown = `${scene.pointer} ${this.viewport.isMeasured}`
    if (shown !== this.#shown) this.fit()
    this.#shown = shown
  }

  markSelection() {
    const { selection } = this.editor
    for (const node of this.frame.querySelectorAll('[data-selected]')) node.removeAttribute('data-selected')
    this.frame.toggleAttribute('data-selected', selection === this.editor.view)
    for (const node of this.frame.querySelectorAll(`[data-component="${CSS.escape(selection)}"]:not([data-hub])`)) node.setAttribute('data-selected', '')
    const card = this.frame.querySelector(`[data-card="${CSS.escape(this.cardOf(selection))}"]`)
    for (const node of this.nodes.querySelectorAll('.node[tabindex="0"]')) node.setAttribute('tabindex', '-1')
    ;(card ?? this.nodes.firstElementChild)?.setAttribute('tabindex', '0')
    if (card && !card.hasAttribute('data-selected')) card.setAttribute('data-selected', 'inside')
  }

  markProblems() {
    for (const node of this.frame.querySelectorAll('[data-problems-within], [data-problems-at]')) {
      if (!(node instanceof HTMLElement)) continue
      const within = node.dataset['problemsWithin']
      const errors = within === undefined ? this.editor.report.errors.filter((each) => this.editor.catalogue.owner(this.editor.root, each.where) === node.dataset['problemsAt']) : this.editor.errorsWithin(within)
      node.hidden = errors.length === 0
      if (!node.classList.contains('chip-problem')) node.textContent = String(errors.length)
      node.title = errors.map((each) => each.message).join('\n')
      node.closest('.node, .chip')?.toggleAttribute('data-invalid', errors.length > 0)
    }
  }

  /** The member of the team in view that a pointer lies in. @param {string} pointer */
  cardOf(pointer) {
    const card = this.scene?.cards.find((each) => pointer === each.pointer || pointer.startsWith(`${each.pointer}/`))
    return card?.pointer ?? ''
  }
}
