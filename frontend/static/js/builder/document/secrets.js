// @ts-check
// Keys in the open stay behind when parts leave the team. References to keys are names, so they may
// go along.
import { isComponent } from './catalogue.js'

/**
 * @typedef {import('./catalogue.js').Catalogue} Catalogue
 * @typedef {import('../../core/pointer.js').Json} Json
 */

export const MASK = '**********'
/**
 * Names of headers, variables and fields whose values are keys; studio/components/secrets.py has
 * the same.
 */
const SECRET_NAME =
  /(?:^|[-_ .])(?:authorization|cookie|(?:api|access|private|secret|subscription)[-_]?key|passw(?:or)?d|secret|credentials?|(?<!bos.)(?<!eos.)(?<!pad.)(?<!unk.)(?<!stop.)(?<!next.)token)$/
const REFERENCE = /^(?:env|secret):[A-Za-z0-9_.-]+$/
const PLACEHOLDER = /\{(?:env|secret):[A-Za-z0-9_.-]+\}/

/** @param {string} name */
function isSecretName(name) {
  return SECRET_NAME.test(name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase())
}

/**
 * A copy in which a mask stands for every key in the open: by the schema of its component, else by
 * its name.
 * @param {Catalogue} catalogue
 * @param {Json} value
 * @returns {Json}
 */
export function withoutKeys(catalogue, value) {
  return cleaned(catalogue, value, new Set())
}

/**
 * @param {Catalogue} catalogue
 * @param {Json} value
 * @param {Set<string>} fields
 * @returns {Json}
 */
function cleaned(catalogue, value, fields) {
  if (Array.isArray(value)) return value.map((each) => cleaned(catalogue, each, fields))
  if (typeof value !== 'object' || value === null) return value
  const own = isComponent(value) ? secretFields(catalogue.entry(value)) : fields
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      const isKey =
        typeof each === 'string' &&
        each !== '' &&
        (own.has(key) || isSecretName(key)) &&
        !REFERENCE.test(each) &&
        !PLACEHOLDER.test(each)
      return [key, isKey ? MASK : cleaned(catalogue, each, own)]
    }),
  )
}

/**
 * @param {{ schema?: Json } | undefined} entry
 * @returns {Set<string>} the names of all fields that its schema marks
 */
function secretFields(entry) {
  /** @type {Set<string>} */
  const found = new Set()
  const look = (/** @type {Json} */ schema) => {
    if (typeof schema !== 'object' || schema === null) return
    for (const [name, each] of Object.entries(schema['properties'] ?? {}))
      if (each?.['x-secret']) found.add(name)
    for (const each of Object.values(schema)) look(each)
  }
  look(entry?.schema)
  return found
}
