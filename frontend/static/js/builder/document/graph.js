// @ts-check
// The graph of a team as plain data: who speaks after whom. Every function makes a new graph from
// the old one.
import { isRecord } from '../../core/pointer.js'

/**
 * @typedef {{ target: string, condition?: string | null, activation_group?: string,
 *   activation_condition?: 'all' | 'any', [more: string]: unknown }} Edge
 * @typedef {{ name?: string, edges?: Edge[], [more: string]: unknown }} Node
 * @typedef {{ nodes: Record<string, Node>, default_start_node?: string | null, [more: string]:
 *   unknown }} Graph
 * @typedef {{ group: string, activation: 'all' | 'any', sources: string[] }} Group  edges into a
 *   node that count together
 */

/**
 * @param {unknown} value
 * @returns {value is Graph}
 */
export function isGraph(value) {
  return isRecord(value) && isRecord(value['nodes'])
}

/**
 * What stands for an entry that is no edge, so that the edges after it keep their places.
 * @type {Readonly<Edge>}
 */
const NO_EDGE = Object.freeze({ target: '' })

/**
 * The edges as they are written, be they edges or not.
 * @param {Graph} graph
 * @param {string} name
 * @returns {Edge[]}
 */
function written(graph, name) {
  const edges = Object.hasOwn(graph.nodes, name) ? graph.nodes[name]?.edges : undefined
  return Array.isArray(edges) ? edges : []
}

/**
 * Each at its place in the list; what is no edge leads to "".
 * @param {Graph} graph
 * @param {string} name
 * @returns {Edge[]}
 */
export function edgesFrom(graph, name) {
  return written(graph, name).map((each) =>
    isRecord(each) && typeof each.target === 'string' ? each : NO_EDGE,
  )
}

/**
 * The group of an edge: that of its target when it has none of its own.
 * @param {Edge} edge
 */
export function groupOf(edge) {
  return edge.activation_group || edge.target
}

/**
 * What has to come before each node speaks, group by group.
 * @param {Graph} graph
 * @returns {Map<string, Group[]>}
 */
export function groupsByTarget(graph) {
  /** @type {Map<string, Group[]>} */
  const found = new Map()
  for (const source of Object.keys(graph.nodes)) {
    for (const edge of edgesFrom(graph, source)) {
      if (edge === NO_EDGE) continue
      const groups = found.get(edge.target) ?? []
      const group = groups.find((each) => each.group === groupOf(edge))
      if (group) group.sources.push(source)
      else
        groups.push({
          group: groupOf(edge),
          activation: edge.activation_condition ?? 'all',
          sources: [source],
        })
      found.set(edge.target, groups)
    }
  }
  return found
}

/**
 * @param {Graph} graph
 * @param {string} name
 * @returns {Group[]}
 */
export function groupsInto(graph, name) {
  return groupsByTarget(graph).get(name) ?? []
}

/**
 * The nodes that speak first.
 * @param {Graph} graph
 * @returns {string[]}
 */
export function startsOf(graph) {
  if (graph.default_start_node) return [graph.default_start_node]
  const names = Object.keys(graph.nodes)
  const targets = new Set(
    names.flatMap((name) => edgesFrom(graph, name).map((edge) => edge.target)),
  )
  return names.filter((name) => !targets.has(name))
}

/**
 * Whether the way leads from one node to another, or it is the same.
 * @param {Graph} graph
 * @param {string} from
 * @param {string} to
 */
function reaches(graph, from, to) {
  const seen = new Set([from])
  for (const name of seen) for (const edge of edgesFrom(graph, name)) seen.add(edge.target)
  return seen.has(to)
}

/**
 * @param {Graph} graph
 * @param {string} name
 * @param {Edge[]} edges
 * @returns {Graph}
 */
function withEdges(graph, name, edges) {
  const node = Object.hasOwn(graph.nodes, name) ? graph.nodes[name] : undefined
  return { ...graph, nodes: { ...graph.nodes, [name]: { ...(node ?? { name }), edges } } }
}

/**
 * One more edge, as the last of its node.
 * @param {Graph} graph
 * @param {string} name
 * @param {Edge} edge
 * @returns {Graph}
 */
export function withEdge(graph, name, edge) {
  return withEdges(graph, name, [...written(graph, name), edge])
}

/**
 * @param {Graph} graph
 * @param {string} name
 * @returns {Graph}
 */
export function addNode(graph, name) {
  return Object.hasOwn(graph.nodes, name) ? graph : withEdges(graph, name, [])
}

/**
 * An edge to a node. One that leads back counts by itself: in a group with the way in, each would
 * wait for the other.
 * @param {Graph} graph
 * @param {string} from
 * @param {string} to
 * @returns {Graph}
 */
export function addEdge(graph, from, to) {
  const whole = addNode(addNode(graph, from), to)
  const starts = startsOf(whole)
  const isBack = reaches(whole, to, from)
  const joined = groupsInto(whole, to).find((each) => each.group === to)
  const edge = /** @type {Edge} */ (
    isBack
      ? {
          target: to,
          condition: null,
          activation_group: freeGroup(whole, to, from),
          activation_condition: 'any',
        }
      : {
          target: to,
          condition: null,
          activation_group: to,
          activation_condition: joined?.activation ?? 'all',
        }
  )
  const grown = withEdge(whole, from, edge)
  return isBack && starts.length === 1 && starts[0] === to
    ? { ...grown, default_start_node: to }
    : grown
}

/**
 * @param {Graph} graph
 * @param {string} to
 * @param {string} from
 */
