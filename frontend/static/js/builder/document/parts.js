// @ts-check
// What of a team can be selected though it is no component: the nodes and edges of a graph, and
// handoffs.
import { get, isRecord, steps } from '../../core/pointer.js'
import { titleOf } from './catalogue.js'
import { ownerOf } from './commands.js'
import { targetOf } from './handoffs.js'

/**
 * @typedef {import('./catalogue.js').Component} Component
 * @typedef {{ kind: 'edge', team: string, from: string, index: number } | { kind: 'handoff', team:
 *   string, agent: string, index: number }
 *   | { kind: 'node', team: string, from: string }} Part
 */

const NODES = '/config/graph/nodes/'
const HANDOFFS = '/config/handoffs/'

/**
 * The part that a pointer has the shape of.
 * @param {string} pointer
 * @returns {Part | undefined}
 */
export function partAt(pointer) {
  const cut = pointer.lastIndexOf(NODES)
  if (cut >= 0) {
    const team = pointer.slice(0, cut)
    const [, , , from = '', edges, index, ...deeper] = steps(pointer.slice(cut))
    if (edges === undefined) return { kind: 'node', team, from }
    return edges === 'edges' && isIndex(index) && deeper.length === 0
      ? { kind: 'edge', team, from, index: Number(index) }
      : undefined
  }
  const at = pointer.lastIndexOf(HANDOFFS)
  const index = at < 0 ? undefined : pointer.slice(at + HANDOFFS.length)
  if (!isIndex(index)) return undefined
  const agent = pointer.slice(0, at)
  return { kind: 'handoff', team: ownerOf(agent), agent, index: Number(index) }
}

/**
 * @param {string | undefined} step
 * @returns {step is string}
 */
function isIndex(step) {
  return step !== undefined && /^\d+$/.test(step)
}

/**
 * The part that a pointer names and the document has.
 * @param {Component} root
 * @param {string} pointer
 */
export function existingPart(root, pointer) {
  const part = partAt(pointer)
  return part && get(root, pointer) !== undefined ? part : undefined
}

/**
 * From whom and to whom.
 * @param {Component} root
 * @param {string} pointer
 * @returns {{ from: string, to: string } | undefined}
 */
export function endsOf(root, pointer) {
  const part = existingPart(root, pointer)
  if (part?.kind === 'edge')
    return { from: part.from, to: String(get(root, pointer)?.target ?? '') }
  return part?.kind === 'handoff'
    ? { from: titleOf(get(root, part.agent)), to: targetOf(get(root, pointer)) }
    : undefined
}

/**
 * "writer → critic", or the name of a node.
 * @param {Component} root
 * @param {string} pointer
 */
export function partTitle(root, pointer) {
  const ends = endsOf(root, pointer)
  const part = partAt(pointer)
  return ends ? `${ends.from} → ${ends.to}` : part?.kind === 'node' ? part.from : ''
}

/**
 * What is said of a connection.
 * @param {Component} root
 * @param {string} pointer
 */
export function connectionText(root, pointer) {
  const part = existingPart(root, pointer)
  const value = get(root, pointer)
  if (part?.kind === 'handoff')
    return `Handoff from ${titleOf(get(root, part.agent))} to ${targetOf(value)}`
  if (part?.kind !== 'edge') return part ? `Node ${part.from}` : ''
  const {
    target = '',
    condition,
    context_condition: held,
    otherwise,
  } = isRecord(value) ? value : {}
  const conditions = [
    condition && `“${condition}” is said`,
    held,
    otherwise && 'no other edge is followed',
  ].filter(Boolean)
  return `Edge from ${part.from} to ${target}${conditions.length > 0 ? `, if ${conditions.join(' and ')}` : ''}`
}
