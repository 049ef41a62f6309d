// @ts-check
import { isComponent, KIND_NAME, kindOfType } from './catalogue.js'

/** @typedef {import('./catalogue.js').Component} Component */

/**
 * A name that nobody in the list has: "writer", then "writer_2".
 * @param {string} wanted
 * @param {string[]} taken
 */
export function freeName(wanted, taken) {
  if (!taken.includes(wanted)) return wanted
  const stem = wanted.replace(/_\d+$/, '')
  let number = 2
  while (taken.includes(`${stem}_${number}`)) number += 1
  return `${stem}_${number}`
}

/**
 * A copy with a name of its own among its new neighbours.
 * @param {Component} component
 * @param {unknown[]} neighbours
 * @returns {Component}
 */
export function withFreeName(component, neighbours) {
  const name = component.config?.name
  const taken = neighbours.filter(isComponent).map((each) => each.config?.name)
  if (typeof name !== 'string' || !taken.includes(name)) return component
  return { ...component, config: { ...component.config, name: freeName(name, taken) } }
}

/**
 * "an agent or a team".
 * @param {string[]} types
 */
export function kindsText(types) {
  const words = types.map((type) =>
    kindOfType(type) === 'other' && type !== ''
      ? type.replaceAll('_', ' ')
      : KIND_NAME[kindOfType(type)],
  )
  const named = [...new Set(words)].map((word) => `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`)
  return named.length < 2
    ? (named[0] ?? 'nothing')
    : `${named.slice(0, -1).join(', ')} or ${named.at(-1)}`
}
