// @ts-check
import { announce } from '../core/dom.js'
import { explainDisabled } from '../core/keyboard.js'
import { get, isSame, isWithin } from '../core/pointer.js'
import { Store } from '../core/store.js'
import { isComponent, titleOf, typeLabel } from './document/catalogue.js'
import { ownerOf } from './document/commands.js'
import { currentPointer } from './document/pointer-tracking.js'
import { existingPart, partTitle } from './document/parts.js'
import { memberSlot, viewOf } from './document/views.js'
import { toggled, withoutDoubles } from './document/selection.js'

/**
 * @typedef {import('./document/catalogue.js').Catalogue} Catalogue
 * @typedef {import('./document/catalogue.js').Component} Component
 * @typedef {import('./document/commands.js').Doc} Doc
 * @typedef {import('./document/commands.js').Command} Command
 * @typedef {import('../core/api.js').Finding} Finding
 * @typedef {{ kind: string, text: string, detail: string, where: string, approved?: boolean }}
 *   Capability
 * @typedef {{ errors: Finding[], warnings: Finding[], capabilities: Capability[], parts: { where:
 *   string, status: string }[],
 * needs: Need[], words: Record<string, string>, scripted: string, isKnown: boolean }} Report
 *   `scripted`: a model, where all speak from a script; `words`: termination conditions as a person
 *   says
 *   them, by pointer; `isKnown`: whether the server has answered at all
 * @typedef {Finding & { reference: string, name: string, places: string[], is_stored: boolean }}
 *   Need  a secret without a value;
 *   one can be stored as `name`, and is read once `secret:name` stands at all `places`
 */

/** @type {Report} */
const EMPTY_REPORT = {
  errors: [],
  warnings: [],
  capabilities: [],
  parts: [],
  needs: [],
  words: {},
  scripted: '',
  isKnown: false,
}

/**
 * What all parts of the page share: the document and its history, the selection, the team in view,
 * the server's report. Fires `doc`, `select`, `view` and `report`; the parts read from here and
 * never talk to each other.
 */
export class Editor extends EventTarget {
  /**
   * All that is selected, never empty; the primary place is the last.
   * @type {readonly string[]}
   */
  selected = ['']
  /** The team that the canvas shows; "" is the outermost. */
  view = ''
  report = EMPTY_REPORT
  /** Whether a condition is shown without its words. */
  #lacksWords = false
  /** The component as it was before the change that is told now. */
  #before
  /**
   * What the report is about.
   * @type {Component | undefined}
   */
  #reported

