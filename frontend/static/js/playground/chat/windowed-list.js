// @ts-check
import { el } from '../../core/dom.js'
import { RowHeights } from './row-heights.js'

/** What is drawn above and below the view, as a share of its height. */
const AROUND = 1
/** Redrawn when less than this is left of it. */
const LEFT = 0.4
/** Elements that went out of view keep what was unfolded in them until so many came after them. */
const KEPT = 240
/** Guesses of heights are replaced by measured ones; then other rows may be in view. */
const ROUNDS = 4

/**
 * @typedef {object} Source  what the list shows
 * @property {(row: number) => number} id  by which its height is remembered
 * @property {(row: number) => string} key  of its element
 * @property {(row: number) => number} guess  px, until it was measured
 * @property {(row: number, old: HTMLElement | undefined) => HTMLElement} node  the old element, if
 *   it still says all
 * @property {() => HTMLElement[]} rest  what comes after the last row
 * @property {(key: string) => boolean} isPinned  an element that must not be forgotten
 * @property {() => boolean} isAtEnd  whether the reader follows the end
 * @property {(top: number) => void} moveTo  scroll there, by nobody's wish
 * @property {(first: number, last: number) => void} drawn
 */

/** A list of any length of which only what is near the view is in the page. */
export class WindowedList {
  #scroller
  #list
  #source
  #heights = new RowHeights()
  #above = el('div', { class: 'chat-space', 'aria-hidden': 'true' })
  #below = el('div', { class: 'chat-space', 'aria-hidden': 'true' })
  /** @type {Map<string, HTMLElement>} the one used last comes last */
  #nodes = new Map()
  /** @type {Map<number, number>} measured heights */
  #known = new Map()
  /**
   * @type {{row: number, offset: number} | null} what stays where it is until the reader scrolls
   */
  #anchor = null
  #first = 0
  #last = -1
  #width = 0
  #height = 0
  #isScheduled = false
  #drawnHeight = 0

