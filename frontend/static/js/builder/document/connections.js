// @ts-check
// Who leads to whom, as one draws it: by an edge where the team has a graph, else by a handoff. A
// connection is named by its pointer.
import { get, join, parent, remove, set } from '../../core/pointer.js'
import { isComponent, titleOf } from './catalogue.js'
import { addComponent, inOneStep, ownerOf, removeAt } from './commands.js'
import {
  addEdge,
  edgesFrom,
  isGraph,
  moveEdge,
  removeEdge,
  removeNode,
  turnEdge,
  withActivation,
  withStart,
} from './graph.js'
import { redirectedTo, handoffsIn, targetOf } from './handoffs.js'
import { endsOf, partAt, partTitle } from './parts.js'
import { inDocumentOrder } from './selection.js'

/**
 * @typedef {import('./commands.js').Command} Command
 * @typedef {import('./commands.js').Doc} Doc
 * @typedef {import('./catalogue.js').Catalogue} Catalogue
 * @typedef {import('./catalogue.js').Component} Component
 * @typedef {import('./graph.js').Graph} Graph
 */

/**
 * Whether a member can hand over at all.
 * @param {Catalogue} catalogue
 * @param {Component} member
 */
function usesHandoffs(catalogue, member) {
  if (Array.isArray(member.config?.['handoffs'])) return true
  return catalogue.entry(member)?.schema?.properties?.handoffs !== undefined
}

/**
 * Why one member cannot be led to another; "" when it can. `ignoredEdge` is the connection that would be
 * moved away from there.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {string} team
 * @param {string} from  pointer of the member
 * @param {string} to  name of the other
 * @param {string} [ignoredEdge]
 */
export function connectRefusal(catalogue, root, team, from, to, ignoredEdge = '') {
  const member = get(root, from)
  if (!isComponent(member)) return 'The connection has no source agent.'
  const name = titleOf(member)
  const graph = get(root, join(team, 'config', 'graph'))
  if (isGraph(graph)) {
    const place = join(team, 'config', 'graph', 'nodes', name, 'edges')
    const isTaken = edgesFrom(graph, name).some(
      (edge, index) =>
        edge.target === to &&
        !edge.condition &&
        !edge['context_condition'] &&
        !edge['otherwise'] &&
        join(place, index) !== ignoredEdge,
    )
    return isTaken ? `${name} is already connected to ${to}.` : ''
  }
  if (!usesHandoffs(catalogue, member)) return `${name} does not support handoffs.`
  if (name === to) return `${name} cannot hand off to itself.`
  const isTaken = handoffsIn(member.config).some(
    (each, index) =>
      targetOf(each) === to && join(from, 'config', 'handoffs', index) !== ignoredEdge,
  )
  return isTaken ? `${name} can already hand off to ${to}.` : ''
}

/**
 * @param {Doc} doc
 * @param {string} team
 * @param {(graph: Graph) => Graph} change
 * @returns {Doc}
 */
function inGraph(doc, team, change) {
  const place = join(team, 'config', 'graph')
  const graph = get(doc.component, place)
  if (!isGraph(graph)) return doc
  const after = change(graph)
  return after === graph ? doc : { ...doc, component: set(doc.component, place, after) }
}

/**
 * The last edge of a node.
 * @param {Doc} doc
 * @param {string} team
 * @param {string} name
 */
function lastEdge(doc, team, name) {
  const graph = join(team, 'config', 'graph')
  return join(graph, 'nodes', name, 'edges', edgesFrom(get(doc.component, graph), name).length - 1)
}

/**
 * Lead from one member to another: by an edge where the team has a graph, else by a handoff.
 * @param {string} team
 * @param {string} from  pointer of the member
 * @param {string} to  name of the other
 * @returns {Command}
 */
export function connect(team, from, to) {
  /** @type {Command} */
  const command = {
    label: `Connect to ${to}`,
    apply(doc) {
      const member = get(doc.component, from)
      if (!isComponent(member)) return doc
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
      return {
        ...doc,
        component: set(doc.component, join(from, 'config', 'handoffs'), [
          ...handoffs,
          isPlain ? to : { target: to },
        ]),
      }
    },
  }
  return command
}

/**
 * Add a member and lead to it, in one step.
 * @param {string} team
 * @param {string} from
 * @param {string} slot
 * @param {Component} component
 * @returns {Command}
 */
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

/**
 * @param {string} pointer
 * @returns {Command}
 */
export function disconnect(pointer) {
  const part = partAt(pointer)
  /** @type {Command} */
  const command = {
    label: 'Disconnect',
    select: part?.kind === 'handoff' ? part.agent : (part?.team ?? ''),
    apply(doc) {
      if (!part || part.kind === 'node' || get(doc.component, pointer) === undefined) return doc
      command.label = `Disconnect ${partTitle(doc.component, pointer)}`
      if (part.kind === 'edge')
        return inGraph(doc, part.team, (graph) => removeEdge(graph, part.from, part.index))
      return { ...doc, component: remove(doc.component, pointer) }
    },
  }
  return command
}

