// @ts-check
// The models of a team: which there are, who uses them, and giving one to many. Pure.
import { get, isSame, join, set } from '../../core/pointer.js'
import { isComponent, titleOf } from './catalogue.js'
import { withComponent } from './commands.js'

/**
 * @typedef {import('./catalogue.js').Catalogue} Catalogue
 * @typedef {import('./catalogue.js').Component} Component
 * @typedef {import('./commands.js').Command} Command
 * @typedef {{ slot: string, owner: Component, component: Component | undefined }} ModelPlace
 *   `slot`: the pointer of the model, or of where one may be
 */

/**
 * Every place of a team for the model of an agent or team, outermost first. What is inside a model,
 * such as a cache, is not looked at.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @returns {ModelPlace[]}
 */
export function modelPlaces(catalogue, root) {
  /** @type {ModelPlace[]} */
  const found = []
  for (const { pointer, component: owner } of catalogue.walk(root)) {
    if (catalogue.kindOf(owner) === 'model') continue
    for (const slot of catalogue.slotsOf(owner)) {
      const at = join(pointer, 'config', slot.field)
      const component = get(root, at)
      if (!slot.many && slot.accepts.includes('model') && (slot.required || isComponent(component)))
        found.push({ slot: at, owner, component: isComponent(component) ? component : undefined })
    }
  }
  return found
}

/**
 * The models of a team, each once, with the names of those that use it.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @returns {{ component: Component, users: string[] }[]}
 */
export function modelsInTeam(catalogue, root) {
  /** @type {{ component: Component, users: string[] }[]} */
  const found = []
  for (const { owner, component } of modelPlaces(catalogue, root)) {
    if (!component) continue
    const known = found.find((each) => isSameModel(each.component, component))
    if (known) known.users.push(titleOf(owner))
    else found.push({ component, users: [titleOf(owner)] })
  }
  return found
}

/**
 * What is new and needs a model, with this one.
 * @param {Catalogue} catalogue
 * @param {Component} fresh
 * @param {Component} model
 * @returns {Component}
 */
export function withModel(catalogue, fresh, model) {
  const needed = catalogue
    .slotsOf(fresh)
    .filter((slot) => slot.required && !slot.many && catalogue.accepts(slot, model))
  if (needed.length === 0 || catalogue.kindOf(fresh) === 'model') return fresh
  const filled = Object.fromEntries(needed.map((slot) => [slot.field, structuredClone(model)]))
  return { ...fresh, config: { ...filled, ...fresh.config } }
}

/**
 * What is new starts with the model of its team, where all of that use one.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {Component} fresh
 * @returns {Component}
 */
export function withTeamModel(catalogue, root, fresh) {
  const [only, ...others] = modelsInTeam(catalogue, root)
  return only && others.length === 0 ? withModel(catalogue, fresh, only.component) : fresh
}

/**
 * Give a model to every agent, and to every team that asks a model itself.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {Component} model
 * @returns {Command}
 */
export function useForAll(catalogue, root, model) {
  return putAt(
    `Use ${titleOf(model)} for all agents`,
    modelPlaces(catalogue, root).map((each) => each.slot),
    model,
  )
}

/**
 * Put a model in the place of another, wherever that is used.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {Component} old
 * @param {Component} model
 * @returns {Command}
 */
export function replaceEverywhere(catalogue, root, old, model) {
  const places = modelPlaces(catalogue, root).filter(
    ({ component }) => component && isSameModel(component, old),
  )
  return putAt(
    `Replace ${titleOf(old)} with ${titleOf(model)}`,
    places.map((each) => each.slot),
    model,
  )
}

/**
 * @param {string} label
 * @param {string[]} slots
 * @param {Component} model
 * @returns {Command}
 */
export function putAt(label, slots, model) {
  return {
    label,
    apply: (doc) =>
      withComponent(
        doc,
        slots.reduce((root, slot) => set(root, slot, structuredClone(model)), doc.component),
      ),
  }
}

/**
 * @param {Component} one
 * @param {Component} other
 */
function isSameModel(one, other) {
  return one.provider === other.provider && isSame(one.config, other.config)
}
