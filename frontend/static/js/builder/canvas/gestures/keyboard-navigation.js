// @ts-check
// Moving on the canvas with the arrow keys. One stop of the Tab key; from there to cards, their
// parts, the sentence and the title, and along the edges.
import { announce, on } from '../../../core/dom.js'
import { connectionText } from '../../document/parts.js'
import { neighbour } from '../layout/geometry.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {import('../canvas.js').Canvas} Canvas
 * @typedef {'left' | 'right' | 'up' | 'down'} Direction
 * @typedef {HTMLElement | SVGElement} Stop
 */

const STOP =
  '.node, .node-mark, .frame-name, .chip[data-component], .sentence-joint, [data-fill], [data-open]'
const EDGE = '.edge[data-component]'

/** Alone they ask for nothing. */
const MODIFIERS = new Set(['Control', 'Shift', 'Alt', 'Meta'])

export class KeyboardNavigation {
  #wanted = ''
  #comesBack = false

  /**
   * @param {Canvas} canvas
   * @param {Editor} editor
   * @param {AbortSignal} signal
   */
  constructor(canvas, editor, signal) {
    this.canvas = canvas
    this.editor = editor
    canvas.root.setAttribute('data-keeps-focus', '')
    on(
      canvas.root,
      'focusin',
      STOP,
      (_event, stop) => {
        this.#mark(stop)
        if (stop.matches(':focus-visible')) this.#show(stop)
      },
      signal,
    )
    canvas.root.addEventListener(
      'focus:lost',
      (event) => {
        event.preventDefault()
        this.#comeBack(/** @type {CustomEvent} */ (event).detail.node)
      },
      { signal },
    )
    canvas.root.addEventListener('keydown', (event) => this.#takeFocused(event), {
      capture: true,
      signal,
    })
    editor.addEventListener('select', () => this.#follow(), { signal })
    editor.addEventListener(
      'doc',
      (event) => this.#goAlong(/** @type {CustomEvent} */ (event).detail),
      { signal },
    )
    canvas.addEventListener('drawn', () => this.#drawn(), { signal })
  }

  /**
   * Bring the focus to a component, as soon as it is drawn.
   * @param {string} [pointer]
   * @returns {boolean} false when the canvas is not to be seen
   */
  focus(pointer = this.editor.selection) {
    if (!this.canvas.root.checkVisibility()) return false
    this.#wanted = pointer
    requestAnimationFrame(() => this.#drawn())
    return true
  }

  /**
   * One step with an arrow key.
   * @param {Direction} direction
   */
  step(direction) {
    const here = document.activeElement?.closest(`${STOP}, ${EDGE}`)
    const from =
      isStop(here) && this.canvas.frame.contains(here) ? here : this.#stopOf(this.editor.selection)
    const next = from ? this.#next(from, direction) : this.#stops(this.canvas.frame)[0]
    if (next) this.#goTo(next)
  }

  /**
   * @param {Stop} from
   * @param {Direction} direction
   * @returns {HTMLElement | undefined}
   */
  #next(from, direction) {
    if (!(from instanceof HTMLElement)) return this.#endOf(from, direction)
    const card = from.closest('.node')
    if (this.canvas.head.contains(from)) return this.#fromHead(from, direction)
    if (!(card instanceof HTMLElement))
      return direction === 'up'
        ? (this.canvas.reach(0) ?? this.#stops(this.canvas.head)[0])
        : undefined
    const inner = this.#stops(card)
    if (from !== card) return this.#inCard(card, inner, from, direction)
    return direction === 'down' && inner[0] ? inner[0] : this.#beside(card, direction)
  }

  /**
   * From an edge to the card that it leaves, or to the one that it leads to.
   * @param {SVGElement} edge
   * @param {Direction} direction
   */
  #endOf(edge, direction) {
    const card = Number(edge.dataset[direction === 'left' || direction === 'up' ? 'from' : 'to'])
    return this.canvas.reach(card + (this.canvas.hub ? 1 : 0))
  }

  /**
   * @param {HTMLElement} from
   * @param {Direction} direction
   */
  #fromHead(from, direction) {
    const stops = this.#stops(this.canvas.head)
    if (direction === 'down')
      return (
        this.canvas.reach(0) ??
        this.#stops(this.canvas.frame).find((each) => !this.canvas.head.contains(each))
      )
    if (direction === 'up') return stops[0]
    return stops[stops.indexOf(from) + (direction === 'right' ? 1 : -1)]
  }

