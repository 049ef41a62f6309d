// @ts-check
/** @import {Batch, Body} from '../types.js' */
/** @import {FlowEdge, FlowNode} from './flow-counts.js' */
/** @import {Placed} from './flow-layout.js' */
/** @import {ColourBook} from './participants.js' */
/** @import {Selection} from '../log/selection.js' */
import { el, on, svg } from '../../core/dom.js'
import { flowChosen } from './flow-chosen.js'
import { FlowCounts } from './flow-counts.js'
import { layout, pathThrough } from './flow-layout.js'
import {
  NODE_HEIGHT_PX,
  arrowHeads,
  edgeShape,
  flowName,
  middleOf,
  nodeShape,
  showCount,
  showFrames,
  widthOf,
} from './flow-shapes.js'
import { tokens } from '../format.js'
import { nestingText } from '../log/nested-runs.js'

/** More dots at once would be noise, and work in every frame. */
const DOTS = 16
const TRAVEL_MS = 700

/**
 * @typedef {object} FlowOptions
 * @property {HTMLElement} stage  the SVG goes here
 * @property {HTMLElement} table  the same as rows, for those who do not see the picture
 * @property {HTMLElement} chosen  what is selected, in words
 * @property {HTMLElement} design  the choice between design and what happened
 * @property {Body} component
 * @property {ColourBook} colours
 * @property {Selection} selection
 * @property {import('../log/active-work.js').ActiveWork} work  who works now
 * @property {(seq: number) => number} itemOf  the entry that the conversation shows an entry by
 */

/** Who talks to whom: agents as nodes, messages as counted edges. */
export class Flow {
  #counts
  #options
  #drawing
  #shape = -1
  /** @type {Map<string, SVGGElement>} by node name and by edge key */
  #nodes = new Map()
  /** @type {Map<string, SVGGElement>} */
  #edges = new Map()
  #chosen

