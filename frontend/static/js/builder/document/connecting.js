// @ts-check
// Who may be led to whom, in the words of a team: by an edge of its graph or by a handoff.
import { get, join } from '../../core/pointer.js'
import { titleOf } from './catalogue.js'
import { existingPart } from './connections.js'
import { edgesFrom, isGraph } from './graph.js'
import { handoffsIn, targetOf } from './handoffs.js'

/**
 * @typedef {import('./catalogue.js').Catalogue} Catalogue
 * @typedef {import('./catalogue.js').Component} Component
 */

/** Whether a member can hand over at all. @param {Catalogue} catalogue @param {Component} member */
function handsOver(catalogue, member) {
  if (Array.isArray(member.config?.['handoffs'])) return true
  return catalogue.entry(member)?.schema?.properties?.handoffs !== undefined
}

/**
 * Why one member cannot be led to another; "" when it can. `turned` is the connection that would be turned there.
 * @param {Catalogue} catalogue @param {Component} root @param {string} team @param {string} from  pointer of the member @param {string} to  name of the other @param {string} [turned]
 */
export function whyNotConnect(catalogue, root, team, from, to, turned = '') {
  const member = get(root, from)
  const name = titleOf(member)
  const graph = get(root, join(team, 'config', 'graph'))
  if (isGraph(graph)) {
    const place = join(team, 'config', 'graph', 'nodes', name, 'edges')
    const isTaken = edgesFrom(graph, name).some((edge, index) => edge.target === to && !edge.condition && !edge['context_condition'] && join(place, index) !== turned)
    return isTaken ? `${name} always goes on to ${to} already.` : ''
  }
  if (!handsOver(catalogue, member)) return `${name} cannot hand over to anybody.`
  if (name === to) return `${name} cannot hand over to itself.`
  const isTaken = handoffsIn(member.config).some((each, index) => targetOf(each) === to && join(from, 'config', 'handoffs', index) !== turned)
  return isTaken ? `${name} may hand over to ${to} already.` : ''
}

/** What is said of a connection. @param {Component} root @param {string} pointer */
export function connectionInWords(root, pointer) {
  const part = existingPart(root, pointer)
  const value = get(root, pointer)
  if (part?.kind === 'handoff') return `Handoff from ${titleOf(get(root, part.agent))} to ${targetOf(value)}`
  if (part?.kind !== 'edge') return part ? `Node ${part.from}` : ''
  const conditions = [value.condition && `“${value.condition}” is said`, value.context_condition].filter(Boolean)
  return `Edge from ${part.from} to ${value.target}${conditions.length > 0 ? `, if ${conditions.join(' and ')}` : ''}`
}
