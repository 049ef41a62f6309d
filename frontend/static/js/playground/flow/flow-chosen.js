// @ts-check
/** @import {FlowCounts, FlowEdge, FlowNode} from './flow-counts.js' */
/** @import {Selection} from '../log/selection.js' */
import { el, icon, on } from '../../core/dom.js'
import { flowName } from './flow-shapes.js'
import { tokens } from '../format.js'
import { nestingText } from '../log/nested-runs.js'

/**
 * What is selected in the flow, in words, with a way through its messages.
 * @param {HTMLElement} root
 * @param {FlowCounts} counts
 * @param {Selection} selection
 * @param {(seq: number) => number} spoken
 * @param {AbortSignal} signal
 */
export function flowChosen(root, counts, selection, spoken, signal) {
  /** @type {FlowNode | FlowEdge | undefined} */
  let chosen

  function show() {
    root.hidden = !chosen
    if (!chosen) return
    root.replaceChildren(...('key' in chosen ? edgeParts(chosen) : nodeParts(chosen)))
  }

  /** @param {FlowNode} node */
  function nodeParts({ name, messages, tokens: used, isPlanned, inside }) {
    const said =
      messages === 0
        ? 'never selected in this run'
        : `${messages.toLocaleString('en')} ${messages === 1 ? 'message' : 'messages'}, ${tokens(used)} tokens`
    return [
      el('strong', {}, flowName(name)),
      el(
        'span',
        { class: 'muted grow' },
        inside.length > 0
          ? `inside ${nestingText(inside)}, ${said}`
          : isPlanned || name === 'user'
            ? said
            : `${said}, not in the design`,
      ),
    ]
  }

  /** @param {FlowEdge} edge */
  function edgeParts(edge) {
    const { from, to, seqs } = edge
    const here = selection.seq === null ? -1 : seqs.indexOf(spoken(selection.seq))
    const count =
      seqs.length === 0
        ? 'in the design, never used'
        : `${here >= 0 ? `${here + 1} of ` : ''}${seqs.length.toLocaleString('en')}${counts.isUnplanned(edge) ? ', not in the design' : ''}`
    const step = (
      /** @type {number} */ place,
      /** @type {string} */ label,
      /** @type {string} */ glyph,
    ) =>
      el(
        'button',
        {
          type: 'button',
          class: 'button quiet small icon-only',
          'data-step': seqs[place] ?? '',
          'aria-label': label,
          title: label,
          disabled: seqs[place] === undefined,
        },
        icon(glyph),
      )
    return [
      el('strong', {}, flowName(from)),
      icon('arrow-right'),
      el('strong', {}, flowName(to)),
      el('span', { class: 'muted numeric grow' }, count),
      ...(seqs.length > 0
        ? [
            step(here - 1, 'Previous message', 'chevron-left'),
            step(here + 1, 'Next message', 'chevron-right'),
          ]
        : []),
    ]
  }

  on(
    root,
    'click',
    '[data-step]',
    (_, button) => {
      const way = button.ariaLabel
      selection.select(Number(button.dataset.step), 'flow-step')
      const same = [...root.querySelectorAll('button')].find(
        (one) => one.ariaLabel === way && !one.disabled,
      )
      ;(same ?? root.querySelector('button:not(:disabled)'))?.focus()
    },
    signal,
  )
  selection.subscribe((seq, by) => {
    if (by === 'flow') return
    const said = seq === null ? 0 : spoken(seq)
    chosen = counts.edgeOf(said) ?? counts.nodes.get(counts.sourceOf(said))
    show()
  }, signal)
  show()

  return {
    show,
    /** @param {FlowNode | FlowEdge | undefined} one */
    choose(one) {
      chosen = one
      show()
    },
  }
}