  /**
   * @param {HTMLElement} scroller
   * @param {HTMLElement} list
   * @param {Source} source
   * @param {AbortSignal} signal
   */
  constructor(scroller, list, source, signal) {
    this.#scroller = scroller
    this.#list = list
    this.#source = source
    list.replaceChildren(this.#above, this.#below)
    scroller.addEventListener('scroll', () => this.#scrolled(), { signal, passive: true })
    for (const type of ['wheel', 'pointerdown', 'touchmove', 'keydown'])
      scroller.addEventListener(
        type,
        () => {
          this.#anchor = null
        },
        { signal, passive: true },
      )
    const resized = new ResizeObserver(() => this.#resized())
    resized.observe(list)
    resized.observe(scroller)
    signal.addEventListener('abort', () => resized.disconnect())
  }

  get count() {
    return this.#heights.count
  }

  /**
   * Other rows, or the same in another order.
   * @param {number} count
   * @param {number} keep  row that stays in view, or -1
   * @param {number} offset  of the view below its start
   */
  reset(count, keep, offset) {
    this.#heights = new RowHeights(Array.from({ length: count }, (_, row) => this.#heightOf(row)))
    this.#anchor = keep >= 0 ? { row: keep, offset } : null
    this.draw()
  }

  /** @param {number} count  rows added at the end */
  grow(count) {
    for (let added = 0; added < count; added += 1) this.#heights.push(this.#heightOf(this.count))
  }

  /** Row at the top of the view. */
  get topRow() {
    return this.count === 0 ? -1 : this.#heights.at(Math.max(0, this.#viewTop() + 1))
  }

  /**
   * How far the view begins below the start of a row; what is out of view is put a little below the
   * top.
   * @param {number} row
   */
  offsetOf(row) {
    const offset = row < 0 ? Number.NaN : this.#viewTop() - this.#heights.above(row)
    const height = this.#scroller.clientHeight
    return offset <= this.#heights.get(row) && offset > -height ? offset : -Math.round(height / 4)
  }

  /** @param {string} key */
  forget(key) {
    this.#nodes.get(key)?.remove()
    this.#nodes.delete(key)
  }

  /**
   * Bring a row into view, unless it is.
   * @param {number} row
   */
  reveal(row) {
    const top = this.#viewTop()
    const height = this.#scroller.clientHeight
    const start = this.#heights.above(row)
    const isInView =
      start >= top && start + Math.min(this.#heights.get(row), height / 2) <= top + height
    this.#anchor = { row, offset: isInView ? top - start : -Math.round(height / 4) }
    this.draw()
  }

  /** Soon, once for all who ask. */
  schedule() {
    if (this.#isScheduled) return
    this.#isScheduled = true
    requestAnimationFrame(() => {
      this.#isScheduled = false
      this.draw()
    })
  }

  draw() {
    const height = this.#scroller.clientHeight
    if (height === 0 || this.#list.clientWidth === 0) return
    for (let round = 0; round < ROUNDS; round += 1) {
      const { top, anchor } = this.#target(height)
      this.#first = this.count === 0 ? 0 : this.#heights.at(Math.max(0, top - height * AROUND))
      this.#last = this.count === 0 ? -1 : this.#heights.at(top + height * (1 + AROUND))
      this.#fill()
      const isChanged = this.#measure()
      if (anchor)
        this.#source.moveTo(this.#heights.above(anchor.row) + anchor.offset + this.#listTop())
      if (!isChanged) break
    }
    this.#drawnHeight = this.#list.offsetHeight
    this.#source.drawn(this.#first, this.#last)
  }

  /**
   * Where the view shall be, and which row holds it there.
   * @param {number} height
   */
  #target(height) {
    if (this.#source.isAtEnd())
      return { top: Math.max(0, this.#heights.total - height), anchor: null }
    const top = this.#viewTop()
    const row = this.count === 0 ? 0 : this.#heights.at(Math.max(0, top))
    const anchor = this.#anchor ?? { row, offset: top - this.#heights.above(row) }
    return {
      top: this.#heights.above(anchor.row) + anchor.offset,
      anchor: this.count === 0 ? null : anchor,
    }
  }

  #fill() {
    const nodes = []
    for (let row = this.#first; row <= this.#last; row += 1) nodes.push(this.#nodeAt(row))
    if (this.#last === this.count - 1) nodes.push(...this.#source.rest())
    const wanted = new Set(nodes)
    for (const child of [...this.#list.children]) {
      if (
        child === this.#above ||
        child === this.#below ||
        wanted.has(/** @type {HTMLElement} */ (child))
      )
        continue
      if (child.contains(document.activeElement)) this.#scroller.focus({ preventScroll: true })
      child.remove()
    }
    let place = this.#above.nextElementSibling
    for (const node of nodes) {
      if (node === place) place = node.nextElementSibling
      else this.#list.insertBefore(node, place)
    }
    this.#forgetOld(nodes.length)
    this.#space()
  }

  /** @param {number} row */
  #nodeAt(row) {
    const key = this.#source.key(row)
    const old = this.#nodes.get(key)
    const node = this.#source.node(row, old)
    if (old) this.#nodes.delete(key)
    this.#nodes.set(key, node)
    return node
  }

  /** @param {number} shown */
  #forgetOld(shown) {
    for (const key of [...this.#nodes.keys()].slice(0, -(KEPT + shown)))
      if (!this.#source.isPinned(key)) this.#nodes.delete(key)
  }

  #space() {
    this.#above.style.blockSize = `${this.#heights.above(this.#first)}px`
    this.#below.style.blockSize = `${Math.max(0, this.#heights.total - this.#heights.above(this.#last + 1))}px`
  }

  /**
   * A row reaches from the end of the one before it to its own end.
   * @returns {boolean} whether a guess was wrong
   */
  #measure() {
    let isChanged = false
    let end = this.#above.getBoundingClientRect().bottom
    let node = this.#above.nextElementSibling
    for (
      let row = this.#first;
      row <= this.#last && node;
      row += 1, node = node.nextElementSibling
    ) {
      const { bottom } = node.getBoundingClientRect()
      const isHidden = /** @type {HTMLElement} */ (node).hidden
      const px = isHidden ? 0 : bottom - end
      if (!isHidden) end = bottom
      this.#known.set(this.#source.id(row), px)
      if (Math.abs(px - this.#heights.get(row)) < 0.5) continue
      this.#heights.set(row, px)
      isChanged = true
    }
    if (isChanged) this.#space()
    return isChanged
  }

  #listTop() {
    return (
      this.#list.getBoundingClientRect().top -
      this.#scroller.getBoundingClientRect().top +
      this.#scroller.scrollTop
    )
  }

  #viewTop() {
    return this.#scroller.scrollTop - this.#listTop()
  }

  #scrolled() {
    const height = this.#scroller.clientHeight
    const top = this.#viewTop()
    const start = this.#heights.above(this.#first)
    const end = this.#heights.above(this.#last + 1)
    const isCovered =
      (this.#first === 0 || top - start > height * LEFT) &&
      (this.#last >= this.count - 1 || end - top - height > height * LEFT)
    if (!isCovered) this.schedule()
  }

  #resized() {
    const width = this.#list.clientWidth
    const height = this.#scroller.clientHeight
    const isOther = width !== this.#width || height !== this.#height
    if (width !== this.#width) this.#known.clear()
    this.#width = width
    this.#height = height
    if (isOther || this.#list.offsetHeight !== this.#drawnHeight) this.schedule()
  }

  /** @param {number} row */
  #heightOf(row) {
    return this.#known.get(this.#source.id(row)) ?? this.#source.guess(row)
  }
}
