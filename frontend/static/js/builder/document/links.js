// @ts-check
// What leads from one agent of a team to another, told of agents that were copied: handoffs by
// name, and edges of a graph.
import { get, join, set } from '../../core/pointer.js'
import { addNode, edgesFrom, isGraph, withEdge } from './graph.js'
import { redirectedTo, targetOf } from './handoffs.js'

/**
 * @typedef {import('./catalogue.js').Component} Component
 * @typedef {import('./graph.js').Edge} Edge
 * @typedef {Edge & { from: string }} Link
 */

/**
 * The edges that lead from these agents.
 * @param {Component} team
 * @param {string[]} names
 * @returns {Link[]}
 */
export function linksFrom(team, names) {
  const graph = team.config?.['graph']
  if (!isGraph(graph)) return []
  return names.flatMap((from) =>
    edgesFrom(graph, from)
      .filter((edge) => edge.target !== '')
      .map((edge) => ({ from, ...edge })),
  )
}

/**
 * Let handoffs follow the new names of those that were copied along; others go, or stay where
 * `isKept` says so.
 * @param {Component} agent
 * @param {Map<string, string>} renamed  from the old name to the new
 * @param {(name: string) => boolean} isKept
 * @returns {Component}
 */
export function withHandoffs(agent, renamed, isKept) {
  const handoffs = agent.config?.['handoffs']
  if (!Array.isArray(handoffs)) return agent
  const next = handoffs.flatMap((handoff) => {
    const target = targetOf(handoff)
    const name = renamed.get(target) ?? (isKept(target) ? target : undefined)
    if (name === undefined) return []
    return [name === target ? handoff : redirectedTo(handoff, name)]
  })
  const isSame =
    next.length === handoffs.length && next.every((each, index) => each === handoffs[index])
  return isSame ? agent : { ...agent, config: { ...agent.config, handoffs: next } }
}

/**
 * New agents take their place in the graph of their team, with the edges between them.
 * @param {Component} root
 * @param {string} team
 * @param {Map<string, string>} renamed
 * @param {Link[]} links
 * @param {(name: string) => boolean} isKept
 * @returns {Component}
 */
export function withEdges(root, team, renamed, links, isKept) {
  const place = join(team, 'config', 'graph')
  const graph = get(root, place)
  if (!isGraph(graph)) return root
  let grown = [...renamed.values()].reduce(addNode, graph)
  for (const { from, ...edge } of links) {
    const [source, target] = [
      renamed.get(from),
      renamed.get(edge.target) ?? (isKept(edge.target) ? edge.target : undefined),
    ]
    if (source === undefined || target === undefined || !Object.hasOwn(grown.nodes, target))
      continue
    const group = edge.activation_group === edge.target ? { activation_group: target } : {}
    grown = withEdge(grown, source, { ...edge, target, ...group })
  }
  return set(root, place, grown)
}
