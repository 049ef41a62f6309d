// @ts-check
// What the canvas tells about the structure besides lines: marks on cards, and which edge is
// selected or has a problem.
import { el, icon } from '../../../core/dom.js'
import { isWithin } from '../../../core/pointer.js'
import { chooseOperator } from '../../actions/conditions.js'
import { waitFor } from '../../document/connections.js'
import { existingPart } from '../../document/parts.js'
import { placeHandles } from '../links/edges.js'
import { warningsOf } from '../../document/findings.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {import('../canvas.js').Canvas} Canvas
 * @typedef {import('./edge-paths.js').Mark} Mark
 */

/**
 * @param {Canvas} canvas
 * @param {Editor} editor
 * @param {AbortSignal} signal
 */
export function structure(canvas, editor, signal) {
  canvas.addEventListener(
    'drawn',
    () => {
      drawMarks(canvas)
      markEdges()
      markFindings()
    },
    { signal },
  )
  canvas.addEventListener(
    'shown',
    () => {
      drawMarks(canvas)
      markFindings()
    },
    { signal },
  )
  editor.addEventListener('select', markEdges, { signal })
  editor.addEventListener('report', markFindings, { signal })
  canvas.root.addEventListener(
    'click',
    (event) => {
      const target = event.target instanceof Element ? event.target : null
      const toggle = target?.closest('[data-wait]')
      if (toggle instanceof HTMLElement) {
        event.stopPropagation()
        const { name = '', group = '', wait } = toggle.dataset
        editor.run(waitFor(editor.view, name, group, wait === 'all' ? 'any' : 'all'))
        return
      }
      const joint = target?.closest('[data-joint]')
      if (joint instanceof HTMLElement)
        void chooseOperator(editor, joint.dataset['joint'] ?? '', {
          x: event.clientX,
          y: event.clientY,
        })
      const edge = target?.closest('.edge[data-component]')
      if (edge) editor.select(edge.getAttribute('data-component') ?? '', { add: event.shiftKey })
    },
    { signal, capture: true },
  )

  /** Selected edges lie above the others, with handles at their ends. */
  function markEdges() {
    const selected = new Set(editor.selected)
    for (const edge of canvas.edges.querySelectorAll('.edge[data-component]')) {
      const isSelected = selected.has(edge.getAttribute('data-component') ?? '')
      if (edge.hasAttribute('data-selected') === isSelected) continue
      edge.toggleAttribute('data-selected', isSelected)
      if (!isSelected) continue
      canvas.edges.append(edge)
      placeHandles(edge)
    }
  }

  function markFindings() {
    if (canvas.edges.querySelector('.edge[data-component]') === null) return
    const warnings = warningsOf(editor.report, editor.doc)
    for (const edge of canvas.edges.querySelectorAll('.edge[data-component]')) {
      const pointer = edge.getAttribute('data-component') ?? ''
      const own = (/** @type {import('../../../core/api.js').Finding} */ each) =>
        isWithin(each.where, pointer)
      const tone = editor.report.errors.some(own) ? 'error' : warnings.some(own) ? 'warning' : ''
      if (tone) edge.setAttribute('data-tone', tone)
      else edge.removeAttribute('data-tone')
    }
    for (const mark of canvas.nodes.querySelectorAll('.node-warning')) mark.remove()
    if (canvas.scene?.flow !== 'graph') return
    const byName = findingsByNode()
    if (byName.size === 0) return
    canvas.scene.cards.forEach((card, index) => {
      const messages = byName.get(card.name)
      if (messages)
        canvas
          .nodeAt(index)
          ?.append(
            el(
              'span',
              { class: 'node-warning', title: messages.join('\n') },
              icon('triangle-alert'),
            ),
          )
    })
  }

  /**
   * What the server says of nodes of the graph in view, by their names.
   * @returns {Map<string, string[]>}
   */
  function findingsByNode() {
    /** @type {Map<string, string[]>} */
    const found = new Map()
    for (const { where, message } of editor.report.warnings) {
      const part = existingPart(editor.root, where)
      if (part?.kind === 'node' && part.team === editor.view)
        found.set(part.from, [...(found.get(part.from) ?? []), message])
    }
    return found
  }
}

/** @param {Canvas} canvas */
function drawMarks(canvas) {
  const { scene } = canvas
  /** @type {Map<number, Mark[]>} */
  const byCard = new Map()
  for (const mark of scene?.marks ?? [])
    byCard.set(mark.card, [...(byCard.get(mark.card) ?? []), mark])
  scene?.cards.forEach((card, index) => {
    const node = canvas.nodeAt(index)
    const marks = byCard.get(index) ?? []
    const before = node?.querySelector('.node-marks')
    if (!node || (!before && marks.length === 0)) return
    const key = JSON.stringify(marks)
    if (before?.getAttribute('data-key') === key) return
    before?.remove()
    node.toggleAttribute('data-marked', marks.length > 0)
    if (marks.length === 0) return node.removeAttribute('aria-description')
    node.append(
      el(
        'div',
        { class: 'node-marks', 'data-key': key },
        ...marks.map((mark) => drawMark(mark, card.name)),
      ),
    )
    node.setAttribute('aria-description', marks.map((mark) => mark.title).join('. '))
  })
}

/**
 * @param {Mark} mark
 * @param {string} name
 */
function drawMark(mark, name) {
  const look = {
    type: 'button',
    class: 'node-mark',
    'data-mark': mark.kind,
    title: mark.title,
    tabindex: '-1',
  }
  if (mark.kind === 'waits')
    return el(
      'button',
      {
        ...look,
        'data-wait': mark.text.split(' ')[0],
        'data-group': mark.group,
        'data-name': name,
        'aria-label': mark.title,
      },
      mark.text,
    )
  return el(
    'button',
    { ...look, 'data-component': mark.pointer, 'aria-label': mark.title },
    mark.kind === 'leaves' ? icon('arrow-right') : icon('play'),
    mark.text,
  )
}
