// @ts-check
// Where cards stand, and which of them are selected.
import { aligned, distributed, GRID_PX } from '../canvas/layout/align.js'
import { pinCards } from '../canvas/gestures/drop.js'
import { neighbour } from '../canvas/layout/geometry.js'
import { pinsIn, tidy } from '../document/pins.js'

/**
 * As long as cards take to their new places, and a little longer; how they move is said in
 * selecting.css.
 */
const SETTLE_MS = 600

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../canvas/canvas.js').Canvas} Canvas
 * @typedef {import('../canvas/layout/align.js').Edge} Edge
 * @typedef {import('../../core/actions.js').Action} Action
 */

const IN_ORDER = 'The agents of this team are ordered: drag a card to reorder them.'
/** @type {[Edge, string, string][]} */
const EDGES = [
  ['left', 'Align left', 'align-start-vertical'],
  ['centre', 'Align centers', 'align-center-vertical'],
  ['right', 'Align right', 'align-end-vertical'],
  ['top', 'Align tops', 'align-start-horizontal'],
  ['middle', 'Align middles', 'align-center-horizontal'],
  ['bottom', 'Align bottoms', 'align-end-horizontal'],
]
/** @type {['left' | 'right' | 'up' | 'down', number, number][]} */
const WAYS = [
  ['left', -1, 0],
  ['right', 1, 0],
  ['up', 0, -1],
  ['down', 0, 1],
]

/**
 * @param {Editor} editor
 * @param {Canvas} canvas
 * @returns {Action[]}
 */
export function arrangeActions(editor, canvas) {
  const several = (/** @type {number} */ least) => () => {
    if (!canvas.isFree) return IN_ORDER
    return canvas.selectedCards().length >= least
      ? true
      : `Select ${least === 2 ? 'two' : 'three'} cards or more.`
  }
  const one = () =>
    !canvas.isFree ? IN_ORDER : canvas.selectedCards().length > 0 ? true : 'Select a card.'
  const isMoved = () =>
    canvas.isUntidy || Object.keys(pinsIn(editor.doc, editor.view)).length > 0
      ? true
      : 'Every card is in its automatic position.'
  /** @type {Omit<Action, 'group' | 'scope'>[]} */
  const list = [
    {
      id: 'select-all',
      label: 'Select all participants',
      icon: 'circle-check',
      keys: ['mod+a'],
      run: () => editor.selectAll((canvas.scene?.cards ?? []).map((card) => card.pointer)),
    },
    ...WAYS.map(([way]) => ({
      id: `select-${way}`,
      label: `Add the card ${beside(way)} to the selection`,
      icon: `chevron-${way}`,
      keys: [`shift+arrow${way}`],
      run: () => extend(editor, canvas, way),
    })),
    ...WAYS.map(([way, x, y]) => ({
      id: `nudge-${way}`,
      label: `Move the card${way === 'up' || way === 'down' ? '' : ' to the'} ${way}`,
      icon: 'move',
      keys: [`mod+alt+arrow${way}`],
      when: one,
      run: () => nudge(editor, canvas, x, y),
    })),
    ...EDGES.map(([edge, label, icon]) => ({
      id: `align-${edge}`,
      label,
      icon,
      when: several(2),
      run: () => align(editor, canvas, edge, label),
    })),
    {
      id: 'distribute-x',
      label: 'Distribute horizontally',
      icon: 'align-horizontal-distribute-center',
      when: several(3),
      run: () => distribute(editor, canvas, 'x'),
    },
    {
      id: 'distribute-y',
      label: 'Distribute vertically',
      icon: 'align-vertical-distribute-center',
      when: several(3),
      run: () => distribute(editor, canvas, 'y'),
    },
    {
      id: 'tidy',
      label: 'Tidy up',
      icon: 'layout-grid',
      keys: ['shift+t'],
      when: isMoved,
      run: () => tidyUp(editor, canvas),
    },
    {
      id: 'fit-selection',
      label: 'Zoom to the selection',
      icon: 'scan',
      keys: ['z'],
      run: () => canvas.fitSelection(),
    },
  ]
  return list.map((each) => ({
    needs: /select/.test(each.id) ? 'viewer' : 'editor',
    ...each,
    group: 'Arrange',
    scope: 'canvas',
  }))
}

/**
 * @param {Editor} editor
 * @param {Canvas} canvas
 */
function tidyUp(editor, canvas) {
  canvas.root.setAttribute('data-animating', '')
  setTimeout(() => canvas.root.removeAttribute('data-animating'), SETTLE_MS)
  if (Object.keys(pinsIn(editor.doc, editor.view)).length > 0) editor.run(tidy(editor.view))
  canvas.tidy()
}

/** @param {'left' | 'right' | 'up' | 'down'} way */
function beside(way) {
  return { left: 'on the left', right: 'on the right', up: 'above', down: 'below' }[way]
}

/** @param {Canvas} canvas */
function selected(canvas) {
  return canvas.selectedCards().flatMap((index) => {
    const box = canvas.boxes[index]
    return box ? [{ index, box }] : []
  })
}

/**
 * @param {Editor} editor
 * @param {Canvas} canvas
 * @param {Edge} edge
 * @param {string} label
 */
function align(editor, canvas, edge, label) {
  const cards = selected(canvas)
  const places = aligned(
    cards.map(({ box }) => box),
    edge,
  )
  pinCards(
    editor,
    canvas,
    cards.map(({ index, box }, nth) => ({ index, at: places[nth] ?? box })),
    label,
  )
}

/**
 * @param {Editor} editor
 * @param {Canvas} canvas
 * @param {'x' | 'y'} axis
 */
function distribute(editor, canvas, axis) {
  const cards = selected(canvas)
  const places = distributed(
    cards.map(({ box }) => box),
    axis,
  )
  pinCards(
    editor,
    canvas,
    cards.map(({ index, box }, nth) => ({ index, at: places[nth] ?? box })),
    `Distribute ${cards.length} cards`,
  )
}

/**
 * A run of such moves is one step.
 * @param {Editor} editor
 * @param {Canvas} canvas
 * @param {number} x
 * @param {number} y
 */
function nudge(editor, canvas, x, y) {
  const cards = selected(canvas)
  const [first] = cards
  if (!first) return
  pinCards(
    editor,
    canvas,
    cards.map(({ index, box }) => ({
      index,
      at: { x: box.x + x * GRID_PX, y: box.y + y * GRID_PX },
    })),
    undefined,
    `nudge ${editor.selected.join(' ')}`,
  )
}

/**
 * @param {Editor} editor
 * @param {Canvas} canvas
 * @param {'left' | 'right' | 'up' | 'down'} way
 */
function extend(editor, canvas, way) {
  const cards = canvas.scene?.cards ?? []
  const next = neighbour(
    canvas.boxes,
    cards.findIndex((card) => card.pointer === canvas.cardOf(editor.selection)),
    way,
  )
  const [card, box] = [cards[next], canvas.boxes[next]]
  if (!card || !box) return
  const here = editor.selection
  // Going back over what is selected takes back the last step.
  if (editor.selected.includes(card.pointer))
    editor.selectAll([
      ...editor.selected.filter((each) => each !== here && each !== card.pointer),
      card.pointer,
    ])
  else editor.select(card.pointer, { add: true })
  canvas.viewport.reveal(box)
}
