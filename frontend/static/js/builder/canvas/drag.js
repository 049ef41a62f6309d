// @ts-check
// One gesture for all that can be dragged: palette items, chips and cards. Escape always leaves.
import { el } from '../../core/dom.js'
import { isWithin, parent } from '../../core/pointer.js'
import { move, place } from '../actions.js'
import { titleOf } from '../document/catalogue.js'
import { addComponent, pin, reorder } from '../document/commands.js'
import { placesAround, placesFor, placesIn, refusal, slotAt } from '../document/places.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../document/catalogue.js').Component} Component
 * @typedef {import('./canvas.js').Canvas} Canvas
 * @typedef {{ component: Component, from: string | null }} Load  `from`: where it stands in the team, null when it is new
 */

const START_PX = 5

/**
 * @param {HTMLElement} root @param {Editor} editor @param {Canvas} canvas
 * @param {(element: HTMLElement) => Component | undefined} fromPalette
 * @param {AbortSignal} signal
 */
export function dragging(root, editor, canvas, fromPalette, signal) {
  root.addEventListener('pointerdown', (down) => {
    const source = down.target instanceof Element ? down.target.closest('[data-drag], [data-offer]') : null
    if (!(source instanceof HTMLElement) || down.button !== 0 || (down.target instanceof Element && down.target.closest('[data-open], .slot-add'))) return
    const from = source.dataset['drag'] ?? null
    const component = from === null ? fromPalette(source) : editor.at(from)
    if (component) watch(down, source, { component, from })
  }, { signal })

  /** Nothing happens until the pointer has moved a little. @param {PointerEvent} down @param {HTMLElement} source @param {Load} load */
  function watch(down, source, load) {
    const stop = new AbortController()
    const options = { signal: AbortSignal.any([stop.signal, signal]) }
    addEventListener('pointermove', (event) => {
      if (Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < START_PX) return
      if (down.pointerType === 'touch' && load.from === null && Math.abs(event.clientY - down.clientY) > Math.abs(event.clientX - down.clientX)) return stop.abort()
      stop.abort()
      carry(event, source, load)
    }, options)
    addEventListener('pointerup', () => stop.abort(), options)
    addEventListener('pointercancel', () => stop.abort(), options)
  }

  /** @param {PointerEvent} start @param {HTMLElement} source @param {Load} load */
  function carry(start, source, load) {
    const stop = new AbortController()
    const options = { signal: AbortSignal.any([stop.signal, signal]) }
    const reason = el('span', { class: 'ghost-reason', hidden: true })
    const ghost = el('div', { class: 'ghost', 'data-kind': editor.catalogue.kindOf(load.component) }, el('span', {}, titleOf(load.component)), reason)
    document.body.append(ghost)
    const marked = markTargets(load)
    source.dataset['dragging'] = ''
    document.documentElement.dataset['dragging'] = ''
    /** @type {HTMLElement | null} */
    let over = null
    const follow = (/** @type {PointerEvent} */ event) => {
      ghost.style.transform = `translate(${event.clientX + 12}px, ${event.clientY + 10}px)`
      const target = targetAt(event)
      if (target !== over) {
        over?.removeAttribute('data-over')
        over = target
        over?.setAttribute('data-over', '')
        const text = over?.dataset['fit'] === 'no' ? refusal(editor.catalogue, editor.root, load.component, pointerOf(over)) : ''
        reason.textContent = text
        reason.hidden = text === ''
      }
      if (isOrdered(load)) showGap(event, load.from, over !== null && over.dataset['fit'] !== 'yes' || over === canvas.frame)
    }
    const end = () => {
      stop.abort()
      ghost.remove()
      over?.removeAttribute('data-over')
      canvas.frame.querySelector('.gap')?.remove()
      delete source.dataset['dragging']
      delete document.documentElement.dataset['dragging']
      for (const element of marked) element.removeAttribute('data-fit')
    }
    addEventListener('pointermove', follow, options)
    addEventListener('pointercancel', end, options)
    addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      end()
    }, { ...options, capture: true })
    addEventListener('pointerup', (event) => {
      const target = targetAt(event)
      end()
      swallowClick()
      drop(event, load, target)
    }, options)
    follow(start)
  }

  /** @param {Load} load @returns {HTMLElement[]} all that may be a target, marked with how well it fits */
  function markTargets(load) {
    const targets = /** @type {HTMLElement[]} */ ([...root.querySelectorAll('[data-drop], .node[data-component], .frame[data-component], .tree-row[data-component]')])
    for (const target of targets) target.dataset['fit'] = fits(load, target)
    return targets
  }

  /** "yes" takes it itself, "around" lets what is around it take it. @param {Load} load @param {HTMLElement} target @returns {'yes' | 'around' | 'no'} */
  function fits({ component, from }, target) {
    const { catalogue, root: team } = editor
    const pointer = pointerOf(target)
    if (from !== null && isWithin(pointer, from)) return 'around'
    const slot = slotAt(catalogue, team, pointer)
    if (slot || target.dataset['drop'] !== undefined) return slot && catalogue.accepts(slot, component) ? 'yes' : 'no'
    if (placesIn(catalogue, team, component, pointer).length > 0) return 'yes'
    return placesAround(catalogue, team, component, pointer).length > 0 ? 'around' : 'no'
  }

  /** @param {PointerEvent} event @returns {HTMLElement | null} the innermost slot, else card, else frame */
  function targetAt(event) {
    const under = document.elementFromPoint(event.clientX, event.clientY)
    const slot = under?.closest('[data-drop]')
    if (slot instanceof HTMLElement && slot.dataset['fit'] === 'yes') return slot
    const holder = under?.closest('.node[data-fit], .tree-row[data-fit]')
    if (holder instanceof HTMLElement) return holder
    const frame = slot ?? under?.closest('.frame') ?? (under && canvas.root.contains(under) ? canvas.frame : null)
    return frame instanceof HTMLElement ? frame : null
  }

  /** @param {PointerEvent} event @param {Load} load @param {HTMLElement | null} target */
  function drop(event, load, target) {
    if (!target) return
    const pointer = pointerOf(target)
    const isOnCanvas = canvas.root.contains(target)
    const isTaken = fits(load, target) === 'yes' && target !== canvas.frame
    if (isOnCanvas && !isTaken && isOrdered(load)) return settle(event, load)
    if (load.from === null) return void place(editor, load.component, pointer, { x: event.clientX, y: event.clientY })
    const own = placesFor(editor.catalogue, editor.root, load.component, pointer)[0]
    if (own && isTaken && own.slot !== parent(load.from) && own.slot !== load.from) return move(editor, load.from, pointer)
    if (isOnCanvas) settle(event, load)
  }

  /** A card takes a place in the order, or on the canvas. @param {PointerEvent} event @param {Load} load */
  function settle(event, { component, from }) {
    const index = canvas.scene?.cards.findIndex((card) => card.pointer === from) ?? -1
    const box = canvas.boxes[index]
    if (!canvas.scene) return
    if (isOrdered({ component, from })) {
      const gap = gapAt(event)
      if (from === null) editor.run(addComponent(canvas.scene.memberSlot, true, structuredClone(component), gap))
      else editor.run(reorder(from, gap > index ? gap - 1 : gap))
    } else if (box) {
      const at = canvas.viewport.toWorld(event.clientX, event.clientY)
      const inset = canvas.inset ?? { x: 0, y: 0 }
      editor.run(pin(canvas.scene.cards[index]?.name ?? '', { x: Math.round(at.x - inset.x - box.width / 2), y: Math.round(at.y - inset.y - 20) }))
    }
  }

  /** Whether it is a member of a team whose members stand in order, or would become one. @param {Load} load */
  function isOrdered({ component, from }) {
    if (canvas.scene?.flow !== 'order' || canvas.boxes.length === 0) return false
    return from === null ? ['agent', 'team'].includes(editor.catalogue.kindOf(component)) : canvas.scene.cards.some((card) => card.pointer === from)
  }

  /** Before which card a drop would go. @param {PointerEvent} event @returns {number} */
  function gapAt(event) {
    const at = canvas.viewport.toWorld(event.clientX, event.clientY)
    const row = canvas.boxes.filter((box) => at.y < box.y + box.height + 26)
    const top = row.length > 0 ? Math.max(...row.filter((box) => box.y - 26 <= at.y || box === row[0]).map((box) => box.y)) : Math.max(...canvas.boxes.map((box) => box.y))
    const before = canvas.boxes.findIndex((box) => box.y === top && at.x < box.x + box.width / 2)
    return before >= 0 ? before : canvas.boxes.findLastIndex((box) => box.y === top) + 1
  }

  /** @param {PointerEvent} event @param {string | null} from @param {boolean} isMeant */
  function showGap(event, from, isMeant) {
    const gap = canvas.frame.querySelector('.gap') ?? canvas.frame.appendChild(el('div', { class: 'gap' }))
    const index = gapAt(event)
    const [box, isAfter] = [canvas.boxes[index] ?? canvas.boxes[index - 1], canvas.boxes[index] === undefined]
    const own = canvas.scene?.cards.findIndex((card) => card.pointer === from) ?? -1
    if (!(gap instanceof HTMLElement) || !box) return
    gap.hidden = !isMeant || (own >= 0 && (index === own || index === own + 1))
    gap.style.transform = `translate(${isAfter ? box.x + box.width + 12 : box.x - 14}px, ${box.y}px)`
    gap.style.height = `${box.height}px`
  }
}

/** @param {HTMLElement} target */
function pointerOf(target) {
  return target.dataset['drop'] ?? target.dataset['component'] ?? ''
}

/** The click that a browser sends after a drag means nothing. */
function swallowClick() {
  const stop = new AbortController()
  addEventListener('click', (event) => event.stopPropagation(), { capture: true, signal: stop.signal })
  setTimeout(() => stop.abort())
}
