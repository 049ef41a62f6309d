// @ts-check
// Edges as one draws them: of a graph, or the handoffs of a swarm. A connection is named by its pointer.
import { get, join, parent, remove, set, steps } from '../../core/pointer.js'
import { titleOf } from './catalogue.js'
import { addComponent, removeAt } from './commands.js'
import { addEdge, edgesFrom, isGraph, moveEdge, removeEdge, removeNode, turnEdge, withActivation, withStart } from './graph.js'
import { aimedAt, handoffsIn, targetOf } from './handoffs.js'

/**
 * @typedef {import('./commands.js').Command} Command
 * @typedef {import('./commands.js').Doc} Doc
 * @typedef {import('./catalogue.js').Component} Component
 * @typedef {import('./graph.js').Graph} Graph
 * @typedef {{ kind: 'edge', team: string, from: string, index: number } | { kind: 'handoff', team: string, agent: string, index: number }
 *   | { kind: 'node', team: string, from: string }} Part  a place in a config that can be selected though it is no component
 */

const NODES = '/config/graph/nodes/'
const HANDOFFS = '/config/handoffs/'

/** The part that a pointer has the shape of. @param {string} pointer @returns {Part | undefined} */
export function partAt(pointer) {
  const cut = pointer.lastIndexOf(NODES)
  if (cut >= 0) {
    const team = pointer.slice(0, cut)
    const [, , , from = '', edges, index, ...deeper] = steps(pointer.slice(cut))
    if (edges === undefined) return { kind: 'node', team, from }
    return edges === 'edges' && isIndex(index) && deeper.length === 0 ? { kind: 'edge', team, from, index: Number(index) } : undefined
  }
  const at = pointer.lastIndexOf(HANDOFFS)
  const index = at < 0 ? undefined : pointer.slice(at + HANDOFFS.length)
  if (!isIndex(index)) return undefined
  const agent = pointer.slice(0, at)
  return { kind: 'handoff', team: agent.slice(0, Math.max(0, agent.lastIndexOf('/config/'))), agent, index: Number(index) }
}

/** @param {string | undefined} step @returns {step is string} */
function isIndex(step) {
  return step !== undefined && /^\d+$/.test(step)
}

/** The part that a pointer names and the document has. @param {Component} root @param {string} pointer */
export function existingPart(root, pointer) {
  const part = partAt(pointer)
  return part && get(root, pointer) !== undefined ? part : undefined
}

/** From whom and to whom. @param {Component} root @param {string} pointer @returns {{ from: string, to: string } | undefined} */
export function endsOf(root, pointer) {
  const part = existingPart(root, pointer)
  if (part?.kind === 'edge') return { from: part.from, to: String(get(root, pointer)?.target ?? '') }
  return part?.kind === 'handoff' ? { from: titleOf(get(root, part.agent)), to: targetOf(get(root, pointer)) } : undefined
}

/** "writer → critic", or the name of a node. @param {Component} root @param {string} pointer */
export function partTitle(root, pointer) {
  const ends = endsOf(root, pointer)
  const part = partAt(pointer)
  return ends ? `${ends.from} → ${ends.to}` : part?.kind === 'node' ? part.from : ''
}

/** @param {Doc} doc @param {string} team @param {(graph: Graph) => Graph} change @returns {Doc} */
function inGraph(doc, team, change) {
  const place = join(team, 'config', 'graph')
  const graph = get(doc.component, place)
  if (!isGraph(graph)) return doc
  const after = change(graph)
  return after === graph ? doc : { ...doc, component: set(doc.component, place, after) }
}

/** The last edge of a node. @param {Doc} doc @param {string} team @param {string} name */
function lastEdge(doc, team, name) {
  const graph = join(team, 'config', 'graph')
  return join(graph, 'nodes', name, 'edges', edgesFrom(get(doc.component, graph), name).length - 1)
}

/**
 * Lead from one member to another: by an edge where the team has a graph, else by a handoff.
 * @param {string} team @param {string} from  pointer of the member @param {string} to  name of the other
 * @returns {Command}
 */
export function connect(team, from, to) {
  /** @type {Command} */
  const command = {
    label: `Connect to ${to}`,
    apply(doc) {
      const member = get(doc.component, from)
      const name = titleOf(member)
      command.label = `Connect ${name} to ${to}`
      if (isGraph(get(doc.component, team)?.config?.graph)) {
        const after = inGraph(doc, team, (graph) => addEdge(graph, name, to))
        command.select = lastEdge(after, team, name)
        return after
      }
      const handoffs = handoffsIn(member.config)
      const isPlain = handoffs.every((each) => typeof each === 'string')
      command.select = join(from, 'config', 'handoffs', handoffs.length)
      return { ...doc, component: set(doc.component, join(from, 'config', 'handoffs'), [...handoffs, isPlain ? to : { target: to }]) }
    },
  }
  return command
}

/** Add a member and lead to it, in one step. @param {string} team @param {string} from @param {string} slot @param {Component} component @returns {Command} */
export function connectNew(team, from, slot, component) {
  const added = addComponent(slot, true, component)
  /** @type {Command} */
  const command = {
    label: `Add ${titleOf(component)}`,
    apply(doc) {
      const grown = added.apply(doc)
      const place = typeof added.select === 'string' ? added.select : ''
      const name = titleOf(get(grown.component, place))
      command.label = `Add ${name}, connected from ${titleOf(get(doc.component, from))}`
      command.select = place
      return connect(team, from, name).apply(grown)
    },
  }
  return command
}

