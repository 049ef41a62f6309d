// @ts-check
// Several parts of one type, changed as one. Pure.
import { get, isSame, join, set } from '../../core/pointer.js'
import { isComponent } from './catalogue.js'
import { withComponent } from './commands.js'

/**
 * @typedef {import('./catalogue.js').Component} Component
 * @typedef {import('./commands.js').Command} Command
 */

/** What each has of its own. */
const INDIVIDUAL_FIELDS = ['name']

/**
 * Whether a form of one of them can be that of all.
 * @param {Component} root
 * @param {readonly string[]} pointers
 */
export function haveSameType(root, pointers) {
  const [first, ...others] = pointers.map((pointer) => get(root, pointer))
  return (
    pointers.length > 1 &&
    isComponent(first) &&
    others.every((each) => isComponent(each) && each.provider === first.provider)
  )
}

/**
 * The fields in which they differ, and which are no one's own.
 * @param {Component} root
 * @param {readonly string[]} pointers
 * @returns {string[]}
 */
export function differingFields(root, pointers) {
  const configs = pointers.map((pointer) => /** @type {Component} */ (get(root, pointer)).config)
  const names = new Set(configs.flatMap((config) => Object.keys(config)))
  return [...names].filter(
    (name) =>
      !INDIVIDUAL_FIELDS.includes(name) &&
      configs.some((config) => !isSame(config[name] ?? null, configs[0]?.[name] ?? null)),
  )
}

/**
 * A change of one part made to others as well: each field of it that changes gets the same value
 * there. One step of undo.
 * @param {Command} command
 * @param {string} pointer  of the part
 * @param {readonly string[]} others
 * @returns {Command}
 */
export function applyToAll(command, pointer, others) {
  /** @type {Command} */
  const all = {
    ...command,
    label: `${command.label} of ${others.length + 1}`,
    ...(command.key ? { key: `${command.key} of ${others.length + 1}` } : {}),
    apply(doc) {
      const after = command.apply(doc)
      const before =
        /** @type {Component | undefined} */ (get(doc.component, pointer))?.config ?? {}
      const now = /** @type {Component | undefined} */ (get(after.component, pointer))?.config ?? {}
      const changed = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
        (name) =>
          !INDIVIDUAL_FIELDS.includes(name) && !isSame(before[name] ?? null, now[name] ?? null),
      )
      return changed.length === 0
        ? after
        : withComponent(
            after,
            others.reduce(
              (root, other) =>
                set(
                  root,
                  join(other, 'config'),
                  withFields(/** @type {Component} */ (get(root, other)).config, now, changed),
                ),
              after.component,
            ),
          )
    },
  }
  return all
}

/**
 * @param {Record<string, any>} config
 * @param {Record<string, any>} now
 * @param {string[]} names
 */
function withFields(config, now, names) {
  const result = { ...config }
  for (const name of names) {
    if (name in now) result[name] = structuredClone(now[name])
    else delete result[name]
  }
  return result
}
