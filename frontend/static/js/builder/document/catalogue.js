// @ts-check
import { get, join } from '../../core/pointer.js'

/**
 * @typedef {{ provider: string, component_type?: string, label?: string, description?: string,
 *   version?: number,
 * component_version?: number, config: Record<string, any> }} Component  the envelope of one
 *   component
 * @typedef {'team' | 'agent' | 'model' | 'tool' | 'workbench' | 'termination' | 'memory' |
 *   'context' | 'executor' | 'other'} Kind
 * @typedef {{ field: string, accepts: string[], many: boolean, required: boolean }} Slot
 * @typedef {{ provider: string, aliases?: string[], component_type: string, group: string, label:
 *   string, title: string, summary: string, keywords?: string,
 *   slots: Slot[], template: Component, schema?: any,
 * drawn_as?: '' | 'order' | 'hub' | 'handoffs' | 'graph', led_by?: string, leader_does?: string }}
 *   Entry
 */

/** @type {Record<string, Kind>} */
const KIND_OF_GROUP = {
  teams: 'team',
  agents: 'agent',
  models: 'model',
  tools: 'tool',
  workbenches: 'workbench',
  terminations: 'termination',
  memories: 'memory',
  contexts: 'context',
  executors: 'executor',
  other: 'other',
}

/** @type {Record<string, Kind>} */
const KIND_OF_TYPE = {
  team: 'team',
  agent: 'agent',
  model: 'model',
  replay_chat_completion_client: 'model',
  chat_completion_cache: 'model',
  tool: 'tool',
  workbench: 'workbench',
  termination: 'termination',
  memory: 'memory',
  chat_completion_context: 'context',
  code_executor: 'executor',
}

/** @type {Record<Kind, string>} */
export const KIND_ICON = {
  team: 'users',
  agent: 'bot',
  model: 'brain',
  tool: 'wrench',
  workbench: 'toolbox',
  termination: 'octagon-x',
  memory: 'database',
  context: 'scroll-text',
  executor: 'terminal',
  other: 'box',
}

/** @type {Record<Kind, string>} */
export const KIND_NAME = {
  team: 'team',
  agent: 'agent',
  model: 'model',
  tool: 'tool',
  workbench: 'workbench',
  termination: 'termination condition',
  memory: 'memory',
  context: 'context',
  executor: 'code executor',
  other: 'component',
}

/**
 * @param {string} type
 * @returns {Kind}
 */
export function kindOfType(type) {
  return (Object.hasOwn(KIND_OF_TYPE, type) ? KIND_OF_TYPE[type] : undefined) ?? 'other'
}

/**
 * @param {unknown} value
 * @returns {value is Component}
 */
export function isComponent(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (/** @type {any} */ (value).provider) === 'string'
  )
}

/**
 * The title of each known kind, by provider, as the catalogue has it.
 * @type {Map<string, string>}
 */
const titles = new Map()

/**
 * "autogen_agentchat.teams.RoundRobinGroupChat" as "Round robin"; an unknown one by its class.
 * @param {string} provider
 */
export function typeLabel(provider) {
  return titles.get(provider) ?? provider.split('.').at(-1) ?? provider
}

/**
 * The name a person gave it, else what it is; "" for what is no component.
 * @param {unknown} component
 * @returns {string}
 */
export function titleOf(component) {
  if (!isComponent(component)) return ''
  const { name, model } = component.config ?? {}
  const className = component.provider.split('.').at(-1)
  if (typeof name === 'string' && name !== '') return name
  if (
    typeof component.label === 'string' &&
    component.label !== '' &&
    component.label !== className
  )
    return component.label
  return typeof model === 'string' && model !== '' ? model : typeLabel(component.provider)
}

/** All that the server knows of kinds of components, to be asked by provider. */
export class Catalogue {
  /** @type {Map<string, Entry>} */
  #byProvider = new Map()

  /** @param {Entry[]} entries */
  constructor(entries) {
    this.entries = entries
    for (const entry of entries) {
      for (const name of [entry.provider, ...(entry.aliases ?? [])]) {
        this.#byProvider.set(name, entry)
        titles.set(name, entry.title)
      }
    }
  }

  /** @param {Component} component */
  entry(component) {
    return this.#byProvider.get(component.provider)
  }

  /** @param {Component} component */
  typeOf(component) {
    const type = this.entry(component)?.component_type ?? component.component_type
    return typeof type === 'string' ? type : ''
  }

  /**
   * @param {Component} component
   * @returns {Kind}
   */
  kindOf(component) {
    const entry = this.entry(component)
    return (entry ? KIND_OF_GROUP[entry.group] : undefined) ?? kindOfType(this.typeOf(component))
  }

  /**
   * Whether it is one of those that take part in a team: an agent, or a team of its own.
   * @param {Component} component
   */
  isParticipant(component) {
    return ['agent', 'team'].includes(this.kindOf(component))
  }

  /**
   * The slots of a component. Where its provider is unknown, those that its config shows.
   * @param {Component} component
   * @returns {Slot[]}
   */
  slotsOf(component) {
    return this.entry(component)?.slots ?? this.#guessedSlots(component)
  }

  /**
   * @param {Component} component
   * @returns {Slot[]}
   */
  #guessedSlots(component) {
    /** @type {Slot[]} */
    const found = []
    for (const [field, value] of Object.entries(component.config ?? {})) {
      const many = Array.isArray(value)
      const inside = (many ? value : [value]).filter(isComponent)
      if (inside.length > 0)
        found.push({
          field,
          many,
          required: false,
          accepts: [...new Set(inside.map((each) => this.typeOf(each)))],
        })
    }
    return found
  }

  /**
   * @param {Slot} slot
   * @param {Component} component
   */
  accepts(slot, component) {
    return slot.accepts.includes(this.typeOf(component))
  }

  /**
   * What fills a slot, with the pointer of each.
   * @param {Component} component
   * @param {string} pointer
   * @param {Slot} slot
   * @returns {{ pointer: string, component: Component }[]}
   */
  filling(component, pointer, slot) {
    const value = component.config?.[slot.field]
    const place = join(pointer, 'config', slot.field)
    if (Array.isArray(value))
      return value
        .map((each, index) => ({ pointer: join(place, index), component: each }))
        .filter((each) => isComponent(each.component))
    return isComponent(value) ? [{ pointer: place, component: value }] : []
  }

  /**
   * The components directly inside another.
   * @param {Component} component
   * @param {string} pointer
   */
  children(component, pointer) {
    return this.slotsOf(component).flatMap((slot) => this.filling(component, pointer, slot))
  }

  /**
   * Every component in a document, outermost first.
   * @param {Component} component
   * @param {string} [pointer]
   * @returns {Generator<{ pointer: string, component: Component }>}
   */
  *walk(component, pointer = '') {
    yield { pointer, component }
    for (const child of this.children(component, pointer))
      yield* this.walk(child.component, child.pointer)
  }

  /**
   * The innermost component that a pointer lies in.
   * @param {Component} root
   * @param {string} where
   */
  owner(root, where) {
    let pointer = where
    while (pointer !== '' && !isComponent(get(root, pointer)))
      pointer = pointer.slice(0, pointer.lastIndexOf('/'))
    return pointer
  }
}