  /**
   * @param {Doc} doc
   * @param {Catalogue} catalogue
   */
  constructor(doc, catalogue) {
    super()
    this.catalogue = catalogue
    /** Why nothing may be changed; empty where it may. */
    this.whyNot = ''
    this.store = new Store(doc)
    this.#before = doc.component
    this.store.addEventListener('change', (event) =>
      this.#changed(/** @type {CustomEvent} */ (event).detail),
    )
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

  /**
   * @param {string} pointer
   * @returns {Component | undefined}
   */
  at(pointer) {
    const value = get(this.root, pointer)
    return isComponent(value) ? value : undefined
  }

  /**
   * What a component is called; the outermost has the team's name.
   * @param {string} pointer
   */
  titleAt(pointer) {
    const component = this.at(pointer)
    if (pointer === '' || !component)
      return pointer === '' ? this.doc.name : partTitle(this.root, pointer)
    return this.catalogue.kindOf(component) === 'termination'
      ? this.conditionAt(pointer)
      : titleOf(component)
  }

  /**
   * A condition as the server words it, the same everywhere; before it has answered nothing else is
   * said.
   * @param {string} pointer
   */
  conditionAt(pointer) {
    const component = this.at(pointer)
    const words = this.report.words[pointer]
    if (words !== undefined || !component) return words ?? ''
    const isToCome = !this.report.isKnown || this.#reported !== this.root
    this.#lacksWords ||= isToCome
    return isToCome ? '…' : typeLabel(component.provider)
  }

  /**
   * To find a place again after waiting: others may have changed the team meanwhile.
   * @param {string} pointer
   * @returns {() => string | undefined} undefined once it is gone
   */
  keepPlace(pointer) {
    const before = this.root
    return () => currentPointer(before, this.root, pointer)
  }

  /** The way from the outermost team to the one in view. */
  trail() {
    /** @type {{ pointer: string, title: string }[]} */
    const found = []
    for (let pointer = this.view; ; pointer = ownerOf(pointer)) {
      if (pointer === '' || memberSlot(this.catalogue, this.at(pointer) ?? this.root))
        found.unshift({ pointer, title: this.titleAt(pointer) })
      if (pointer === '') return found
    }
  }

  /**
   * @param {Command} command
   * @param {string} [origin]  which part of the page it came from
   */
  run(command, origin = '') {
    if (this.whyNot) {
      explainDisabled(this.whyNot)
      return false
    }
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
   * Undo the step that led to this document, unless other steps came after it.
   * @param {Doc} doc
   */
  takeBack(doc) {
    if (this.doc === doc) this.undo()
    else explainDisabled('There are newer changes; undo them first.')
  }

  /**
   * @param {string} pointer
   * @param {{ reveal?: string, quiet?: boolean, add?: boolean }} [options]  `reveal`: the field to
   *   show and focus;
   *   `add`: to what is selected, or out of it
   */
  select(pointer, { reveal = '', quiet = false, add = false } = {}) {
    const target = this.#existing(pointer)
    if (add && target === this.view) return
    const members = this.selected.filter((each) => each !== this.view)
    this.#setSelection(add ? toggled(members, target) : [target], { reveal, quiet })
  }

  /**
   * Select all of these, the last as the primary one; nothing but the team in view when there are
   * none.
   * @param {string[]} pointers
   */
  selectAll(pointers) {
    this.#setSelection(
      pointers.length > 0 ? pointers.map((each) => this.#existing(each)) : [this.view],
      {},
    )
  }

  /**
   * @param {string[]} pointers
   * @param {{ reveal?: string, quiet?: boolean }} options
   */
  #setSelection(pointers, { reveal = '', quiet = false }) {
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

  /**
   * Show another team on the canvas.
   * @param {string} pointer
   */
  open(pointer) {
    if (pointer === this.view) return
    this.view = pointer
    if (!this.selected.every((each) => isWithin(each, pointer))) this.selected = [pointer]
    this.#fire('view', {})
    this.#fire('select', { changed: true })
  }

  /**
   * @param {Partial<Report>} report
   * @param {Component} [about]  what the server was asked about; else what it was before
   */
  setReport(report, about = this.#reported ?? this.root) {
    const before = this.report.words
    this.#reported = about
    this.report = { ...EMPTY_REPORT, ...report, isKnown: true }
    this.#dropFilled(about)
    const hasNewWords = this.#lacksWords || !isSame(before, this.report.words)
    this.#lacksWords = false
    this.#fire('report', { hasNewWords })
  }

  /**
   * Where a place that the report names is by now.
   * @param {string} pointer
   * @returns {string | undefined} undefined once it is gone
   */
  reportedPlace(pointer) {
    return currentPointer(this.#reported ?? this.root, this.root, pointer)
  }

  /**
   * Errors at a place and inside it.
   * @param {string} pointer
   */
  errorsWithin(pointer) {
    return this.report.errors.filter((each) => isWithin(each.where, pointer))
  }

  /**
   * What was missing and is there by now is no error any more, though the server has not said so
   * yet.
   * @param {Component} before
   */
  #dropFilled(before) {
    const isFilled = (/** @type {Finding} */ { where }) =>
      (get(before, where) ?? null) === null && (get(this.root, where) ?? null) !== null
    if (this.report.errors.some(isFilled))
      this.report = { ...this.report, errors: this.report.errors.filter((each) => !isFilled(each)) }
  }

  /**
   * @param {{ label: string, select?: import('../core/store.js').Selection, how: string, key:
   *   string }} change
   */
  #changed(change) {
    const [before, after] = [this.#before, this.root]
    this.#before = after
    this.#dropFilled(before)
    const origin = change.how === 'run' ? (this.origin ?? '') : ''
    const placeOf = (/** @type {string} */ pointer) => currentPointer(before, after, pointer)
    const wanted = change.select ?? this.selected.map((each) => placeOf(each) ?? ownerOf(each))
    this.selected = withoutDoubles(
      (typeof wanted === 'string' ? [wanted] : wanted).map((each) => this.#existing(each)),
    )
    this.view = this.#existing(placeOf(this.view) ?? ownerOf(this.view))
    this.#followView()
    this.#fire('doc', { ...change, origin, placeNow: placeOf })
    if (!change.key) announce(change.label)
  }

  /** @param {string} pointer */
  #existing(pointer) {
    let target = pointer
    while (target !== '' && !this.at(target) && !existingPart(this.root, target))
      target = ownerOf(target)
    return target
  }

  /** A selection inside another team brings that team into view. */
  #followView() {
    const team = viewOf(this.catalogue, this.root, this.selection, this.view)
    if (team === this.view) return
    this.view = team
    this.#fire('view', {})
  }

  /**
   * @param {string} type
   * @param {object} detail
   */
  #fire(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }))
  }
}