  /**
   * @param {HTMLElement} card
   * @param {HTMLElement[]} inner
   * @param {HTMLElement} from
   * @param {Direction} direction
   */
  #inCard(card, inner, from, direction) {
    const top = (/** @type {HTMLElement} */ each) => Math.round(each.getBoundingClientRect().top)
    const at = inner.indexOf(from)
    const row = inner.filter((each) => Math.abs(top(each) - top(from)) < 6)
    if (direction === 'left' || direction === 'right')
      return (
        row[row.indexOf(from) + (direction === 'right' ? 1 : -1)] ?? this.#beside(card, direction)
      )
    if (direction === 'down')
      return (
        inner.slice(at).find((each) => top(each) > top(from) + 5) ?? this.#beside(card, direction)
      )
    const above = inner.slice(0, at).filter((each) => top(each) < top(from) - 5)
    return (
      above.find(
        (each) => Math.abs(top(each) - top(/** @type {HTMLElement} */ (above.at(-1)))) < 6,
      ) ?? card
    )
  }

  /**
   * The card on that side; above the first ones is the title.
   * @param {HTMLElement} card
   * @param {Direction} direction
   */
  #beside(card, direction) {
    const { canvas } = this
    const next = neighbour(canvas.standing, canvas.placeOf(card), direction)
    if (next < 0 && direction === 'up') return this.#stops(canvas.head)[0]
    if (next < 0 && direction === 'down')
      return this.#stops(canvas.frame).find((each) => each.classList.contains('frame-empty'))
    return canvas.reach(next)
  }

  /** @param {HTMLElement} stop */
  #goTo(stop) {
    const pointer =
      stop.dataset['component'] ?? stop.closest('.node')?.getAttribute('data-component')
    if (pointer !== undefined && pointer !== null) this.editor.select(pointer)
    const box = this.#boxOf(stop)
    if (box) this.canvas.viewport.reveal(box)
    else if (this.canvas.head.contains(stop))
      this.canvas.viewport.reveal({
        x: 0,
        y: 0,
        width: this.canvas.content.width,
        height: this.canvas.head.offsetHeight,
      })
    focusOn(stop)
  }

  /**
   * Who comes to a card with Tab sees it, wherever the view has gone.
   * @param {Stop} stop
   */
  #show(stop) {
    const box = this.#boxOf(stop)
    if (box) this.canvas.viewport.reveal(box)
  }

  /** @param {Stop} stop */
  #bring(stop) {
    const box = this.#boxOf(stop)
    if (box) this.canvas.viewport.bring(box)
  }

  /** @param {Stop} stop */
  #boxOf(stop) {
    const card = stop.closest('.node')
    return card ? this.canvas.standing[this.canvas.placeOf(card)] : undefined
  }

  /**
   * What stands where the lost element was: the same thing drawn anew, else the selection.
   * @param {Stop} gone
   */
  #comeBack(gone) {
    const { component, fill, open } = gone.dataset
    const [name, value] =
      fill !== undefined
        ? ['data-fill', fill]
        : open !== undefined
          ? ['data-open', open]
          : ['data-component', component]
    const same =
      value === undefined || (value !== this.editor.selection && name === 'data-component')
        ? null
        : this.canvas.frame.querySelector(`[${name}="${CSS.escape(value)}"]:is(${STOP}, ${EDGE})`)
    const stop = isStop(same) ? same : this.#stopOf(this.editor.selection)
    focusOn(stop ?? this.canvas.root)
  }

  /**
   * Keys are about the card or chip that has the focus, however it came there.
   * @param {KeyboardEvent} event
   */
  #takeFocused(event) {
    const { editor } = this
    if (MODIFIERS.has(event.key)) return
    const pointer =
      event.target instanceof Element
        ? event.target.closest(STOP)?.getAttribute('data-component')
        : null
    if (
      typeof pointer === 'string' &&
      editor.selected.length === 1 &&
      pointer !== editor.selection &&
      editor.at(editor.selection)
    )
      editor.select(pointer)
  }

  /** Who is on the canvas stays with the selection. */
  #follow() {
    const { editor, canvas } = this
    const stop = this.#stopOf(editor.selection)
    if (!editor.at(editor.selection) && !stop?.matches(EDGE)) return this.#tellConnection()
    this.#mark(stop)
    const here = document.activeElement
    const isElsewhere =
      isStop(here) && canvas.frame.contains(here) && here.dataset['component'] !== editor.selection
    if (isElsewhere && editor.selected.length === 1 && stop) focusOn(stop)
  }

  /**
   * What was added or moved from the canvas has the focus next, and what an undo brings back.
   * @param {{ how: string, select?: unknown }} change
   */
  #goAlong({ how, select }) {
    const { editor, canvas } = this
    const here = document.activeElement
    if ((how === 'run' && !select) || editor.selected.length > 1 || !editor.at(editor.selection))
      return
    if (!(here instanceof HTMLElement) || !(canvas.frame.contains(here) || here === canvas.root))
      return
    if (how === 'run') this.#wanted = editor.selection
    else if (here.closest(STOP)?.getAttribute('data-component') !== editor.selection)
      this.#comesBack = true
  }

  /**
   * What is not drawn as something of its own, such as the node of a card: it is said what is
   * selected.
   */
  #tellConnection() {
    if (this.canvas.root.contains(document.activeElement))
      announce(connectionText(this.editor.root, this.editor.selection))
  }

  #drawn() {
    const wanted = this.#wanted
    const stop = this.#stopOf(wanted || this.editor.selection)
    this.#mark(stop)
    const comesBack = this.#comesBack
    this.#comesBack = false
    if (comesBack && wanted === '' && stop) {
      this.#show(stop)
      focusOn(stop)
    }
    if (wanted === '' || !stop) return
    this.#wanted = ''
    this.#bring(stop)
    focusOn(stop)
  }

  /**
   * The one stop that Tab leads to.
   * @param {Stop | undefined} stop
   */
  #mark(stop) {
    if (!stop) return
    for (const each of this.canvas.frame.querySelectorAll('[tabindex="0"]'))
      each.setAttribute('tabindex', '-1')
    stop.setAttribute('tabindex', '0')
  }

  /**
   * Where a component is to be seen: its own stop, else that of what holds it.
   * @param {string} pointer
   * @returns {Stop | undefined}
   */
  #stopOf(pointer) {
    const { canvas } = this
    const own = canvas.frame.querySelector(
      `[data-component="${CSS.escape(pointer)}"]:is(${STOP}, ${EDGE})`,
    )
    const card = canvas.frame.querySelector(`[data-card="${CSS.escape(canvas.cardOf(pointer))}"]`)
    const found = own ?? card ?? canvas.head.querySelector('.frame-name')
    return isStop(found) ? found : undefined
  }

  /**
   * @param {ParentNode} root
   * @returns {HTMLElement[]}
   */
  #stops(root) {
    return /** @type {HTMLElement[]} */ ([...root.querySelectorAll(STOP)]).filter((each) =>
      each.checkVisibility(),
    )
  }
}

/**
 * @param {unknown} node
 * @returns {node is Stop}
 */
function isStop(node) {
  return node instanceof HTMLElement || node instanceof SVGElement
}

/** @param {Stop} stop */
function focusOn(stop) {
  stop.focus({ preventScroll: true })
}
