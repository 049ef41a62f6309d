// @ts-check
// The lines that a team is drawn with, and the marks on its cards, as plain data.
import { join } from '../../../core/pointer.js'
import { edgesFrom, groupsByTarget, startsOf } from '../../document/graph.js'
import { handoffsIn, labelOf, targetOf } from '../../document/handoffs.js'

/**
 * @typedef {import('./scene.js').CardView} CardView
 * @typedef {import('./scene.js').Flow} Flow
 * @typedef {import('../../document/catalogue.js').Component} Component
 * @typedef {{ from: number, to: number, label: string, pointer: string, kind: 'next' | 'loop' |
 *   'ask' | 'handoff' | 'graph' }} EdgeView
 * -1 is the hub; `pointer` names the part of the document that it stands for, "" when it follows
 *   from the kind of team
 * @typedef {{ card: number, kind: 'start' | 'waits' | 'leaves', text: string, title: string,
 *   pointer: string, group: string }} Mark
 *   `waits`: for how many of a group of edges; `leaves`: a handoff to somebody which is not in this team
 */

/**
 * @param {Flow} flow
 * @param {Component} team
 * @param {string} pointer
 * @param {CardView[]} cards
 * @returns {EdgeView[]}
 */
export function edgesOf(flow, team, pointer, cards) {
  if (flow === 'hub')
    return cards.map((_card, index) => ({
      from: -1,
      to: index,
      label: '',
      pointer: '',
      kind: 'ask',
    }))
  if (flow === 'graph') return graphEdges(team.config['graph'], pointer, cards)
  if (flow === 'handoffs') return handoffEdges(cards)
  if (cards.length < 2) return []
  return cards.map((_card, index) =>
    index + 1 < cards.length
      ? { from: index, to: index + 1, label: '', pointer: '', kind: 'next' }
      : { from: index, to: 0, label: 'next round', pointer: '', kind: 'loop' },
  )
}

/**
 * @param {CardView[]} cards
 * @returns {Map<string, number>}
 */
function places(cards) {
  return new Map(cards.map((card, index) => [card.name, index]))
}

/**
 * @param {import('../../document/graph.js').Graph} graph
 * @param {string} pointer
 * @param {CardView[]} cards
 * @returns {EdgeView[]}
 */
function graphEdges(graph, pointer, cards) {
  const byName = places(cards)
  return cards.flatMap((card, from) =>
    edgesFrom(graph, card.name).flatMap((edge, index) => {
      const to = byName.get(edge.target)
      const place = join(pointer, 'config', 'graph', 'nodes', card.name, 'edges', index)
      return to === undefined
        ? []
        : [
            {
              from,
              to,
              label: conditionLabel(edge),
              pointer: place,
              kind: /** @type {const} */ ('graph'),
            },
          ]
    }),
  )
}

/** @param {import('../../document/graph.js').Edge} edge */
function conditionLabel(edge) {
  const said =
    typeof edge.condition === 'string' && edge.condition !== '' ? `“${edge.condition}”` : ''
  const held = typeof edge['context_condition'] === 'string' ? edge['context_condition'] : ''
  return [said, held, edge['otherwise'] && 'otherwise'].filter(Boolean).join(' and ')
}

/**
 * @param {CardView[]} cards
 * @returns {EdgeView[]}
 */
function handoffEdges(cards) {
  const byName = places(cards)
  return cards.flatMap((card, from) =>
    handoffsIn(card.component.config).flatMap((handoff, index) => {
      const to = byName.get(targetOf(handoff))
      return to === undefined
        ? []
        : [
            {
              from,
              to,
              label: labelOf(handoff),
              pointer: join(card.pointer, 'config', 'handoffs', index),
              kind: /** @type {const} */ ('handoff'),
            },
          ]
    }),
  )
}

/**
 * @param {Flow} flow
 * @param {Component} team
 * @param {string} pointer
 * @param {CardView[]} cards
 * @returns {Mark[]}
 */
export function marksOf(flow, team, pointer, cards) {
  if (flow === 'graph') {
    const starts = new Set(startsOf(team.config['graph']))
    const groups = groupsByTarget(team.config['graph'])
    return cards.flatMap((card, index) =>
      graphMarks(
        team.config['graph'],
        pointer,
        card,
        index,
        starts.has(card.name),
        groups.get(card.name) ?? [],
      ),
    )
  }
  if (flow !== 'handoffs') return []
  const start = cards
    .slice(0, 1)
    .map((card) => startMark(0, card.pointer, `${card.name} speaks first`))
  return [...start, ...cards.flatMap((card, index) => leavingMarks(card, index, places(cards)))]
}

/**
 * @param {number} card
 * @param {string} pointer
 * @param {string} title
 * @returns {Mark}
 */
function startMark(card, pointer, title) {
  return { card, kind: 'start', text: 'Start', title, pointer, group: '' }
}

/**
 * @param {import('../../document/graph.js').Graph} graph
 * @param {string} pointer
 * @param {CardView} card
 * @param {number} index
 * @param {boolean} isStart
 * @param {import('../../document/graph.js').Group[]} groups
 * @returns {Mark[]}
 */
function graphMarks(graph, pointer, card, index, isStart, groups) {
  const node = join(pointer, 'config', 'graph', 'nodes', card.name)
  const why = graph.default_start_node
    ? 'The graph starts here'
    : 'The graph starts here: no edge leads to it'
  const waits = groups.filter((each) => each.sources.length > 1)
  return [
    ...(isStart ? [startMark(index, node, why)] : []),
    ...waits.map(({ group, activation, sources }) => ({
      card: index,
      kind: /** @type {const} */ ('waits'),
      text: `${activation} of ${sources.length}`,
      pointer: node,
      group,
      title: `Waits for ${activation} of ${sources.join(', ')}. Press to wait for ${activation === 'all' ? 'any' : 'all'}.`,
    })),
  ]
}

/**
 * Handoffs to somebody outside, such as the user.
 * @param {CardView} card
 * @param {number} index
 * @param {Map<string, number>} members
 * @returns {Mark[]}
 */
function leavingMarks(card, index, members) {
  return handoffsIn(card.component.config).flatMap((handoff, nth) => {
    const target = targetOf(handoff)
    if (target === '' || members.has(target)) return []
    return [
      {
        card: index,
        kind: /** @type {const} */ ('leaves'),
        text: target,
        title: `May hand off to ${target}, which is not in this team`,
        pointer: join(card.pointer, 'config', 'handoffs', nth),
        group: '',
      },
    ]
  })
}