  /**
   * @param {FlowOptions} options
   * @param {AbortSignal} signal
   */
  constructor(options, signal) {
    this.#options = options
    this.#counts = new FlowCounts(options.component)
    this.#drawing = svg(
      'svg',
      { class: 'flow', role: 'group', 'aria-label': 'Message flow' },
      arrowHeads(),
    )
    options.stage.replaceChildren(this.#drawing)
    this.#chosen = flowChosen(
      options.chosen,
      this.#counts,
      options.selection,
      (seq) => this.#spoken(seq),
      signal,
    )
    this.#drawing.addEventListener('click', (event) => this.#choose(event), { signal })
    this.#drawing.addEventListener(
      'keydown',
      (event) => event.key === 'Enter' && this.#choose(event),
      { signal },
    )
    options.table.addEventListener('click', (event) => this.#choose(event), { signal })
    options.selection.subscribe(
      (seq) => this.#mark(seq === null ? null : this.#spoken(seq)),
      signal,
    )
    on(
      options.design,
      'change',
      'input',
      (event) => {
        options.stage.dataset.shows = event.target.value
      },
      signal,
    )
    const chosenDesign = options.design.querySelector('input:checked')
    options.stage.dataset.shows =
      chosenDesign instanceof HTMLInputElement ? chosenDesign.value : 'both'
    const resized = new ResizeObserver(() => this.#arrange(true))
    resized.observe(options.stage)
    signal.addEventListener('abort', () => resized.disconnect())
  }

  /** @param {Batch} batch */
  apply(batch) {
    const travelled = this.#counts.apply(batch)
    if (!batch.live) return
    this.draw(travelled)
  }

  /** @param {FlowEdge[]} [travelled] edges to light up */
  async draw(travelled = []) {
    this.#options.design.hidden = !this.#counts.isDesigned
    this.#chosen.show()
    for (const node of this.#counts.nodes.values()) this.#showNode(node)
    for (const edge of this.#counts.edges.values()) this.#showEdge(edge)
    await this.#arrange(false)
    for (const edge of travelled.slice(-DOTS)) this.#lightUp(edge)
    this.#showTable()
  }

  /** @param {boolean} isForced */
  async #arrange(isForced) {
    const { stage } = this.#options
    if ((!isForced && this.#shape === this.#counts.shape) || stage.clientWidth === 0) return
    this.#shape = this.#counts.shape
    const boxes = [...this.#counts.nodes.values()].map((node) => ({
      id: node.name,
      width: widthOf(node.name),
      height: NODE_HEIGHT_PX,
      inside: node.inside,
    }))
    const placed = await layout(boxes, [...this.#counts.edges.values()], {
      width: stage.clientWidth,
      height: stage.clientHeight,
    })
    this.#place(placed)
  }

  /** @param {Placed} placed */
  #place(placed) {
    const { width, height } = placed
    this.#drawing.setAttribute('viewBox', `0 0 ${width} ${height}`)
    this.#drawing.style.maxInlineSize = `${Math.round(width * 1.1)}px`
    for (const [key, points] of placed.edges) {
      const group = this.#edgeGroup(key)
      const line = pathThrough(points)
      for (const path of group.querySelectorAll('path')) path.setAttribute('d', line)
      const label = middleOf(line)
      for (const part of group.querySelectorAll('text, rect'))
        part.setAttribute('transform', `translate(${label.x} ${label.y})`)
    }
    showFrames(this.#drawing, placed.frames)
    for (const [name, { x, y }] of placed.nodes)
      this.#nodeGroup(name).style.transform = `translate(${x}px, ${y}px)`
    requestAnimationFrame(() => {
      this.#drawing.dataset.placed = ''
    }) // from now on they move there
  }

  /** @param {string} name */
  #nodeGroup(name) {
    let group = this.#nodes.get(name)
    if (group) return group
    group = nodeShape(name, this.#options.colours.hueOf(name))
    this.#nodes.set(name, group)
    this.#drawing.append(group)
    return group
  }

  /** @param {string} key */
  #edgeGroup(key) {
    let group = this.#edges.get(key)
    if (group) return group
    group = edgeShape(key)
    this.#edges.set(key, group)
    this.#drawing.insertBefore(group, this.#drawing.querySelector('.flow-node'))
    return group
  }

  /** @param {FlowNode} node */
  #showNode(node) {
    const group = this.#nodeGroup(node.name)
    group.dataset.state =
      node.name === this.#counts.speaker || this.#options.work.has(node.name)
        ? 'speaking'
        : node.messages === 0
          ? 'silent'
          : 'heard'
    group.setAttribute(
      'aria-description',
      `${node.inside.length > 0 ? `inside ${nestingText(node.inside)}, ` : ''}${node.messages} messages, ${tokens(node.tokens)} tokens`,
    )
    showCount(group, node.messages)
  }

  /** @param {FlowEdge} edge */
  #showEdge(edge) {
    const group = this.#edgeGroup(edge.key)
    const count = edge.seqs.length
    group.dataset.state = count === 0 ? 'planned' : 'used'
    group.toggleAttribute('data-planned', edge.isPlanned)
    group.toggleAttribute('data-unplanned', this.#counts.isUnplanned(edge))
    group.setAttribute(
      'aria-label',
      `${flowName(edge.from)} to ${flowName(edge.to)}, ${edgeText(edge, this.#counts.isUnplanned(edge))}`,
    )
    group.style.setProperty('--edge-width', `${Math.min(1.4 + Math.log2(count + 1) * 0.35, 4)}px`)
    showCount(group, count)
  }

  /** @param {FlowEdge} edge */
  #lightUp(edge) {
    const group = this.#edgeGroup(edge.key)
    const line = /** @type {SVGPathElement} */ (group.querySelector('.flow-line'))
    line.animate(
      [{ stroke: 'var(--color-accent)' }, { stroke: 'var(--color-accent)', offset: 0.6 }, {}],
      { duration: TRAVEL_MS * 2 },
    )
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches || document.hidden
    if (isCalm || this.#drawing.querySelectorAll('.flow-traveller').length >= DOTS) return
    const dot = svg('circle', { class: 'flow-traveller', r: 4.5 })
    dot.style.offsetPath = `path("${line.getAttribute('d')}")`
    this.#drawing.append(dot)
    dot
      .animate([{ offsetDistance: '0%' }, { offsetDistance: '100%' }], {
        duration: TRAVEL_MS,
        easing: 'ease-in-out',
      })
      .finished.finally(() => dot.remove())
  }

  #showTable() {
    const isFocused = this.#options.table.contains(document.activeElement)
    if (isFocused) return // its rows stay until somebody has gone on
    const rows = [...this.#counts.edges.values()]
    this.#options.table.replaceChildren(
      ...rows.map((edge) =>
        el(
          'tr',
          {},
          el(
            'td',
            {},
            el(
              'button',
              { type: 'button', class: 'link-button', 'data-key': edge.key },
              flowName(edge.from),
            ),
          ),
          el('td', {}, flowName(edge.to)),
          el('td', { class: 'numeric' }, edge.seqs.length),
          el('td', {}, edge.isPlanned ? 'yes' : this.#counts.isUnplanned(edge) ? 'no' : ''),
        ),
      ),
    )
  }

  /** @param {Event} event */
  #choose(event) {
    const target = /** @type {HTMLElement | SVGElement | null} */ (
      /** @type {Element} */ (event.target).closest('[data-key], [data-name]')
    )
    const node = this.#counts.nodes.get(target?.dataset.name ?? '')
    const edge = this.#counts.edges.get(target?.dataset.key ?? '')
    const seq = node?.lastSeq || edge?.seqs.at(-1)
    if (seq && this.#options.selection.seq !== seq) this.#options.selection.select(seq, 'flow')
    else if (!seq) this.#options.selection.select(null, 'flow')
    this.#mark(seq ?? null, { node, edge })
    this.#chosen.choose(node ?? edge)
  }

  /**
   * What somebody said or did of which an entry tells.
   * @param {number} seq
   */
  #spoken(seq) {
    return this.#counts.sourceOf(seq) ? seq : this.#options.itemOf(seq)
  }

  /**
   * @param {number | null} seq
   * @param {{node?: FlowNode | undefined, edge?: FlowEdge | undefined}} [pressed]  what has no
   *   message yet can be chosen too
   */
  #mark(seq, pressed = {}) {
    const edge =
      pressed.edge ?? (seq === null || pressed.node ? undefined : this.#counts.edgeOf(seq))
    const sender =
      pressed.node?.name ??
      (pressed.edge ? '' : (edge?.from ?? (seq === null ? '' : this.#counts.sourceOf(seq))))
    for (const [key, group] of this.#edges)
      group.toggleAttribute('data-selected', key === edge?.key)
    for (const [name, group] of this.#nodes) group.toggleAttribute('data-selected', name === sender)
  }
}

/**
 * @param {FlowEdge} edge
 * @param {boolean} isUnplanned
 */
function edgeText({ seqs, isPlanned }, isUnplanned) {
  const count =
    seqs.length === 0
      ? 'no message'
      : `${seqs.length} ${seqs.length === 1 ? 'message' : 'messages'}`
  return [count, isPlanned && 'designed', isUnplanned && 'not in the design']
    .filter(Boolean)
    .join(', ')
}
