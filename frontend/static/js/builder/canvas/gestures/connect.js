// @ts-check
// Drawing an edge: from the port of a card to another card, to open ground, or by one of the ends
// of an edge that is there.
import { el, svg } from '../../../core/dom.js'
import { explainDisabled } from '../../../core/keyboard.js'
import { connect, connectNew, turn, turnStart, connectRefusal } from '../../document/connections.js'
import { endsOf } from '../../document/parts.js'
import { notifyChanged } from '../../actions.js'
import { pickComponent } from '../../panels/component-picker.js'
import { swallowClick } from './swallow-click.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {import('../canvas.js').Canvas} Canvas
 * @typedef {import('../layout/geometry.js').Point} Point
 * @typedef {{ at: Point, from: number, edge: string, end: 'from' | 'to' }} Draft  `edge` is what is
 *   being turned, `from` the card that stays
 */

const START_PX = 4

/**
 * Whether the members of the team in view are connected by hand.
 * @param {Canvas} canvas
 */
export function isConnectable(canvas) {
  return canvas.scene?.flow === 'graph' || canvas.scene?.flow === 'handoffs'
}

/**
 * @param {Canvas} canvas
 * @param {Editor} editor
 * @param {(card: string) => void} ask  what a press without a drag does
 * @param {AbortSignal} signal
 */
export function bindConnect(canvas, editor, ask, signal) {
  const port = el('button', {
    type: 'button',
    class: 'node-port',
    'data-port': true,
    tabindex: '-1',
  })
  const showPort = (/** @type {Event} */ event) => {
    const card = event.target instanceof Element ? event.target.closest('.node[data-card]') : null
    if (!(card instanceof HTMLElement) || !isConnectable(canvas) || port.parentNode === card) return
    const name =
      canvas.scene?.cards.find((each) => each.pointer === card.dataset['card'])?.name ?? ''
    port.setAttribute('aria-label', `Connect ${name} to…`)
    port.title = 'Drag to connect'
    card.append(port)
  }
  for (const type of ['pointerover', 'focusin'])
    canvas.root.addEventListener(type, showPort, { signal })
  canvas.root.addEventListener(
    'pointerdown',
    (down) => {
      const target =
        down.target instanceof Element ? down.target.closest('[data-port], .edge-end') : null
      const draft = target && down.button === 0 ? draftFrom(target) : undefined
      if (!draft) return
      down.stopPropagation()
      down.preventDefault()
      draw(down, draft)
    },
    { signal, capture: true },
  )

  /**
   * @param {Element} target
   * @returns {Draft | undefined}
   */
  function draftFrom(target) {
    if (target.matches('[data-port]')) {
      const pointer = target.closest('.node')?.getAttribute('data-card')
      const from = canvas.scene?.cards.findIndex((card) => card.pointer === pointer) ?? -1
      const box = canvas.boxes[from]
      const isDownwards = canvas.edges.hasAttribute('data-downwards')
      const at = box && {
        x: box.x + box.width / (isDownwards ? 2 : 1),
        y: box.y + box.height / (isDownwards ? 1 : 2),
      }
      return at && { at, from, edge: '', end: 'to' }
    }
    const edge = target.closest('.edge')
    const end = target.getAttribute('data-end') === 'from' ? 'from' : 'to'
    const other = edge?.querySelector(`[data-end=${end === 'from' ? 'to' : 'from'}]`)
    if (!edge || !other) return undefined
    const at = { x: Number(other.getAttribute('cx')), y: Number(other.getAttribute('cy')) }
    return {
      at,
      from: Number(edge.getAttribute(end === 'from' ? 'data-to' : 'data-from')),
      edge: edge.getAttribute('data-component') ?? '',
      end,
    }
  }

  /**
   * @param {PointerEvent} down
   * @param {Draft} draft
   */
  function draw(down, draft) {
    const stop = new AbortController()
    const options = { signal: AbortSignal.any([stop.signal, signal]) }
    const line = svg('path', { class: 'edge-draft' })
    const reason = el(
      'div',
      { class: 'ghost', hidden: true },
      el('span', { class: 'ghost-reason' }),
    )
    let hasMoved = false
    /** @type {HTMLElement | null} */
    let over = null
    const follow = (/** @type {PointerEvent} */ event) => {
      if (
        !hasMoved &&
        Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < START_PX
      )
        return
      if (!hasMoved) begin()
      hasMoved = true
      const card = cardAt(event)
      if (card !== over) {
        over?.removeAttribute('data-over')
        card?.setAttribute('data-over', '')
        over = card
        const text = card ? refusal(draft, card) : ''
        reason.firstElementChild?.replaceChildren(text)
        reason.hidden = text === ''
      }
      reason.style.transform = `translate(${event.clientX + 12}px, ${event.clientY + 10}px)`
      line.setAttribute(
        'd',
        draftPath(
          draft,
          canvas.viewport.toWorld(event.clientX, event.clientY),
          canvas.edges.hasAttribute('data-downwards'),
        ),
      )
    }
    const begin = () => {
      canvas.edges.append(line)
      document.body.append(reason)
      document.documentElement.dataset['connecting'] = ''
      for (const node of cards()) node.dataset['fit'] = refusal(draft, node) === '' ? 'yes' : 'no'
    }
    const end = () => {
      stop.abort()
      line.remove()
      reason.remove()
      over?.removeAttribute('data-over')
      delete document.documentElement.dataset['connecting']
      for (const node of cards()) node.removeAttribute('data-fit')
    }
    addEventListener('pointermove', follow, options)
    addEventListener('pointercancel', end, options)
    editor.addEventListener('doc', end, options) // its cards may be others now
    addEventListener(
      'keydown',
      (event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        end()
      },
      { ...options, capture: true },
    )
    addEventListener(
      'pointerup',
      (event) => {
        const card = cardAt(event)
        end()
        swallowClick()
        canvas.root.focus({ preventScroll: true })
        if (!hasMoved)
          return draft.edge ? undefined : ask(canvas.scene?.cards[draft.from]?.pointer ?? '')
        if (card) drop(draft, card)
        else if (draft.edge === '' && isGround(event)) void dropOnGround(draft)
      },
      options,
    )
  }

  /** @returns {NodeListOf<HTMLElement>} */
  function cards() {
    return canvas.nodes.querySelectorAll('.node[data-card]')
  }

  /**
   * @param {PointerEvent} event
   * @returns {HTMLElement | null}
   */
  function cardAt(event) {
    const card = document
      .elementFromPoint(event.clientX, event.clientY)
      ?.closest('.node[data-card]')
    return card instanceof HTMLElement && canvas.root.contains(card) ? card : null
  }

  /** @param {PointerEvent} event */
  function isGround(event) {
    const under = document.elementFromPoint(event.clientX, event.clientY)
    return under !== null && canvas.root.contains(under)
  }

  /** @param {HTMLElement} card */
  function memberOf(card) {
    return canvas.scene?.cards.find((each) => each.pointer === card.dataset['card'])
  }

  /**
   * @param {Draft} draft
   * @param {HTMLElement} card
   */
  function refusal(draft, card) {
    const [kept, other] = [canvas.scene?.cards[draft.from], memberOf(card)]
    if (!kept || !other) return ''
    const [from, to] = draft.end === 'to' ? [kept, other] : [other, kept]
    return connectRefusal(
      editor.catalogue,
      editor.root,
      editor.view,
      from.pointer,
      to.name,
      draft.edge,
    )
  }

  /**
   * @param {Draft} draft
   * @param {HTMLElement} card
   */
  function drop(draft, card) {
    const [kept, other, reason] = [
      canvas.scene?.cards[draft.from],
      memberOf(card),
      refusal(draft, card),
    ]
    if (reason !== '') return explainDisabled(reason)
    if (!kept || !other) return
    if (draft.edge === '') editor.run(connect(editor.view, kept.pointer, other.name))
    else if (draft.end === 'to') editor.run(turn(draft.edge, other.name))
    else if (endsOf(editor.root, draft.edge)?.from !== other.name)
      editor.run(turnStart(draft.edge, other.pointer))
  }

  /** @param {Draft} draft */
  async function dropOnGround(draft) {
    const from = canvas.scene?.cards[draft.from]
    if (from) await connectToNew(editor, canvas, from.pointer)
  }
}

