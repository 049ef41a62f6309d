// @ts-check
// Every change of a team, as a named command over the document. Pure: a command makes a new
// document from the old one.
import {
  get,
  insert,
  isSame,
  isWithin,
  join,
  last,
  parent,
  remove,
  renameKey,
  set,
} from '../../core/pointer.js'
import { isComponent, titleOf } from './catalogue.js'
import { groupOf, withActivation } from './graph.js'
import { propagateRename } from './propagate-rename.js'
import { withFreeName } from './naming.js'
import { withUpdatedPaths } from './part-paths.js'
import { renamedPins } from './pins.js'

/**
 * @typedef {import('./catalogue.js').Component} Component
 * @typedef {{ pins?: Record<string, { x: number, y: number }>, dismissed?: string[], mocks?:
 *   import('./mocks.js').Mocks,
 * imported?: Record<string, import('./import-findings.js').ImportFinding[]>,
 * notes?: Record<string, import('./annotations.js').Note>, groups?: Record<string,
 *   import('./annotations.js').Group> }} Layout  `dismissed`: warnings, by their keys (findings.js);
 *   `imported`: import findings that are not seen yet
 * @typedef {{ name: string, component: Component, layout: Layout }} Doc
 * @typedef {import('../../core/store.js').Command<Doc>} Command
 */

/**
 * The names that stand elsewhere in a team, such as in its graph, follow.
 * @param {Doc} doc
 * @param {Component} component
 * @returns {Doc}
 */
export function withComponent(doc, component) {
  const { component: followed, renamed } = propagateRename(doc.component, component)
  const pins = doc.layout.pins ?? {}
  const followedPins = renamed.reduce((each, [old, name]) => renamedPins(each, old, name), pins)
  const layout =
    renamed.length > 0 && Object.keys(pins).length > 0
      ? { ...doc.layout, pins: followedPins }
      : doc.layout
  return {
    ...doc,
    component: followed,
    layout: withUpdatedPaths(layout, doc.component, followed),
  }
}

/**
 * Write one value. A typing burst in one field is one step.
 * @param {string} pointer
 * @param {unknown} value
 * @param {string} [name]
 * @returns {Command}
 */
export function setValue(pointer, value, name = last(pointer).replaceAll('_', ' ')) {
  return {
    label: `Change ${name}`,
    key: `set ${pointer}`,
    apply: (doc) =>
      isSame(get(doc.component, pointer), value)
        ? doc
        : withComponent(doc, alikeInGroup(set(doc.component, pointer, value), pointer)),
  }
}

/**
 * How many edges of a group must be taken is said on each of them: what is written on one is
 * written on all.
 * @param {Component} component
 * @param {string} pointer
 * @returns {Component}
 */
function alikeInGroup(component, pointer) {
  const [, place, , index] =
    /^(.*\/config\/graph)\/nodes\/([^/]+)\/edges\/(\d+)\/activation_condition$/.exec(pointer) ?? []
  const edge = index === undefined ? undefined : get(component, parent(pointer))
  return edge && place !== undefined
    ? set(
        component,
        place,
        withActivation(
          get(component, place),
          edge.target,
          groupOf(edge),
          edge.activation_condition ?? 'all',
        ),
      )
    : component
}

/**
 * Name the team: its name here, and the label it carries into other places.
 * @param {string} name
 * @returns {Command}
 */
export function nameTeam(name) {
  return {
    label: `Name the team ${name}`,
    key: 'name',
    apply: (doc) =>
      doc.name === name ? doc : { ...doc, name, component: { ...doc.component, label: name } },
  }
}

/**
 * Rename an agent; graphs, handoffs, conditions and the canvas follow.
 * @param {string} pointer
 * @param {string} name
 * @returns {Command}
 */
export function renameAgent(pointer, name) {
  return { ...setValue(join(pointer, 'config', 'name'), name), label: `Rename to ${name}` }
}

/**
 * Put a component into a slot: at the end, before `index`, or in place of what is there.
 * @param {string} slot
 * @param {boolean} many
 * @param {Component} component
 * @param {number} [index]
 * @returns {Command}
 */
export function addComponent(slot, many, component, index) {
  /** @type {Command} */
  const command = {
    label: `Add ${titleOf(component)}`,
    apply(doc) {
      if (!many) {
        command.select = slot
        return withComponent(doc, set(doc.component, slot, component))
      }
      const value = get(doc.component, slot)
      const list = Array.isArray(value) ? value : isComponent(value) ? [value] : []
      const at = Math.min(index ?? list.length, list.length)
      const named = withFreeName(component, list)
      command.select = join(slot, at)
      return withComponent(
        doc,
        set(doc.component, slot, [...list.slice(0, at), named, ...list.slice(at)]),
      )
    },
  }
  return command
}

/**
 * Put the same component into several slots that hold one each.
 * @param {string[]} slots
 * @param {Component} component
 * @returns {Command}
 */
