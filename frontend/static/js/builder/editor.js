// @ts-check
import { announce } from '../core/dom.js'
import { get, isSame, isWithin } from '../core/pointer.js'
import { Store } from '../core/store.js'
import { isComponent, titleOf } from './document/catalogue.js'
import { ownerOf } from './document/commands.js'

/**
 * @typedef {import('./document/catalogue.js').Catalogue} Catalogue
 * @typedef {import('./document/catalogue.js').Component} Component
 * @typedef {import('./document/commands.js').Doc} Doc
 * @typedef {import('./document/commands.js').Command} Command
 * @typedef {import('../core/api.js').Finding} Finding
 * @typedef {{ kind: string, text: string, detail: string, where: string, approved?: boolean }} Capability
 * @typedef {{ errors: Finding[], warnings: Finding[], capabilities: Capability[], parts: { where: string, status: string }[],
 *   words: Record<string, string> }} Report  `words`: termination conditions as a person says them, by pointer
 */

/** @type {Report} */
const EMPTY_REPORT = { errors: [], warnings: [], capabilities: [], parts: [], words: {} }

/**
 * What all parts of the page share: the document and its history, the selection, the team in view, the server's report.
 * Fires `doc`, `select`, `view` and `report`; the parts read from here and never talk to each other.
 */
export class Editor extends EventTarget {
  selection = ''
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
    return pointer === '' ? this.doc.name : component ? titleOf(component) : ''
  }

  /** The way from the outermost team to the one in view. */
  trail() {
    /** @type {{ pointer: string, title: string }[]} */
    const found = []
    for (let pointer = this.view; ; pointer = ownerOf(pointer)) {
      found.unshift({ pointer, title: this.titleAt(pointer) })
      if (pointer === '') return found
    }
  }

  /** @param {Command} command @param {string} [origin]  which part of the page it came from */
  run(command, origin = '') {
    this.origin = origin
    return this.store.run(command, this.selection)
  }

  undo() {
    this.store.undo(this.selection)
  }

  redo() {
    this.store.redo(this.selection)
  }

  /**
   * @param {string} pointer
   * @param {{ reveal?: string, quiet?: boolean }} [options]  `reveal`: the field to show and focus
   */
  select(pointer, { reveal = '', quiet = false } = {}) {
    const target = this.#existing(pointer)
    const changed = target !== this.selection
    this.selection = target
    this.#followView()
    if (changed || reveal || !quiet) this.#fire('select', { reveal, changed })
  }

  /** Show another team on the canvas. @param {string} pointer */
  open(pointer) {
    if (pointer === this.view) return
    this.view = pointer
    if (!isWithin(this.selection, pointer)) this.selection = pointer
    this.#fire('view', {})
    this.#fire('select', { changed: true })
  }

  /** @param {Report} report */
  setReport(report) {
    const before = this.report.words
    this.report = { ...EMPTY_REPORT, ...report }
    this.#fire('report', { hasNewWords: !isSame(before, this.report.words) })
  }

  /** Errors at a place and inside it. @param {string} pointer */
  errorsWithin(pointer) {
    return this.report.errors.filter((each) => isWithin(each.where, pointer))
  }

  /** @param {{ label: string, select?: string | null, how: string, key: string }} change */
  #changed(change) {
    const origin = change.how === 'run' ? this.origin ?? '' : ''
    this.selection = this.#existing(change.select ?? this.selection)
    this.view = this.#existing(this.view)
    this.#followView()
    this.#fire('doc', { ...change, origin })
    if (!change.key) announce(change.label)
  }

  /** @param {string} pointer */
  #existing(pointer) {
    let target = pointer
    while (target !== '' && !this.at(target)) target = ownerOf(target)
    return target
  }

  /** A selection inside another team brings that team into view. */
  #followView() {
    let team = this.selection
    if (team !== this.view && this.catalogue.kindOf(this.at(team) ?? this.root) === 'team' && team !== '') team = ownerOf(team)
    while (team !== '' && this.catalogue.kindOf(this.at(team) ?? this.root) !== 'team') team = ownerOf(team)
    if (team === this.view) return
    this.view = team
    this.#fire('view', {})
  }

  /** @param {string} type @param {object} detail */
  #fire(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }))
  }
}
