// @ts-check
// The whole team as the rows of a tree: components in their slots, and where agents lead to.
import { get, join } from '../../core/pointer.js'
import { titleOf, typeLabel } from './catalogue.js'
import { connectionText } from './parts.js'
import { edgesFrom, isGraph } from './graph.js'
import { handoffsIn, labelOf, targetOf } from './handoffs.js'

/**
 * @typedef {import('./catalogue.js').Catalogue} Catalogue
 * @typedef {import('./catalogue.js').Component} Component
 * @typedef {import('./catalogue.js').Kind} Kind
 * @typedef {{ pointer: string, label: string, type: string, spoken: string, kind: Kind,
 *   isConnection: boolean, canAdd: boolean,
 * level: number, place: number, count: number, isOpen: boolean | null }} Row  `isOpen`: null where
 *   nothing is inside
 * @typedef {{ catalogue: Catalogue, root: Component, folded: Set<string>, wordsAt: (pointer:
 *   string) => string }} Source  `wordsAt`: what is said of a component
 * @typedef {{ pointer: string, role: string, team: string, component?: Component }} Child
 */

/**
 * @param {Source} source
 * @returns {Row[]}
 */
export function treeRows(source) {
  return [...branch(source, { pointer: '', role: '', team: '', component: source.root }, 1, 1, 1)]
}

/**
 * @param {Source} source
 * @param {Child} child
 * @param {number} level
 * @param {number} place
 * @param {number} count
 * @returns {Generator<Row>}
 */
function* branch(source, child, level, place, count) {
  const { pointer, component } = child
  if (!component)
    return yield { ...connectionRow(source, pointer), level, place, count, isOpen: null }
  const children = childrenOf(source, child)
  const isOpen = children.length > 0 ? !source.folded.has(pointer) : null
  yield {
    ...componentRow(
      source,
      child,
      component,
      children.some((each) => each.component),
    ),
    level,
    place,
    count,
    isOpen,
  }
  if (!isOpen) return
  for (const [index, each] of children.entries())
    yield* branch(source, each, level + 1, index + 1, children.length)
}

/**
 * @param {Source} source
 * @param {Child} child
 * @returns {Child[]}
 */
function childrenOf({ catalogue, root }, { pointer, component, team }) {
  if (!component) return []
  const inner = catalogue
    .slotsOf(component)
    .flatMap((slot) =>
      catalogue
        .filling(component, pointer, slot)
        .map((each) => ({ ...each, role: slot.many ? '' : slot.field, team: pointer })),
    )
  const handoffs = handoffsIn(component.config).map((_each, index) =>
    join(pointer, 'config', 'handoffs', index),
  )
  const graph = get(root, join(team, 'config', 'graph'))
  const isMember = pointer !== '' && catalogue.isParticipant(component)
  const name = titleOf(component)
  const edges =
    isMember && isGraph(graph)
      ? edgesFrom(graph, name).map((_each, index) =>
          join(team, 'config', 'graph', 'nodes', name, 'edges', index),
        )
      : []
  return [
    ...inner,
    ...[...handoffs, ...edges].map((each) => ({ pointer: each, role: '', team: pointer })),
  ]
}

/**
 * @param {Source} source
 * @param {Child} child
 * @param {Component} component
 * @param {boolean} hasParts
 */
function componentRow({ catalogue, wordsAt }, { pointer, role }, component, hasParts) {
  const kind = catalogue.kindOf(component)
  const isCondition = kind === 'termination' && !hasParts
  const label = wordsAt(pointer)
  const type = typeLabel(component.provider)
  const spoken = [label, type, role.replaceAll('_', ' ')].filter(Boolean).join(', ')
  return {
    pointer,
    label,
    type: isCondition || type === label ? '' : type,
    spoken,
    kind,
    isConnection: false,
    canAdd: catalogue.slotsOf(component).length > 0,
  }
}

/**
 * @param {Source} source
 * @param {string} pointer
 */
function connectionRow({ root }, pointer) {
  const value = get(root, pointer)
  const isEdge = pointer.includes('/graph/nodes/')
  const type = isEdge ? (value?.condition ?? '') : labelOf(value)
  return {
    pointer,
    label: targetOf(value),
    type: String(type),
    spoken: connectionText(root, pointer),
    kind: /** @type {Kind} */ ('other'),
    isConnection: true,
    canAdd: false,
  }
}