/**
 * Ask for a new member and lead to it.
 * @param {Editor} editor
 * @param {Canvas} canvas
 * @param {string} from
 */
export async function connectToNew(editor, canvas, from) {
  const { scene } = canvas
  const slot =
    scene &&
    editor.catalogue.slotsOf(scene.team).find((each) => scene.memberSlot.endsWith(`/${each.field}`))
  const fits = (/** @type {import('../../document/catalogue.js').Component} */ each) =>
    slot ? editor.catalogue.accepts(slot, each) : editor.catalogue.isParticipant(each)
  const places = [scene?.pointer ?? '', from, scene?.memberSlot ?? ''].map((each) =>
    editor.keepPlace(each),
  )
  const component = await pickComponent(
    editor,
    fits,
    `Connect ${editor.titleAt(from)} to a new agent`,
  )
  const [team, member, members] = places.map((placeOf) => placeOf())
  if (!component || !scene) return
  if (team === undefined || member === undefined || members === undefined) return notifyChanged()
  editor.run(connectNew(team, member, members, structuredClone(component)))
}

/**
 * @param {Draft} draft
 * @param {Point} to
 * @param {boolean} isDownwards
 */
function draftPath({ at, end }, to, isDownwards) {
  const [a, b] = end === 'to' ? [at, to] : [to, at]
  const along = Math.max(30, Math.abs(isDownwards ? b.y - a.y : b.x - a.x) / 2)
  const [dx, dy] = isDownwards ? [0, along] : [along, 0]
  return `M${a.x} ${a.y}C${a.x + dx} ${a.y + dy} ${b.x - dx} ${b.y - dy} ${b.x} ${b.y}`
}
