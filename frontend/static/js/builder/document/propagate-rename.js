// @ts-check
// Names that stand in several places of a team: whoever changes the participants need not think of
// the others.
import { set } from '../../core/pointer.js'
import { isComponent, titleOf } from './catalogue.js'
import { addNode, isGraph, removeNode, renameNode } from './graph.js'
import { redirectedTo, targetOf } from './handoffs.js'
import { toolInStep } from './tool-source.js'

/**
 * @typedef {import('./catalogue.js').Component} Component
 * @typedef {{ renamed: [string, string][], gone: string[], come: string[] }} Change
 */

/**
 * Which name an agent had before it took, while it was typed, one that another has.
 * @type {WeakMap<object, string>}
 */
const formerNames = new WeakMap()

/**
 * Let graphs, handoffs and conditions follow the participants of their teams, and tools their
 * source. What the same change wrote itself stays.
 * @param {any} before
 * @param {any} after
 * @returns {{ component: any, renamed: [string, string][] }}  the names as pins have them: with the
 *   names of what they are in
 */
export function propagateRename(before, after) {
  /** @type {[string, string][]} */
  const renamed = []
  return { component: visit(before, after, renamed, undefined), renamed }
}

/**
 * @param {any} before
 * @param {any} after
 * @param {[string, string][]} renamed
 * @param {string[] | undefined} way  the names around; none around the outermost
 * @returns {any}
 */
function visit(before, after, renamed, way) {
  if (
    before === after ||
    typeof before !== 'object' ||
    typeof after !== 'object' ||
    before === null ||
    after === null
  )
    return after
  const inner = !isComponent(after) ? way : way ? [...way, titleOf(after)] : []
  let result = after
  for (const key of Object.keys(after)) {
    const [old, now] = [before[key], after[key]]
    if (old === now || old === undefined || hasMoved(before, after, old, now)) continue
    const changed = visit(old, now, renamed, inner)
    if (changed !== now)
      result = set(result, `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, changed)
  }
  return isComponent(result) && isComponent(before)
    ? toolInStep(before, updateTeam(before, result, renamed, inner ?? []))
    : result
}

/**
 * Whether two entries of a list are at the same place only because others came or went.
 * @param {any} before
 * @param {any} after
 * @param {any} old
 * @param {any} now
 */
function hasMoved(before, after, old, now) {
  return (
    Array.isArray(after) && Array.isArray(before) && (after.includes(old) || before.includes(now))
  )
}

/**
 * @param {Component} before
 * @param {Component} after
 * @param {[string, string][]} renamed
 * @param {string[]} way
 * @returns {Component}
 */
function updateTeam(before, after, renamed, way) {
  const [old, now] = [before.config?.['participants'], after.config?.['participants']]
  if (!Array.isArray(old) || !Array.isArray(now) || old === now) return after
  const change = changeOf(old, now)
  for (const [former, name] of change.renamed)
    renamed.push([[...way, former].join('/'), [...way, name].join('/')])
  const config = { ...after.config }
  const graph = config['graph']
  if (isGraph(graph) && graph === before.config['graph'])
    config['graph'] = updateGraph(graph, change)
  const known = new Set(old.map((each) => each?.config?.handoffs).filter(Array.isArray))
  config['participants'] = now.map((each) =>
    known.has(each?.config?.handoffs) ? updateAgent(each, change) : each,
  )
  const condition = config['termination_condition']
  if (condition && condition === before.config['termination_condition'])
    config['termination_condition'] = change.renamed.reduce(renamedIn, condition)
  return { ...after, config }
}

/**
 * @param {any} participant
 * @returns {string}
 */
function nameOf(participant) {
  const name = participant?.config?.name
  return typeof name === 'string' ? name : ''
}

/**
 * @param {any[]} old
 * @param {any[]} now
 * @returns {Change}
 */
function changeOf(old, now) {
  const [before, after] = [old.map(nameOf), now.map(nameOf)]
  const gone = before.filter((name) => !after.includes(name))
  const come = after.filter((name) => !before.includes(name))
  const places = now.flatMap((each, index) =>
    each !== old[index] && after[index] !== before[index] ? [index] : [],
  )
  const [place] = places
  if (old.length !== now.length || places.length !== 1 || place === undefined)
    return { renamed: [], gone, come }
  const former = formerNames.get(old[place]) ?? before[place] ?? ''
  const name = after[place] ?? ''
  if (after.filter((each) => each === name).length > 1) {
    formerNames.set(now[place], former)
    return { renamed: [], gone: [], come: [] }
  }
  return after.includes(former)
    ? { renamed: [], gone: [], come }
    : { renamed: [[former, name]], gone: [], come: [] }
}

/**
 * @param {import('./graph.js').Graph} graph
 * @param {Change} change
 */
function updateGraph(graph, { renamed, gone, come }) {
  const called = renamed.reduce(
    (each, [old, name]) =>
      Object.hasOwn(each.nodes, old) ? renameNode(each, old, name) : addNode(each, name),
    graph,
  )
  const shorter = gone.reduce((each, name) => removeNode(each, name), called)
  return come.reduce(addNode, shorter)
}

/**
 * @param {Component} agent
 * @param {Change} change
 * @returns {Component}
 */
function updateAgent(agent, { renamed, gone }) {
  const handoffs = /** @type {any[]} */ (agent.config['handoffs'])
  const kept = handoffs.filter((each) => !gone.includes(targetOf(each)))
  const aimed = kept.map((each) =>
    renamed.reduce(
      (handoff, [old, name]) => (targetOf(handoff) === old ? redirectedTo(handoff, name) : handoff),
      each,
    ),
  )
  const isSame =
    aimed.length === handoffs.length && aimed.every((each, index) => each === handoffs[index])
  return isSame ? agent : { ...agent, config: { ...agent.config, handoffs: aimed } }
}

/**
 * Conditions name agents as `source`, `sources` or `target`.
 * @param {any} condition
 * @param {[string, string]} names
 * @returns {any}
 */
function renamedIn(condition, [old, name]) {
  if (!isComponent(condition)) return condition
  const config = Object.entries(condition.config ?? {}).map(([key, value]) => {
    if ((key === 'source' || key === 'target') && value === old) return [key, name]
    if (key === 'sources' && Array.isArray(value))
      return [key, value.map((each) => (each === old ? name : each))]
    return [key, Array.isArray(value) ? value.map((each) => renamedIn(each, [old, name])) : value]
  })
  return { ...condition, config: Object.fromEntries(config) }
}
