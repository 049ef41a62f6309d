// @ts-check
// Every change of a team, as a named command over the document. Pure: a command makes a new document from the old one.
import { get, insert, isSame, isWithin, join, last, parent, remove, renameKey, set } from '../../core/pointer.js'
import { isComponent, titleOf } from './catalogue.js'
import { withFreeName } from './naming.js'

/**
 * @typedef {import('./catalogue.js').Component} Component
 * @typedef {{ pins?: Record<string, { x: number, y: number }> }} Layout
 * @typedef {{ name: string, component: Component, layout: Layout }} Doc
 * @typedef {import('../../core/store.js').Command<Doc>} Command
 */

/** @param {Doc} doc @param {Component} component @returns {Doc} */
const withComponent = (doc, component) => ({ ...doc, component })

/**
 * Write one value. A typing burst in one field is one step.
 * @param {string} pointer @param {unknown} value @param {string} [name]
 * @returns {Command}
 */
export function setValue(pointer, value, name = last(pointer).replaceAll('_', ' ')) {
  return {
    label: `Change ${name}`,
    key: `set ${pointer}`,
    apply: (doc) => (isSame(get(doc.component, pointer), value) ? doc : withComponent(doc, set(doc.component, pointer, value))),
  }
}

/** Name the team: its name here, and the label it carries into other places. @param {string} name @returns {Command} */
export function nameTeam(name) {
  return { label: `Name the team ${name}`, key: 'name', apply: (doc) => (doc.name === name ? doc : { ...doc, name, component: { ...doc.component, label: name } }) }
}

/** Rename an agent, and follow in handoffs and graphs of its team. @param {string} pointer @param {string} name @returns {Command} */
export function renameAgent(pointer, name) {
  return {
    label: `Rename to ${name}`,
    key: `set ${pointer}/config/name`,
    apply(doc) {
      const old = get(doc.component, join(pointer, 'config', 'name'))
      if (old === name) return doc
      const pins = Object.fromEntries(Object.entries(doc.layout.pins ?? {}).map(([key, at]) => [key === old ? name : key, at]))
      return { ...doc, component: set(doc.component, join(pointer, 'config', 'name'), name), layout: { ...doc.layout, pins } }
    },
  }
}

/**
 * Put a component into a slot: at the end, before `index`, or in place of what is there.
 * @param {string} slot @param {boolean} many @param {Component} component @param {number} [index]
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
      return withComponent(doc, set(doc.component, slot, [...list.slice(0, at), named, ...list.slice(at)]))
    },
  }
  return command
}

/** Put the same component into several slots that hold one each. @param {string[]} slots @param {Component} component @returns {Command} */
export function addToEach(slots, component) {
  return {
    label: `Use ${titleOf(component)} in ${slots.length} places`,
    apply: (doc) => withComponent(doc, slots.reduce((root, slot) => set(root, slot, structuredClone(component)), doc.component)),
  }
}

/** @param {string} pointer @param {Component} component @returns {Command} */
export function replaceComponent(pointer, component) {
  return { label: `Replace by ${titleOf(component)}`, select: pointer, apply: (doc) => withComponent(doc, set(doc.component, pointer, component)) }
}

/** Remove a component, or an entry of a list or map. @param {string} pointer @param {string} title @returns {Command} */
export function removeAt(pointer, title) {
  return {
    label: `Remove ${title}`,
    select: ownerOf(pointer),
    apply: (doc) => (get(doc.component, pointer) === undefined ? doc : withComponent(doc, remove(doc.component, pointer))),
  }
}

/** The component a slot belongs to: "/config/participants/1" is in "". @param {string} pointer */
export function ownerOf(pointer) {
  const cut = pointer.lastIndexOf('/config/')
  return cut < 0 ? '' : pointer.slice(0, cut)
}

/** Change the place among its neighbours. @param {string} pointer @param {number} to @returns {Command} */
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
 * @param {string} from @param {string} slot @param {boolean} many
 * @returns {Command}
 */
export function moveTo(from, slot, many) {
  /** @type {Command} */
  const command = {
    label: 'Move',
    apply(doc) {
      const component = get(doc.component, from)
      if (!isComponent(component) || isWithin(slot, from)) return doc
      const added = addComponent(slot, many, component)
      const grown = added.apply(doc)
      const target = shifted(added.select ?? slot, from)
      command.label = `Move ${titleOf(component)}`
      command.select = target
      return withComponent(grown, remove(grown.component, from))
    },
  }
  return command
}

/** Where a pointer points after `gone` was removed. @param {string} pointer @param {string} gone */
export function shifted(pointer, gone) {
  const list = parent(gone)
  if (!/^\d+$/.test(last(gone)) || !isWithin(pointer, list) || pointer === list) return pointer
  const [index = '', ...rest] = pointer.slice(list.length + 1).split('/')
  return Number(index) > Number(last(gone)) ? [list, Number(index) - 1, ...rest].join('/') : pointer
}

/** A copy beside the original, with a name of its own. @param {string} pointer @returns {Command} */
export function duplicate(pointer) {
  const index = Number(last(pointer))
  return {
    label: 'Duplicate',
    select: join(parent(pointer), index + 1),
    apply(doc) {
      const items = get(doc.component, parent(pointer))
      if (!Array.isArray(items)) return doc
      const copy = withFreeName(structuredClone(items[index]), items)
      return withComponent(doc, insert(doc.component, join(parent(pointer), index + 1), copy))
    },
  }
}

/** Join a condition with a new one. @param {string} slot @param {Component} joint  an "and" or "or" without conditions @param {Component} component @returns {Command} */
export function combine(slot, joint, component) {
  return {
    label: `Add ${titleOf(component)}`,
    select: join(slot, 'config', 'conditions', 1),
    apply: (doc) => withComponent(doc, set(doc.component, slot, { ...joint, config: { ...joint.config, conditions: [get(doc.component, slot), component] } })),
  }
}

/** @param {string} pointer @param {string} name @returns {Command} */
export function renameEntry(pointer, name) {
  return { label: `Rename entry to ${name}`, apply: (doc) => withComponent(doc, renameKey(doc.component, pointer, name)) }
}

/** Fix a card at a place of the canvas. @param {string} name @param {{ x: number, y: number }} at @returns {Command} */
export function pin(name, at) {
  return { label: `Move ${name}`, apply: (doc) => ({ ...doc, layout: { ...doc.layout, pins: { ...doc.layout.pins, [name]: at } } }) }
}

/** Let the layout place every card again. @returns {Command} */
export function unpinAll() {
  return { label: 'Tidy up', apply: (doc) => (Object.keys(doc.layout.pins ?? {}).length === 0 ? doc : { ...doc, layout: { ...doc.layout, pins: {} } }) }
}