function freeGroup(graph, to, from) {
  const taken = groupsInto(graph, to).map((each) => each.group)
  const wanted = `back from ${from}`
  let group = wanted
  for (let number = 2; taken.includes(group); number += 1) group = `${wanted} ${number}`
  return group
}

/**
 * @param {Graph} graph
 * @param {string} from
 * @param {number} index
 * @returns {Graph}
 */
export function removeEdge(graph, from, index) {
  return withEdges(
    graph,
    from,
    written(graph, from).filter((_edge, each) => each !== index),
  )
}

/**
 * Let an edge lead to another node; all else about it stays.
 * @param {Graph} graph
 * @param {string} from
 * @param {number} index
 * @param {string} to
 * @returns {Graph}
 */
export function turnEdge(graph, from, index, to) {
  return withEdges(
    graph,
    from,
    written(graph, from).map((edge, each) =>
      each === index && isRecord(edge) ? redirected(edge, to) : edge,
    ),
  )
}

/**
 * Let an edge begin at another node, as the last of its edges.
 * @param {Graph} graph
 * @param {string} from
 * @param {number} index
 * @param {string} source
 * @returns {Graph}
 */
export function moveEdge(graph, from, index, source) {
  const edge = edgesFrom(graph, from)[index]
  if (!edge || edge === NO_EDGE || from === source) return graph
  return withEdge(addNode(removeEdge(graph, from, index), source), source, edge)
}

/**
 * @param {Edge} edge
 * @param {string} to
 * @returns {Edge}
 */
function redirected(edge, to) {
  const isUsual = edge.activation_group === edge.target
  return { ...edge, target: to, ...(isUsual ? { activation_group: to } : {}) }
}

/**
 * The node is called otherwise: here, in every edge to it, and as the start.
 * @param {Graph} graph
 * @param {string} old
 * @param {string} name
 * @returns {Graph}
 */
export function renameNode(graph, old, name) {
  if (old === name || Object.hasOwn(graph.nodes, name)) return graph
  const nodes = Object.entries(graph.nodes).map(([key, node]) => {
    const edges = Array.isArray(node?.edges)
      ? { edges: node.edges.map((edge) => (edge?.target === old ? redirected(edge, name) : edge)) }
      : {}
    return key === old ? [name, { ...node, name, ...edges }] : [key, { ...node, ...edges }]
  })
  return {
    ...graph,
    nodes: Object.fromEntries(nodes),
    ...(graph.default_start_node === old ? { default_start_node: name } : {}),
  }
}

/**
 * Without a node and the edges to it. With `bridged`, those before it lead to those after it: when
 * they are taken is as it was, and what they lead to waits for them as it waited for the node.
 * @param {Graph} graph
 * @param {string} name
 * @param {{ bridged?: boolean }} [options]
 * @returns {Graph}
 */
export function removeNode(graph, name, { bridged = false } = {}) {
  const after = edgesFrom(graph, name).filter((edge) => edge !== NO_EDGE && edge.target !== name)
  const rest = Object.entries(graph.nodes)
    .filter(([key]) => key !== name)
    .map(([key, node]) => [
      key,
      Array.isArray(node?.edges) ? { ...node, edges: around(node.edges, key) } : node,
    ])
  const start =
    graph.default_start_node === name
      ? { default_start_node: bridged && after.length === 1 ? (after[0]?.target ?? null) : null }
      : {}
  return { ...graph, nodes: Object.fromEntries(rest), ...start }

  /**
   * @param {Edge[]} edges
   * @param {string} from
   * @returns {Edge[]}
   */
  function around(edges, from) {
    /** @type {Edge[]} */
    const kept = []
    for (const edge of edges) {
      if (edge?.target !== name) kept.push(edge)
      else if (bridged)
        kept.push(
          ...after
            .map((next) => bridge(edge, next))
            .filter(
              (way) =>
                way.target !== from &&
                !edges.concat(kept).some((each) => each !== edge && isSameWay(each, way)),
            ),
        )
    }
    return kept
  }
}

/**
 * @param {Edge} before
 * @param {Edge} after
 * @returns {Edge}
 */
function bridge(before, after) {
  const { activation_group = after.target, activation_condition = 'all' } = after
  return { ...before, target: after.target, activation_group, activation_condition }
}

/**
 * Whether two edges of one node go the same way on the same condition.
 * @param {Edge} a
 * @param {Edge} b
 */
function isSameWay(a, b) {
  return (
    a.target === b.target &&
    (a.condition ?? null) === (b.condition ?? null) &&
    a['context_condition'] === b['context_condition'] &&
    Boolean(a['otherwise']) === Boolean(b['otherwise'])
  )
}

/**
 * Begin with this node, or with all that nothing leads to.
 * @param {Graph} graph
 * @param {string | null} name
 * @returns {Graph}
 */
export function withStart(graph, name) {
  return { ...graph, default_start_node: name }
}

/**
 * How many edges of a group must be taken: the same is said on each of them.
 * @param {Graph} graph
 * @param {string} name
 * @param {string} group
 * @param {'all' | 'any'} activation
 * @returns {Graph}
 */
export function withActivation(graph, name, group, activation) {
  const nodes = Object.entries(graph.nodes).map(([key, node]) => {
    if (!Array.isArray(node?.edges)) return [key, node]
    const edges = node.edges.map((edge) =>
      edge?.target === name && groupOf(edge) === group
        ? { ...edge, activation_condition: activation }
        : edge,
    )
    return [key, { ...node, edges }]
  })
  return { ...graph, nodes: Object.fromEntries(nodes) }
}
