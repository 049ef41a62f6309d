// @ts-check
/** @import {Body} from '../types.js' */

/** How many agent colours the style sheet has. */
export const HUES = 8

/**
 * @typedef {object} Participant
 * @property {string} name
 * @property {boolean} isHuman  a person answers for it
 */

/**
 * Those who can be heard: a team inside says nothing itself, its members do.
 *
 * @param {Body | null | undefined} component  envelope of a team
 * @returns {Participant[]} in the order of the team
 */
export function participantsOf(component) {
  return membersOf(component).flatMap((member) =>
    isTeam(member)
      ? participantsOf(member)
      : [
          {
            name: nameOf(member),
            isHuman: /(^|\.)UserProxyAgent$/.test(String(member.provider ?? '')),
          },
        ],
  )
}

/**
 * The task comes from `user`: the person who reads this.
 * @param {string} source
 */
export const shownName = (source) => (source === 'user' ? 'You' : source)

/**
 * Connections that the team's design tells before anything was said, as pairs of names. Empty for a
 * team whose speakers are chosen at run time.
 *
 * @param {Body | null | undefined} component
 * @returns {[from: string, to: string][]}
 */
export function plannedEdges(component) {
  const members = membersOf(component)
  const doors = new Map([
    ['user', { first: 'user', last: 'user' }],
    ...members.map((member) => /** @type {const} */ ([nameOf(member), entryAgents(member)])),
  ])
  const around = edgesBetween(component, members.map(nameOf)).flatMap(([from, to]) => {
    const [start, end] = [doors.get(from)?.last, doors.get(to)?.first]
    return start && end ? [/** @type {[string, string]} */ ([start, end])] : []
  })
  const inside = members
    .filter(isTeam)
    .flatMap(plannedEdges)
    .filter(([from]) => from !== 'user')
  return [...around, ...inside]
}

/**
 * @param {Body | null | undefined} component
 * @param {string[]} names
 * @returns {[string, string][]} between its members
 */
function edgesBetween(component, names) {
  const kind = kindOf(component)
  if (names.length === 0) return []
  if (kind === 'GraphFlow') return graphEdges(component?.config?.graph, names)
  if (kind === 'Swarm')
    return [['user', names[0]], ...handoffEdges(component?.config?.participants)]
  if (kind !== 'RoundRobinGroupChat') return []
  /** @type {[string, string][]} */
  const edges = names.map((name, index) => [index === 0 ? 'user' : names[index - 1], name])
  if (names.length > 1) edges.push([names[names.length - 1], names[0]])
  return edges
}

/**
 * Who speaks first and last in it, where the design tells.
 * @param {Body} member
 * @returns {{first?: string, last?: string}}
 */
function entryAgents(member) {
  if (!isTeam(member)) return { first: nameOf(member), last: nameOf(member) }
  const inside = membersOf(member)
  if (kindOf(member) !== 'RoundRobinGroupChat' || inside.length === 0) return {}
  return { first: entryAgents(inside[0]).first, last: entryAgents(inside[inside.length - 1]).last }
}

/**
 * Gives each name a colour that stays: participants by their place in the team, others by their
 * first appearance.
 *
 * @param {Participant[]} participants
 */
export function colourBook(participants) {
  const hues = new Map(participants.map((participant, index) => [participant.name, index % HUES]))
  const humans = new Set([
    'user',
    ...participants.filter((one) => one.isHuman).map((one) => one.name),
  ])
  return {
    /** @param {string} source */
    hueOf(source) {
      if (humans.has(source)) return 'user'
      let hue = hues.get(source)
      if (hue === undefined) hues.set(source, (hue = hues.size % HUES))
      return String(hue)
    },
    /** @param {string} source */
    isHuman: (source) => humans.has(source),
  }
}
/** @typedef {ReturnType<typeof colourBook>} ColourBook */

/** @param {Body | null | undefined} component */
const kindOf = (component) =>
  String(component?.provider ?? '')
    .split('.')
    .pop()

/**
 * @param {Body | null | undefined} component
 * @returns {Body[]}
 */
function membersOf(component) {
  const members = component?.config?.participants
  return Array.isArray(members) ? members.filter(isEnvelope) : []
}

/**
 * An agent that holds others, such as one with nested chats, speaks for itself.
 * @param {Body} member
 */
const isTeam = (member) => membersOf(member).length > 0 && !/Agent$/.test(kindOf(member) ?? '')

/**
 * @param {unknown} member
 * @returns {member is Body}
 */
function isEnvelope(member) {
  return (
    typeof member === 'object' &&
    member !== null &&
    typeof (/** @type {Body} */ (member).config) === 'object'
  )
}

/** @param {Body} member */
function nameOf(member) {
  return String(member.config.name ?? member.label ?? 'unnamed')
}

/**
 * @param {Body | undefined} graph
 * @param {string[]} names
 * @returns {[string, string][]}
 */
function graphEdges(graph, names) {
  const nodes = /** @type {Body[]} */ (Object.values(graph?.nodes ?? {}))
  /** @type {[string, string][]} */
  const edges = nodes.flatMap((node) =>
    (node.edges ?? []).map((/** @type {Body} */ edge) => [node.name, edge.target]),
  )
  const reached = new Set(edges.map(([, to]) => to))
  const starts = graph?.default_start_node
    ? [graph.default_start_node]
    : names.filter((name) => !reached.has(name))
  return [...starts.map((name) => /** @type {[string, string]} */ (['user', name])), ...edges]
}

/**
 * @param {unknown} members
 * @returns {[string, string][]}
 */
function handoffEdges(members) {
  if (!Array.isArray(members)) return []
  return members
    .filter(isEnvelope)
    .flatMap((member) =>
      (member.config.handoffs ?? []).map((/** @type {Body | string} */ handoff) => [
        nameOf(member),
        typeof handoff === 'string' ? handoff : String(handoff.target),
      ]),
    )
}
