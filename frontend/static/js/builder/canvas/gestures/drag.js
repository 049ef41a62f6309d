// @ts-check
// One gesture for all that can be dragged: palette items, chips and cards, one or several. Escape
// always leaves.
import { el } from '../../../core/dom.js'
import { isSame } from '../../../core/pointer.js'
import { titleOf } from '../../document/catalogue.js'
import { outermost } from '../../document/selection.js'
import { drop, isOrdered } from './drop.js'
import { insertionAt, hideInsertion, showInsertion } from './insertion-marker.js'
import { FreeDrag } from './free-drag.js'
import { swallowClick } from './swallow-click.js'
import { DropTargets } from './drop-targets.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {import('../../document/catalogue.js').Component} Component
 * @typedef {import('../canvas.js').Canvas} Canvas
 * @typedef {import('./drop-targets.js').Load} Load
 */

const START_PX = 5
/** Nearer to the rim than this, the world moves along. */
const AUTO_PAN_MARGIN_PX = 36
const AUTO_PAN_SPEED_PX = 14

/**
 * @param {HTMLElement} root
 * @param {Editor} editor
 * @param {Canvas} canvas
 * @param {(element: HTMLElement) => Component | undefined} fromPalette
 * @param {AbortSignal} signal
 */
export function bindDrag(root, editor, canvas, fromPalette, signal) {
  root.addEventListener(
    'pointerdown',
    (down) => {
      const source =
        down.target instanceof Element ? down.target.closest('[data-drag], [data-offer]') : null
      if (
        !(source instanceof HTMLElement) ||
        down.button !== 0 ||
        (down.target instanceof Element && down.target.closest('[data-open], .slot-add'))
      )
        return
      const load = loadOf(editor, canvas, source, fromPalette)
      if (load) watch(down, source, load)
    },
    { signal },
  )

  /**
   * Nothing happens until the pointer has moved a little.
   * @param {PointerEvent} down
   * @param {HTMLElement} source
   * @param {Load} load
   */
  function watch(down, source, load) {
    const stop = new AbortController()
    const options = { signal: AbortSignal.any([stop.signal, signal]) }
    addEventListener(
      'pointermove',
      (event) => {
        if (Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < START_PX)
          return
        if (
          down.pointerType === 'touch' &&
          load.parts[0]?.from === null &&
          Math.abs(event.clientY - down.clientY) > Math.abs(event.clientX - down.clientX)
        )
          return stop.abort()
        stop.abort()
        new DragSession(root, editor, canvas, source, load, down, signal).begin(event)
      },
      options,
    )
    addEventListener('pointerup', () => stop.abort(), options)
    addEventListener('pointercancel', () => stop.abort(), options)
  }
}

/**
 * What is dragged with a source: all that is selected when it is part of that, else it alone.
 * @param {Editor} editor
 * @param {Canvas} canvas
 * @param {HTMLElement} source
 * @param {(element: HTMLElement) => Component | undefined} fromPalette
 * @returns {Load | null}
 */
function loadOf(editor, canvas, source, fromPalette) {
  const from = source.dataset['drag'] ?? null
  const component = from === null ? fromPalette(source) : editor.at(from)
  if (!component) return null
  const isCard = (/** @type {string | null} */ pointer) =>
    pointer !== null && canvas.cardOf(pointer) === pointer
  const others =
    from !== null && editor.selected.includes(from)
      ? outermost([...editor.selected]).filter(
          (each) => each !== from && isCard(each) === isCard(from),
        )
      : []
  const parts = [
    { component, from },
    ...others.flatMap((each) => {
      const other = editor.at(each)
      return other && each !== '' ? [{ component: other, from: each }] : []
    }),
  ]
  return { parts, areCards: isCard(from) }
}

/** One drag, from the first move to the drop. What follows the pointer is drawn once per frame. */
class DragSession {
  #stop = new AbortController()
  #frame = 0
  /** @type {HTMLElement | null} */
  #over = null
  /** @type {PointerEvent | undefined} */
  #last
  /** @type {FreeDrag | undefined} */
  #lift
  /** @type {HTMLElement[]} */
  #sources = []
  #hasTakers