export function addToEach(slots, component) {
  return {
    label: `Use ${titleOf(component)} in ${slots.length} places`,
    apply: (doc) =>
      withComponent(
        doc,
        slots.reduce((root, slot) => set(root, slot, structuredClone(component)), doc.component),
      ),
  }
}

/**
 * @param {string} pointer
 * @param {Component} component
 * @returns {Command}
 */
export function replaceComponent(pointer, component) {
  return {
    label: `Replace with ${titleOf(component)}`,
    select: pointer,
    apply: (doc) => withComponent(doc, set(doc.component, pointer, component)),
  }
}

/**
 * Remove a component, or an entry of a list or map.
 * @param {string} pointer
 * @param {string} title
 * @returns {Command}
 */
export function removeAt(pointer, title) {
  return {
    label: `Remove ${title}`,
    select: ownerOf(pointer),
    apply: (doc) =>
      get(doc.component, pointer) === undefined
        ? doc
        : withComponent(doc, remove(doc.component, pointer)),
  }
}

/**
 * The component a slot belongs to: "/config/participants/1" is in "".
 * @param {string} pointer
 */
export function ownerOf(pointer) {
  const cut = pointer.lastIndexOf('/config/')
  return cut < 0 ? '' : pointer.slice(0, cut)
}

/**
 * Change the place among its neighbours.
 * @param {string} pointer
 * @param {number} to
 * @returns {Command}
 */
export function reorder(pointer, to) {
  const from = Number(last(pointer))
  const list = parent(pointer)
  return {
    label: `Move to place ${to + 1}`,
    select: join(list, to),
    apply(doc) {
      const items = get(doc.component, list)
      if (!Array.isArray(items) || from === to || to < 0 || to >= items.length) return doc
      return withComponent(doc, insert(remove(doc.component, pointer), join(list, to), items[from]))
    },
  }
}

/**
 * Take a component out of its slot and put it into another.
 * @param {string} from
 * @param {string} slot
 * @param {boolean} many
 * @returns {Command}
 */
export function moveTo(from, slot, many) {
  /** @type {Command} */
  const command = {
    label: 'Move',
    apply(doc) {
      const component = get(doc.component, from)
      const isThere = many && parent(from) === slot
      if (!isComponent(component) || isWithin(slot, from) || isThere) return doc
      const added = addComponent(slot, many, component)
      const grown = added.apply(doc)
      const target = shifted(typeof added.select === 'string' ? added.select : slot, from)
      command.label = `Move ${titleOf(component)}`
      command.select = target
      // What takes the place of something around it has left nothing behind.
      const isGone = !many && isWithin(from, slot)
      return isGone ? grown : withComponent(grown, remove(grown.component, from))
    },
  }
  return command
}

/**
 * Where a pointer points after `gone` was removed.
 * @param {string} pointer
 * @param {string} gone
 */
export function shifted(pointer, gone) {
  const list = parent(gone)
  if (!/^\d+$/.test(last(gone)) || !isWithin(pointer, list) || pointer === list) return pointer
  const [index = '', ...rest] = pointer.slice(list.length + 1).split('/')
  return Number(index) > Number(last(gone)) ? [list, Number(index) - 1, ...rest].join('/') : pointer
}

/**
 * Several commands as one step of undo, one after the other.
 * @param {string} label
 * @param {Command[]} commands
 * @returns {Command}
 */
export function inOneStep(label, commands) {
  return { label, apply: (doc) => commands.reduce((here, command) => command.apply(here), doc) }
}

/**
 * Join a condition with a new one.
 * @param {string} slot
 * @param {Component} joint  an "and" or "or" without conditions
 * @param {Component} component
 * @returns {Command}
 */
export function combine(slot, joint, component) {
  return {
    label: `Add ${titleOf(component)}`,
    select: join(slot, 'config', 'conditions', 1),
    apply: (doc) =>
      withComponent(
        doc,
        set(doc.component, slot, {
          ...joint,
          config: { ...joint.config, conditions: [get(doc.component, slot), component] },
        }),
      ),
  }
}

/**
 * Put a value into a list: at the end, or before `index`.
 * @param {string} list
 * @param {unknown} value
 * @param {number} [index]
 * @returns {Command}
 */
export function addEntry(list, value, index) {
  return {
    label: `Add to ${last(list).replaceAll('_', ' ')}`,
    apply(doc) {
      const here = get(doc.component, list)
      const entries = Array.isArray(here) ? here : []
      return withComponent(
        doc,
        set(doc.component, list, entries.toSpliced(index ?? entries.length, 0, value)),
      )
    },
  }
}

/**
 * Take a field out of its config; its default holds again.
 * @param {string} pointer
 * @returns {Command}
 */
export function clearValue(pointer) {
  const { label, apply } = removeAt(pointer, last(pointer).replaceAll('_', ' '))
  return { label, apply, key: `set ${pointer}` }
}

/**
 * @param {string} pointer
 * @param {string} name
 * @returns {Command}
 */
export function renameEntry(pointer, name) {
  return {
    label: `Rename entry to ${name}`,
    apply: (doc) => withComponent(doc, renameKey(doc.component, pointer, name)),
  }
}
