// @ts-check
/** @import {Body, Entry} from './types.js' */

/** From this share of a limit on a reader is warned. */
const NEAR = 0.8

/**
 * @typedef {object} Gauge  how far one termination condition is
 * @property {string} words  such as `12 of 20 messages`
 * @property {string} stopsWhen  completes "Stop when …"
 * @property {number | null} share  from 0 to 1; null where nothing is counted
 * @property {'' | 'near' | 'fired'} look
 *
 * @typedef {{join: 'and' | 'or', parts: Part[]}} Group  conditions of which all must fire, or any
 * @typedef {Gauge | Group} Part
 *
 * @typedef {{name: string, parts: Part[]}} TeamGauges  `name` is empty for the team that was run
 */

/** The newest gauges of the team, and of the team inside it that is at work. */
export class Termination {
  /** @type {Map<string, Body>} by the path of the team */
  #newest = new Map()

  /**
   * @param {Entry} entry
   * @returns {boolean} whether it changed something
   */
  add({ kind, body }) {
    if (kind !== 'explanation' || body.type !== 'TerminationProgressEvent') return false
    const key = JSON.stringify(body.path)
    for (const [other, { path }] of this.#newest) {
      if (
        body.path.every(
          (/** @type {string} */ name, /** @type {number} */ index) => path[index] === name,
        )
      )
        this.#newest.delete(other)
    }
    this.#newest.set(key, body)
    return true
  }

  /**
   * The outermost team first.
   * @returns {TeamGauges[]}
   */
  get gauges() {
    return [...this.#newest.values()]
      .sort((a, b) => a.path.length - b.path.length)
      .map((body) => ({ name: body.path.join(' › '), parts: partsOf(body.conditions) }))
      .filter(({ parts }) => parts.length > 0)
  }

  /** Why the team stopped: the conditions that fired, in words; or '' when none did. */
  get because() {
    const outermost = this.#newest.get('[]')
    if (!outermost?.stop_reason) return ''
    return [
      ...new Set(
        partsOf(outermost.conditions)
          .flatMap(firedIn)
          .map((gauge) => gauge.stopsWhen),
      ),
    ].join(', and ')
  }
}

/**
 * What made it fire; nothing while it has not, such as when one of all is missing.
 * @param {Part} part
 * @returns {Gauge[]}
 */
function firedIn(part) {
  if (!('parts' in part)) return part.look === 'fired' ? [part] : []
  const fired = part.parts.map(firedIn)
  return part.join === 'or' || fired.every((one) => one.length > 0) ? fired.flat() : []
}

/**
 * @param {Body[]} conditions
 * @returns {Part[]}
 */
function partsOf(conditions) {
  return groupsOf(conditions, 0).flatMap((group) => {
    const part = grow(group, 0)
    return 'parts' in part && part.join === 'or' ? part.parts : part // any limit stops the team
  })
}

/**
 * @param {Body[]} conditions  all inside the same one
 * @param {number} depth  of that one
 * @returns {Part}
 */
function grow(conditions, depth) {
  const [first] = conditions
  if (first.within.length <= depth)
    return conditions.length === 1 ? gaugeOf(first) : { join: 'or', parts: conditions.map(gaugeOf) }
  return {
    join: first.within[depth],
    parts: groupsOf(conditions, depth + 1).map((group) => grow(group, depth + 1)),
  }
}

/**
 * Conditions in the same place of the tree belong together.
 * @param {Body[]} conditions
 * @param {number} depth
 */
function groupsOf(conditions, depth) {
  /** @type {Map<string, Body[]>} */
  const groups = new Map()
  for (const one of conditions) {
    const place = one.where
      .split('/config/conditions/')
      .slice(0, depth + 1)
      .join('/')
    groups.set(place, [...(groups.get(place) ?? []), one])
  }
  return [...groups.values()]
}

/**
 * @param {Body} one
 * @returns {Gauge}
 */
function gaugeOf(one) {
  const share = one.limit > 0 ? Math.min(1, one.done / one.limit) : null
  const look = one.has_fired ? 'fired' : share !== null && share >= NEAR ? 'near' : ''
  return { words: one.so_far, stopsWhen: one.in_words, share, look }
}
