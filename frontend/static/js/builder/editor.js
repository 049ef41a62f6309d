// @ts-check
import { announce } from '../core/dom.js'
import { get, isSame, isWithin } from '../core/pointer.js'
import { Store } from '../core/store.js'
import { isComponent, titleOf } from './document/catalogue.js'
import { ownerOf } from './document/commands.js'
import { existingPart, partTitle } from './document/connections.js'
import { memberSlot, viewOf } from './document/views.js'
import { toggled, withoutDoubles } from './document/selection.js'

/**
 * @typedef {import('./document/catalogue.js').Catalogue} Catalogue
 * @typedef {import('./document/catalogue.js').Component} Component
 * @typedef {import('./document/commands.js').Doc} Doc
 * @typedef {import('./document/commands.js').Command} Command
 * @typedef {import('../core/api.js').Finding} Finding
 * @typedef {{ kind: string, text: string, detail: string, where: string, approved?: boolean }} Capability
 * @typedef {{ errors: Finding[], warnings: Finding[], capabilities: Capability[], parts: { where: string, status: string }[],
 *   needs: Need[], words: Record<string, string>, isKnown: boolean }} Report  `words`: termination conditions as a person says
 *   them, by pointer; `isKnown`: whether the server has answered at all
 * @typedef {Finding & { reference: string, name: string, places: string[], is_stored: boolean }} Need  a secret without a value;
 *   one can be stored as `name`, and is read once `secret:name` stands at all `places`
 */

/** @type {Report} */
const EMPTY_REPORT = { errors: [], warnings: [], capabilities: [], parts: [], needs: [], words: {}, isKnown: false }

/**
 * What all parts of the page share: the document and its history, the selection, the team in view, the server's report.
 * Fires `doc`, `select`, `view` and `report`; the parts read from here and never talk to each other.
 */
export class Editor extends EventTarget {
  /** All that is selected, never empty; the primary place is the last. @type {readonly string[]} */
  selected = ['']
  /** The team that the canvas shows; "" is the outermost. */
  view = ''
  report = EMPTY_REPORT

  /** @param {Doc} doc @param {Catalogue} catalogue */
  constructor(doc, catalogue) {
    super()
    this.catalogue = catalogue
    this.store = new Store(doc)
    this.store.addEventListener('change', (event) => this.#changed(/** @type {CustomEvent} */ (event).detail))
  }

  get doc() {
    return this.store.doc
  }

  /** The primary place: what the inspector shows and the keyboard goes on from. */
  get selection() {
    return this.selected.at(-1) ?? ''
  }

  /** The outermost component. */
  get root() {
    return this.store.doc.component
  }

  /** @param {string} pointer @returns {Component | undefined} */
  at(pointer) {
    const value = get(this.root, pointer)
    return isComponent(value) ? value : undefined
  }

  /** What a component is called; the outermost has the team's name. @param {string} pointer */
  titleAt(pointer) {
    const component = this.at(pointer)
    return pointer === '' ? this.doc.name : component ? titleOf(component) : partTitle(this.root, pointer)
  }

  /** The way from the outermost team to the one in view. */
  trail() {
    /** @type {{ pointer: string, title: string }[]} */
    const found = []
    for (let pointer = this.view; ; pointer = ownerOf(pointer)) {
      if (pointer === '' || memberSlot(this.catalogue, this.at(pointer) ?? this.root)) found.unshift({ pointer, title: this.titleAt(pointer) })
      if (pointer === '') return found
    }
  }

  /** @param {Command} command @param {string} [origin]  which part of the page it came from */
  run(command, origin = '') {
    this.origin = origin
    return this.store.run(command, this.#kept())
  }

  undo() {
    this.store.undo(this.#kept())
  }

  redo() {
    this.store.redo(this.#kept())
  }

  /**
   * @param {string} pointer
   * @param {{ reveal?: string, quiet?: boolean, add?: boolean }} [options]  `reveal`: the field to show and focus;
   *   `add`: to what is selected, or out of it
   */
  select(pointer, { reveal = '', quiet = false, add = false } = {}) {
    const target = this.#existing(pointer)
    if (add && target === this.view) return
    const members = this.selected.filter((each) => each !== this.view)
    this.#take(add ? toggled(members, target) : [target], { reveal, quiet })
  }

  /** Select all of these, the last as the primary one; nothing but the team in view when there are none. @param {string[]} pointers */
  selectAll(pointers) {
    this.#take(pointers.length > 0 ? pointers.map((each) => this.#existing(each)) : [this.view], {})
  }

  /** @param {string[]} pointers @param {{ reveal?: string, quiet?: boolean }} options */
  #take(pointers, { reveal = '', quiet = false }) {
    const next = withoutDoubles(pointers)
    const changed = !isSame(next, this.selected)
    this.selected = next
    this.#followView()
    if (changed || reveal || !quiet) this.#fire('select', { reveal, changed })
  }

  /** The selection as the history keeps it. */
  #kept() {
    return this.selected.length > 1 ? [...this.selected] : this.selection
  }

  /** Show another team on the canvas. @param {string} pointer */
  open(pointer) {
    if (pointer === this.view) return
    this.view = pointer
    if (!this.selected.every((each) => isWithin(each, pointer))) this.selected = [pointer]
    this.#fire('view', {})
    this.#fire('select', { changed: true })
  }

  /** @param {Partial<Report>} report */
  setReport(report) {
    const before = this.report.words
    this.report = { ...EMPTY_REPORT, ...report, isKnown: true }
    this.#fire('report', { hasNewWords: !isSame(before, this.report.words) })
  }

  /** Errors at a place and inside it. @param {string} pointer */
  errorsWithin(pointer) {
    return this.report.errors.filter((each) => isWithin(each.where, pointer))
  }

  /** @param {{ label: string, select?: import('../core/store.js').Selection, how: string, key: string }} change */
  #changed(change) {
    const origin = change.how === 'run' ? this.origin ?? '' : ''
    const wanted = change.select ?? this.selected
    this.selected = withoutDoubles((typeof wanted === 'string' ? [wanted] : wanted).map((each) => this.#existing(each)))
    this.view = this.#existing(this.view)
    this.#followView()
    this.#fire('doc', { ...change, origin })
    if (!change.key) announce(change.label)
  }

  /** @param {string} pointer */
  #existing(pointer) {
    let target = pointer
    while (target !== '' && !this.at(target) && !existingPart(this.root, target)) target = ownerOf(target)
    return target
  }

  /** A selection inside another team brings that team into view. */
  #followView() {
    const team = viewOf(this.catalogue, this.root, this.selection, this.view)
    if (team === this.view) return
    this.view = team
    this.#fire('view', {})
  }

  /** @param {string} type @param {object} detail */
  #fire(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }))
  }
}
