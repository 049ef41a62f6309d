// @ts-check
// Below each card, while a run is shown beside the canvas: what the agent does, and what it said
// last.
import { el, icon } from '../../../core/dom.js'
import { participantsOf } from '../../../playground/flow/participants.js'

/**
 * @typedef {import('../../../playground/log/agent-states.js').AgentStates} AgentStates
 * @typedef {import('../../../playground/log/agent-states.js').AgentState} AgentState
 * @typedef {import('./scene.js').CardView} CardView
 */

/** @type {Record<AgentState['state'], { glyph: string, word: string }>} */
const LOOKS = {
  working: { glyph: 'loader-circle', word: 'Working' },
  waiting: { glyph: 'circle-help', word: 'Waiting for you' },
  failed: { glyph: 'circle-alert', word: 'Failed' },
  latest: { glyph: 'message-square', word: 'Spoke last' },
  earlier: { glyph: 'message-square', word: 'Spoke earlier' },
}

export class RunMarks {
  /** @type {AgentStates | null} */
  #states = null
  #canvas

  /**
   * @param {import('../canvas.js').Canvas} canvas
   * @param {AbortSignal} signal
   */
  constructor(canvas, signal) {
    this.#canvas = canvas
    for (const type of ['drawn', 'shown'])
      canvas.addEventListener(type, () => this.#draw(), { signal })
  }

  /** @param {AgentStates | null} states  null: no run is shown */
  show(states) {
    this.#states = states
    this.#draw()
  }

  /**
   * Of the card that a part is in.
   * @param {string} pointer
   * @returns {AgentState | null}
   */
  at(pointer) {
    const place = this.#canvas.cardOf(pointer)
    const card = this.#canvas.scene?.cards.find((each) => each.pointer === place)
    return card ? this.#stateOf(card) : null
  }

  /**
   * What it gave last in the run that is shown.
   * @param {'agent' | 'tool'} kind
   * @param {string} name
   */
  outputOf(kind, name) {
    return this.#states?.outputOf(kind, name)
  }

  /** @param {CardView} card */
  #stateOf(card) {
    return (
      this.#states?.stateOf([
        card.name,
        ...participantsOf(card.component).map(({ name }) => name),
      ]) ?? null
    )
  }

  #draw() {
    this.#canvas.scene?.cards.forEach((card, index) => {
      const node = this.#canvas.nodeAt(index)
      if (node) mark(node, this.#stateOf(card))
    })
  }
}

/**
 * @param {HTMLElement} node  a card
 * @param {AgentState | null} state
 */
function mark(node, state) {
  const before = node.querySelector('.node-run')
  const key = state ? JSON.stringify(state) : ''
  if ((before?.getAttribute('data-key') ?? '') === key) return
  before?.remove()
  node.toggleAttribute('data-run-state', state !== null)
  if (!state) return
  const { glyph, word } = LOOKS[state.state]
  const isText = state.text !== '' && !['working', 'waiting'].includes(state.state)
  node.append(
    el(
      'button',
      {
        type: 'button',
        class: 'node-run',
        tabindex: '-1',
        'data-key': key,
        'data-state': state.state,
        'data-run-seq': state.seq,
        title: [word, state.text].filter(Boolean).join(': '),
        'aria-label': [word, state.text].filter(Boolean).join(': '),
      },
      icon(glyph),
      el('span', { class: 'truncate' }, isText && state.state !== 'failed' ? state.text : word),
    ),
  )
}
