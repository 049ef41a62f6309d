// @ts-check
/** @import {Body} from './types.js' */

/**
 * @typedef {{body: Body, waits: Set<string>}} Open  a decision, and who has not said a word after
 *   it
 */

/**
 * Finds the decisions that gave somebody the word: they come before the first thing that is heard
 * of the turn.
 */
export class Decisions {
  /** @type {Open[]} oldest first */
  #open = []

  /** @param {Body} body  a SpeakerDecisionEvent */
  add(body) {
    this.#open = this.#open.filter((one) => !isWithin(one.body.path, body.path))
    const waits = new Set(body.chosen.length > 0 ? body.chosen : [body.source])
    this.#open.push({ body, waits })
  }

  /**
   * Somebody is heard: the decisions that led there, from the outermost team inwards. Each is given
   * once per speaker.
   * @param {string} source
   * @returns {Body[]}
   */
  takeFor(source) {
    const speaks = this.#open.filter((one) => one.waits.has(source))
    const found = speaks.length > 0 ? speaks : this.#unnamed(source)
    const last = found.at(-1)
    if (!last) return []
    const around = this.#open.filter((one) => isAround(one, last.body.path))
    for (const one of around) one.waits.delete(last.body.path[one.body.path.length])
    for (const one of found) one.waits.delete(speaks.length > 0 ? source : [...one.waits][0])
    this.#open = this.#open.filter((one) => one.waits.size > 0)
    return [...new Set([...around, ...found])]
      .map((one) => one.body)
      .sort((a, b) => a.path.length - b.path.length)
  }

  /**
   * Some agents answer in the name of another one.
   * @param {string} source
   */
  #unnamed(source) {
    const last = this.#open.at(-1)
    return last && last.body.chosen.length === 1 && last.body.source !== source && source !== 'user'
      ? [last]
      : []
  }
}

/**
 * @param {string[]} path
 * @param {string[]} outer
 */
const isWithin = (path, outer) => outer.every((name, index) => path[index] === name)

/**
 * Whether the decision gave the word to a participant on the way.
 * @param {Open} one
 * @param {string[]} path
 */
function isAround(one, path) {
  const { length } = one.body.path
  return length < path.length && isWithin(path, one.body.path) && one.waits.has(path[length])
}