/**
 * @param {string[]} pointers
 * @returns {Command}
 */
export function disconnectAll(pointers) {
  // From the last to the first: what stands before keeps its place.
  const commands = inDocumentOrder(pointers).toReversed().map(disconnect)
  const [only, ...others] = commands
  if (only && others.length === 0) return only
  return {
    ...inOneStep(`Disconnect ${pointers.length} edges`, commands),
    select: only?.select ?? '',
  }
}

/**
 * Let the end of a connection be at another member.
 * @param {string} pointer
 * @param {string} to
 * @returns {Command}
 */
export function turn(pointer, to) {
  const part = partAt(pointer)
  return {
    label: `Connect to ${to} instead`,
    select: pointer,
    apply(doc) {
      const ends = endsOf(doc.component, pointer)
      if (!ends || !part || ends.to === to) return doc
      if (part.kind === 'edge')
        return inGraph(doc, part.team, (graph) => turnEdge(graph, part.from, part.index, to))
      return {
        ...doc,
        component: set(doc.component, pointer, redirectedTo(get(doc.component, pointer), to)),
      }
    },
  }
}

/**
 * Let the beginning of a connection be at another member.
 * @param {string} pointer
 * @param {string} from  pointer of that member
 * @returns {Command}
 */
export function turnStart(pointer, from) {
  const part = partAt(pointer)
  /** @type {Command} */
  const command = {
    label: 'Connect from another',
    apply(doc) {
      const [link, member] = [get(doc.component, pointer), get(doc.component, from)]
      if (!part || part.kind === 'node' || link === undefined || !isComponent(member)) return doc
      const name = titleOf(member)
      command.label = `Connect from ${name} instead`
      if (part.kind === 'edge') {
        const after = inGraph(doc, part.team, (graph) =>
          moveEdge(graph, part.from, part.index, name),
        )
        command.select = lastEdge(after, part.team, name)
        return after
      }
      if (from === part.agent) return doc
      const handoffs = [...handoffsIn(member.config), link]
      command.select = join(from, 'config', 'handoffs', handoffs.length - 1)
      return {
        ...doc,
        component: set(remove(doc.component, pointer), join(from, 'config', 'handoffs'), handoffs),
      }
    },
  }
  return command
}

/**
 * Begin with this member; with all to whom nothing leads when it was the beginning already.
 * @param {string} team
 * @param {string} name
 * @returns {Command}
 */
export function startWith(team, name) {
  return {
    label: `Change the start: ${name}`,
    apply: (doc) =>
      inGraph(doc, team, (graph) =>
        withStart(graph, graph.default_start_node === name ? null : name),
      ),
  }
}

/**
 * @param {string} team
 * @param {string} name
 * @param {string} group
 * @param {'all' | 'any'} activation
 * @returns {Command}
 */
export function waitFor(team, name, group, activation) {
  return {
    label: `Let ${name} wait for ${activation}`,
    apply: (doc) => inGraph(doc, team, (graph) => withActivation(graph, name, group, activation)),
  }
}

/**
 * Take a member out, and lead from those before it to those after it.
 * @param {string} pointer
 * @returns {Command}
 */
export function removeBridged(pointer) {
  const team = ownerOf(pointer)
  /** @type {Command} */
  const command = {
    label: 'Remove and reconnect',
    select: team,
    apply(doc) {
      const member = get(doc.component, pointer)
      if (!isComponent(member)) return removeAt(pointer, '').apply(doc)
      const name = titleOf(member)
      command.label = `Remove ${name} and reconnect`
      const isInGraph = isGraph(get(doc.component, team)?.config?.graph)
      const bridged = isInGraph
        ? inGraph(doc, team, (graph) => removeNode(graph, name, { bridged: true }))
        : bridgedHandoffs(doc, pointer, name)
      return removeAt(pointer, name).apply(bridged)
    },
  }
  return command
}

/**
 * Who handed over to it hands over to those that it handed over to.
 * @param {Doc} doc
 * @param {string} pointer
 * @param {string} name
 * @returns {Doc}
 */
function bridgedHandoffs(doc, pointer, name) {
  const members = get(doc.component, parent(pointer))
  if (!Array.isArray(members)) return doc
  const after = handoffsIn(get(doc.component, pointer)?.config)
  const changed = members.map((member) =>
    isComponent(member) && titleOf(member) !== name ? withoutStop(member, name, after) : member,
  )
  return { ...doc, component: set(doc.component, parent(pointer), changed) }
}

/**
 * Hands over to whom `name` handed over, in place of it.
 * @param {Component} member
 * @param {string} name
 * @param {import('./handoffs.js').Handoff[]} after
 */
function withoutStop(member, name, after) {
  const own = handoffsIn(member.config)
  const rest = own.filter((each) => targetOf(each) !== name)
  if (rest.length === own.length) return member
  const taken = new Set([titleOf(member), ...rest.map(targetOf)])
  return {
    ...member,
    config: {
      ...member.config,
      handoffs: [...rest, ...after.filter((each) => !taken.has(targetOf(each)))],
    },
  }
}
