// @ts-check
import { isWithin } from '../../../core/pointer.js'
import { makeSlot } from '../draw/cards.js'
import { targetsAround, targetsIn, refusal, slotAt } from '../../document/slot-targets.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {import('../../document/catalogue.js').Component} Component
 * @typedef {import('../canvas.js').Canvas} Canvas
 * @typedef {{ component: Component, from: string | null }} Part  `from`: where it stands in the
 *   team, null when it is new
 * @typedef {{ parts: Part[], areCards: boolean }} Load  what is dragged, the part under the pointer
 *   first; `areCards`: members of the team in view
 * @typedef {'yes' | 'around' | 'no'} Fit  "yes" takes it itself, "around" lets what is around it
 *   take it
 */

/**
 * Everything that what is dragged may be dropped on, marked with how well it fits. Worked out once,
 * when the drag begins.
 */
export class DropTargets {
  /** @type {HTMLElement[]} */
  #marked = []
  /** @type {HTMLElement[]} */
  #offered = []
  /**
   * One part of each type says it for all of its type.
   * @type {Part[]}
   */
  #kinds

  /**
   * @param {HTMLElement} root
   * @param {Canvas} canvas
   * @param {Editor} editor
   * @param {Load} load
   */
  constructor(root, canvas, editor, load) {
    this.canvas = canvas
    this.editor = editor
    this.load = load
    this.#kinds = load.parts.filter(
      (part, index) =>
        load.parts.findIndex(
          (each) =>
            editor.catalogue.typeOf(each.component) === editor.catalogue.typeOf(part.component),
        ) === index,
    )
    this.#offerPlaces()
    this.#mark(root)
  }

  /**
   * What has come into view meanwhile.
   * @param {HTMLElement[]} cards
   */
  add(cards) {
    this.#offerPlaces()
    for (const card of cards) this.#mark(card)
  }

  /** @param {HTMLElement} root */
  #mark(root) {
    const found = /** @type {HTMLElement[]} */ ([
      ...(root.matches('.node') ? [root] : []),
      ...root.querySelectorAll(
        '[data-drop], .node[data-component], .frame[data-component], .tree-row[data-component]',
      ),
    ])
    for (const target of found) target.dataset['fit'] = this.fits(target)
    this.#marked.push(...found)
  }

  clear() {
    for (const target of this.#marked) target.removeAttribute('data-fit')
    for (const slot of this.#offered) slot.remove()
  }

  /** Places that are not shown otherwise, on the cards that have one for this. */
  #offerPlaces() {
    const [first] = this.load.parts
    if (
      !first ||
      ['agent', 'team', 'termination'].includes(this.editor.catalogue.kindOf(first.component))
    )
      return
    const type = this.editor.catalogue.typeOf(first.component)
    this.canvas.scene?.cards.forEach((card, index) => {
      const node = this.canvas.nodeAt(index)
      if (!node || this.#offered.some((each) => each.parentNode === node)) return
      const places = card.slots
        .filter((slot) => slot.isOptional && slot.accepts.includes(type))
        .map(makeSlot)
      node.append(...places)
      this.#offered.push(...places)
    })
  }

  /**
   * @param {HTMLElement} target
   * @returns {Fit}
   */
  fits(target) {
    const found = this.#kinds.map((part) => this.#fit(part.component, target))
    return found.includes('no') ? 'no' : found.includes('around') ? 'around' : 'yes'
  }

  /**
   * @param {Component} component
   * @param {HTMLElement} target
   * @returns {Fit}
   */
  #fit(component, target) {
    const { catalogue, root } = this.editor
    const pointer = pointerOf(target)
    if (this.load.parts.some((part) => part.from !== null && isWithin(pointer, part.from)))
      return 'around'
    if (target.dataset['joins'] !== undefined)
      return catalogue.kindOf(component) === 'termination' && this.load.parts.length === 1
        ? 'yes'
        : 'no'
    const slot = slotAt(catalogue, root, pointer)
    if (slot || target.dataset['drop'] !== undefined)
      return slot &&
        catalogue.accepts(slot, component) &&
        (slot.many || this.load.parts.length === 1)
        ? 'yes'
        : 'no'
    const inside = targetsIn(catalogue, root, component, pointer)
    if (this.load.parts.length === 1 ? inside.length > 0 : inside.some((place) => place.many))
      return 'yes'
    return targetsAround(catalogue, root, component, pointer).length > 0 ? 'around' : 'no'
  }

  /**
   * Whether anything on the canvas but the ground takes it; else there is no need to look what lies
   * under the pointer there.
   */
  get hasTakers() {
    return this.#marked.some(
      (target) =>
        target.dataset['fit'] === 'yes' &&
        target !== this.canvas.frame &&
        this.canvas.frame.contains(target),
    )
  }

  /**
   * @param {number} x
   * @param {number} y
   * @returns {HTMLElement | null} the innermost slot, else card, else frame
   */
  at(x, y) {
    const under = document.elementFromPoint(x, y)
    const slot = under?.closest('[data-drop]')
    if (slot instanceof HTMLElement && slot.dataset['fit'] === 'yes') return slot
    const holder = under?.closest('.node[data-fit], .tree-row[data-fit]')
    if (holder instanceof HTMLElement) return holder
    const frame =
      slot ??
      under?.closest('.frame') ??
      (under && this.canvas.root.contains(under) ? this.canvas.frame : null)
    return frame instanceof HTMLElement ? frame : null
  }

  /**
   * @param {HTMLElement | null} target
   * @returns {string}
   */
  whyNot(target) {
    if (target?.dataset['fit'] !== 'no') return ''
    const slot = slotAt(this.editor.catalogue, this.editor.root, pointerOf(target))
    const wrong =
      this.#kinds.find((part) => this.#fit(part.component, target) === 'no') ?? this.load.parts[0]
    if (!wrong) return ''
    if (slot && !slot.many && this.editor.catalogue.accepts(slot, wrong.component))
      return 'This slot takes one component only.'
    return refusal(this.editor.catalogue, this.editor.root, wrong.component, pointerOf(target))
  }
}

/** @param {HTMLElement} target */
export function pointerOf(target) {
  return target.dataset['drop'] ?? target.dataset['component'] ?? ''
}