  /**
   * @param {HTMLElement} root
   * @param {Editor} editor
   * @param {Canvas} canvas
   * @param {HTMLElement} source
   * @param {Load} load
   * @param {PointerEvent} down
   * @param {AbortSignal} signal
   */
  constructor(root, editor, canvas, source, load, down, signal) {
    this.editor = editor
    this.canvas = canvas
    this.source = source
    this.load = load
    this.signal = AbortSignal.any([this.#stop.signal, signal])
    const first = load.parts[0]?.component
    this.reason = el('span', { class: 'ghost-reason', hidden: true })
    this.ghost = el(
      'div',
      { class: 'ghost', 'data-kind': first ? editor.catalogue.kindOf(first) : 'other' },
      el(
        'span',
        {},
        load.parts.length > 1 ? `${load.parts.length} parts` : first ? titleOf(first) : '',
      ),
      this.reason,
    )
    this.targets = new DropTargets(root, canvas, editor, load)
    this.#hasTakers = this.targets.hasTakers
    if (load.areCards && canvas.isFree)
      this.#lift = new FreeDrag(
        canvas,
        load.parts.map((part) => part.from ?? ''),
        canvas.viewport.toWorld(down.clientX, down.clientY),
      )
  }

  /** @param {PointerEvent} event */
  begin(event) {
    document.body.append(this.ghost)
    this.ghost.hidden = this.#lift !== undefined
    this.#sources = this.#draggedNodes()
    for (const node of this.#sources) node.dataset['dragging'] = ''
    document.documentElement.dataset['dragging'] = ''
    const options = { signal: this.signal }
    addEventListener('pointermove', (move) => this.#follow(move), options)
    addEventListener('pointercancel', () => this.#end(false), options)
    this.canvas.addEventListener(
      'shown',
      (shown) => this.targets.add(/** @type {CustomEvent} */ (shown).detail),
      options,
    )
    // What is dragged was found in another document: undone, or changed by somebody else.
    this.editor.addEventListener('doc', () => this.#end(false), options)
    addEventListener(
      'keydown',
      (key) => {
        if (key.key !== 'Escape') return
        key.stopPropagation()
        this.#end(false)
      },
      { ...options, capture: true },
    )
    addEventListener('pointerup', (up) => this.#drop(up), options)
    this.#follow(event)
  }

  /** @returns {HTMLElement[]} */
  #draggedNodes() {
    const froms = new Set(this.load.parts.map((part) => part.from))
    if (froms.size < 2) return [this.source]
    return /** @type {HTMLElement[]} */ ([
      ...this.canvas.frame.querySelectorAll('[data-drag]'),
    ]).filter((node) => froms.has(node.dataset['drag'] ?? ''))
  }

  /** @param {PointerEvent} event */
  #follow(event) {
    this.#last = event
    this.#frame ||= requestAnimationFrame(() => this.#draw())
  }

  #draw() {
    this.#frame = 0
    const event = this.#last
    if (!event) return
    this.ghost.style.transform = `translate(${event.clientX + 12}px, ${event.clientY + 10}px)`
    this.#pointAt(this.#targetAt(event))
    const at = this.canvas.viewport.toWorld(event.clientX, event.clientY)
    this.#lift?.to(at, event.altKey)
    if (isOrdered(this.canvas, this.editor, this.load)) this.#showGap(at)
    if (this.load.parts[0]?.from !== null) this.#moveWorld(event)
  }

  /** @param {PointerEvent} event */
  #targetAt({ clientX, clientY }) {
    if (!this.#lift || this.#hasTakers) return this.targets.at(clientX, clientY)
    const { origin, size } = this.canvas.viewport
    const isOver =
      clientX >= origin.left &&
      clientY >= origin.top &&
      clientX <= origin.left + size.width &&
      clientY <= origin.top + size.height
    return isOver ? this.canvas.frame : this.targets.at(clientX, clientY)
  }

  /** @param {HTMLElement | null} target */
  #pointAt(target) {
    if (target === this.#over) return
    this.#over?.removeAttribute('data-over')
    this.#over = target
    // A card that only finds another place on the ground needs no mark around the whole team.
    if (!this.#lift || target !== this.canvas.frame) target?.setAttribute('data-over', '')
    const text = this.#lift ? '' : this.targets.whyNot(target)
    if (this.reason.textContent !== text) this.reason.textContent = text
    this.reason.hidden = text === ''
  }

  /** @param {import('../layout/geometry.js').Point} at */
  #showGap(at) {
    const { canvas } = this
    const over = this.#over
    const gap = insertionAt(canvas.boxes, at)
    const own =
      canvas.scene?.cards.flatMap((card, index) =>
        this.load.parts.some((part) => part.from === card.pointer) ? [index] : [],
      ) ?? []
    const stays =
      own.length > 0 &&
      isSame(
        own,
        own.map((_each, nth) => (own[0] ?? 0) + nth),
      ) &&
      gap >= (own[0] ?? 0) &&
      gap <= (own.at(-1) ?? 0) + 1
    showInsertion(
      canvas,
      gap,
      !stays && (over === canvas.frame || (over !== null && over.dataset['fit'] !== 'yes')),
    )
  }

  /** @param {PointerEvent} event */
  #moveWorld(event) {
    const { viewport } = this.canvas
    const [x, y] = [event.clientX - viewport.origin.left, event.clientY - viewport.origin.top]
    if (x < 0 || y < 0 || x > viewport.size.width || y > viewport.size.height) return
    const dx =
      x < AUTO_PAN_MARGIN_PX
        ? AUTO_PAN_SPEED_PX
        : x > viewport.size.width - AUTO_PAN_MARGIN_PX
          ? -AUTO_PAN_SPEED_PX
          : 0
    const dy =
      y < AUTO_PAN_MARGIN_PX
        ? AUTO_PAN_SPEED_PX
        : y > viewport.size.height - AUTO_PAN_MARGIN_PX
          ? -AUTO_PAN_SPEED_PX
          : 0
    if (dx === 0 && dy === 0) return
    viewport.moveTo(viewport.x + dx, viewport.y + dy)
    this.#follow(event)
  }

  /** @param {PointerEvent} event */
  #drop(event) {
    this.#last = event
    cancelAnimationFrame(this.#frame) // or it would draw once more, after the end
    this.#draw()
    const [target, lift] = [this.#over, this.#lift]
    const isTaken =
      target !== null && target !== this.canvas.frame && this.targets.fits(target) === 'yes'
    const isOnCanvas = target !== null && this.canvas.root.contains(target)
    this.#end(isOnCanvas && !isTaken)
    swallowClick()
    if (target)
      drop({
        editor: this.editor,
        canvas: this.canvas,
        load: this.load,
        event,
        target,
        isTaken,
        places: lift?.places() ?? [],
      })
  }

  /** @param {boolean} isKept */
  #end(isKept) {
    this.#stop.abort()
    cancelAnimationFrame(this.#frame)
    this.#lift?.end(isKept)
    this.ghost.remove()
    this.#over?.removeAttribute('data-over')
    hideInsertion(this.canvas)
    for (const node of this.#sources) delete node.dataset['dragging']
    delete document.documentElement.dataset['dragging']
    this.targets.clear()
  }
}