/** @param {string} pointer @returns {Command} */
export function disconnect(pointer) {
  const part = partAt(pointer)
  /** @type {Command} */
  const command = {
    label: 'Disconnect',
    select: part?.kind === 'handoff' ? part.agent : part?.team ?? '',
    apply(doc) {
      if (!part || part.kind === 'node' || get(doc.component, pointer) === undefined) return doc
      command.label = `Disconnect ${partTitle(doc.component, pointer)}`
      if (part.kind === 'edge') return inGraph(doc, part.team, (graph) => removeEdge(graph, part.from, part.index))
      return { ...doc, component: remove(doc.component, pointer) }
    },
  }
  return command
}

/** @param {string[]} pointers @returns {Command} */
export function disconnectAll(pointers) {
  // From the last to the first: what stands before keeps its place.
  const commands = pointers.toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true })).map(disconnect)
  const [first] = commands
  if (commands.length === 1 && first) return first
  return { label: `Disconnect ${pointers.length} edges`, select: first?.select ?? '', apply: (doc) => commands.reduce((each, command) => command.apply(each), doc) }
}

/** Let the end of a connection be at another member. @param {string} pointer @param {string} to @returns {Command} */
export function turn(pointer, to) {
  const part = partAt(pointer)
  return {
    label: `Connect to ${to} instead`,
    select: pointer,
    apply(doc) {
      const ends = endsOf(doc.component, pointer)
      if (!ends || !part || ends.to === to) return doc
      if (part.kind === 'edge') return inGraph(doc, part.team, (graph) => turnEdge(graph, part.from, part.index, to))
      return { ...doc, component: set(doc.component, pointer, aimedAt(get(doc.component, pointer), to)) }
    },
  }
}

/** Let the beginning of a connection be at another member. @param {string} pointer @param {string} from  pointer of that member @returns {Command} */
export function turnStart(pointer, from) {
  const part = partAt(pointer)
  /** @type {Command} */
  const command = {
    label: 'Connect from another',
    apply(doc) {
      const [link, member] = [get(doc.component, pointer), get(doc.component, from)]
      if (!part || part.kind === 'node' || link === undefined || !member) return doc
      const name = titleOf(member)
      command.label = `Connect from ${name} instead`
      if (part.kind === 'edge') {
        const after = inGraph(doc, part.team, (graph) => moveEdge(graph, part.from, part.index, name))
        command.select = lastEdge(after, part.team, name)
        return after
      }
      if (from === part.agent) return doc
      const handoffs = [...handoffsIn(member.config), link]
      command.select = join(from, 'config', 'handoffs', handoffs.length - 1)
      return { ...doc, component: set(remove(doc.component, pointer), join(from, 'config', 'handoffs'), handoffs) }
    },
  }
  return command
}

/** Begin with this member; with all to whom nothing leads when it was the beginning already. @param {string} team @param {string} name @returns {Command} */
export function startWith(team, name) {
  return { label: `Change the start: ${name}`, apply: (doc) => inGraph(doc, team, (graph) => withStart(graph, graph.default_start_node === name ? null : name)) }
}

/** @param {string} team @param {string} name @param {string} group @param {'all' | 'any'} activation @returns {Command} */
export function waitFor(team, name, group, activation) {
  return { label: `Let ${name} wait for ${activation}`, apply: (doc) => inGraph(doc, team, (graph) => withActivation(graph, name, group, activation)) }
}

/** Take a member out, and lead from those before it to those after it. @param {string} pointer @returns {Command} */
export function removeBridged(pointer) {
  const team = partAt(join(pointer, 'config', 'handoffs', 0))?.team ?? ''
  /** @type {Command} */
  const command = {
    label: 'Remove and reconnect',
    select: team,
    apply(doc) {
      const member = get(doc.component, pointer)
      if (member === undefined) return doc
      const name = titleOf(member)
      command.label = `Remove ${name} and reconnect`
      const isInGraph = isGraph(get(doc.component, team)?.config?.graph)
      const bridged = isInGraph ? inGraph(doc, team, (graph) => removeNode(graph, name, { bridged: true })) : bridgedHandoffs(doc, pointer, name)
      return removeAt(pointer, name).apply(bridged)
    },
  }
  return command
}

/** Who handed over to it hands over to those that it handed over to. @param {Doc} doc @param {string} pointer @param {string} name @returns {Doc} */
function bridgedHandoffs(doc, pointer, name) {
  const after = handoffsIn(get(doc.component, pointer).config)
  const members = /** @type {Component[]} */ (get(doc.component, parent(pointer)))
  const changed = members.map((member) => {
    const own = handoffsIn(member.config)
    const rest = own.filter((each) => targetOf(each) !== name)
    if (rest.length === own.length || titleOf(member) === name) return member
    const taken = new Set([titleOf(member), ...rest.map(targetOf)])
    return { ...member, config: { ...member.config, handoffs: [...rest, ...after.filter((each) => !taken.has(targetOf(each)))] } }
  })
  return { ...doc, component: set(doc.component, parent(pointer), changed) }
}
