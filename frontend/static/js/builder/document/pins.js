// @ts-check
// Where cards stand that a person has moved. They are kept by name, so that they survive a new
// order of the agents.
import { get, join, steps } from '../../core/pointer.js'
import { isComponent, titleOf } from './catalogue.js'

/**
 * @typedef {import('./catalogue.js').Component} Component
 * @typedef {import('./commands.js').Doc} Doc
 * @typedef {import('./commands.js').Command} Command
 * @typedef {{ x: number, y: number }} Point
 */

/**
 * The names on the way to a component: "writer", or "editors/writer" inside a nested team.
 * @param {Component} root
 * @param {string} pointer
 */
export function pinKey(root, pointer) {
  const way = steps(pointer)
  return way
    .flatMap((_step, index) => {
      const value = get(root, join('', ...way.slice(0, index + 1)))
      return isComponent(value) ? [titleOf(value)] : []
    })
    .join('/')
}

/**
 * The pin with this name, which may be one that objects inherit.
 * @param {Record<string, Point> | undefined} pins
 * @param {string} key
 */
export function pinOf(pins, key) {
  return pins && Object.hasOwn(pins, key) ? pins[key] : undefined
}

/**
 * Fix cards at places of the canvas.
 * @param {Component} root
 * @param {{ pointer: string, at: Point }[]} moved
 * @param {string} label
 * @param {string} [key]  moves with the same key in close succession are one step
 * @returns {Command}
 */
export function pinMany(root, moved, label, key) {
  const pins = Object.fromEntries(moved.map(({ pointer, at }) => [pinKey(root, pointer), at]))
  return {
    label,
    ...(key ? { key } : {}),
    apply: (doc) => ({ ...doc, layout: { ...doc.layout, pins: { ...doc.layout.pins, ...pins } } }),
  }
}

/**
 * The pins of the cards of one team, by the names of its members.
 * @param {Doc} doc
 * @param {string} team
 * @returns {Record<string, Point>}
 */
export function pinsIn(doc, team) {
  const prefix = team === '' ? '' : `${pinKey(doc.component, team)}/`
  const own = Object.entries(doc.layout.pins ?? {}).filter(
    ([key]) => key.startsWith(prefix) && !key.slice(prefix.length).includes('/'),
  )
  return Object.fromEntries(own.map(([key, at]) => [key.slice(prefix.length), at]))
}

/**
 * Reset a team to the automatic layout.
 * @param {string} team
 * @returns {Command}
 */
export function tidy(team) {
  return {
    label: 'Tidy up',
    apply(doc) {
      const prefix = team === '' ? '' : `${pinKey(doc.component, team)}/`
      const own = pinsIn(doc, team)
      if (Object.keys(own).length === 0) return doc
      const pins = Object.entries(doc.layout.pins ?? {}).filter(
        ([key]) => !(key.startsWith(prefix) && Object.hasOwn(own, key.slice(prefix.length))),
      )
      return { ...doc, layout: { ...doc.layout, pins: Object.fromEntries(pins) } }
    },
  }
}

/**
 * Pins follow a new name, and so do those inside what has it.
 * @param {Record<string, Point>} pins
 * @param {string} old
 * @param {string} next
 * @returns {Record<string, Point>}
 */
export function renamedPins(pins, old, next) {
  return Object.fromEntries(
    Object.entries(pins).map(([key, at]) => [
      key === old ? next : key.startsWith(`${old}/`) ? `${next}${key.slice(old.length)}` : key,
      at,
    ]),
  )
}
