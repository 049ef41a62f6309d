// @ts-check
/** @import {Body} from '../types.js' */
/** @import {Row} from './run-index.js' */

/**
 * Participants through whom somebody is heard, from the outside in; empty for those of the team
 * that was run.
 * @typedef {readonly string[]} NestingPath
 */

/** @type {NestingPath} */
export const TOP_LEVEL = []

/**
 * `planner › office`.
 * @param {NestingPath} inside
 */
export const nestingText = (inside) => inside.join(' › ')

/**
 * Where each name stands in a team's design; one that is used twice stands in several places.
 * @param {Body | null | undefined} component
 * @returns {Map<string, NestingPath[]>} the outermost place first
 */
export function placesIn(component) {
  /** @type {Map<string, NestingPath[]>} */
  const places = new Map()
  const stands = (/** @type {string} */ name, /** @type {NestingPath} */ inside) =>
    places.set(name, [...(places.get(name) ?? []), inside])

  /**
   * @param {Body} agent
   * @param {NestingPath} inside
   */
  function visitAgent(agent, inside) {
    const within = [...inside, nameOf(agent)]
    stands(nameOf(agent), inside)
    // it has chats with them, in its own name
    if (membersOf(agent).length > 0) stands(nameOf(agent), within)
    visitParts(agent.config, within)
  }

  /**
   * @param {unknown} value
   * @param {NestingPath} inside
   */
  function visitParts(value, inside) {
    if (typeof value !== 'object' || value === null) return
    for (const [key, part] of Object.entries(value)) {
      for (const one of Array.isArray(part) ? part : [part]) {
        if (!isEnvelope(one)) visitParts(one, inside)
        else if (isTeam(one))
          visitParts(one.config, key === 'participants' ? [...inside, nameOf(one)] : inside)
        else if (key === 'participants' || isAgent(one)) visitAgent(one, inside)
        else visitParts(one.config, inside)
      }
    }
  }

  visitParts({ root: component }, TOP_LEVEL)
  for (const found of places.values()) found.sort((a, b) => a.length - b.length)
  return places
}

/**
 * Tells of each entry whom it is inside of. What ends a turn comes right after its team has told
 * how far its conditions are, and that names the place. What else is said is placed by the design:
 * an agent with chats of its own tells nothing.
 */
export class NestedRuns {
  #places
  /** @type {Map<string, NestingPath>} so that the same place is the same array */
  #known = new Map([['[]', TOP_LEVEL]])
  /**
   * The team that told something last.
   * @type {NestingPath}
   */
  #team = TOP_LEVEL
  /** Who has the word there. */
  #chosen = ''
  /** Whether the team has just told how far it is. */
  #isTold = false

  /** @param {Body | null} [component] */
  constructor(component = null) {
    this.#places = placesIn(component)
  }

  /** The log is read from its beginning. */
  clear() {
    this.#team = TOP_LEVEL
    this.#chosen = ''
    this.#isTold = false
  }

  /**
   * @param {Pick<Row, 'kind' | 'type' | 'source' | 'note'>} row
   * @returns {NestingPath}
   */
  add({ kind, type, source, note }) {
    if (kind === 'explanation') {
      this.#isTold = type === 'TerminationProgressEvent'
      if (this.#isTold) this.#team = this.#same(note)
      else this.#chosen = note
      return TOP_LEVEL
    }
    if (kind === 'event') return this.pathOf(source)
    if (kind !== 'message') return TOP_LEVEL
    const inside = this.#isTold && this.#mayStand(source) ? this.#team : this.pathOf(source)
    this.#isTold = false
    return inside
  }

  /**
   * Where somebody is who works now.
   * @param {string} source
   * @returns {NestingPath}
   */
  pathOf(source) {
    const places = this.#places.get(source)
    if (!places) return this.#team
    const here = [...this.#team, ...(this.#chosen === '' ? [] : [this.#chosen])]
    const near = places.filter((place) =>
      place.every((name, depth) => depth >= here.length || here[depth] === name),
    )
    return this.#same(JSON.stringify((here.length > 0 ? near.at(-1) : undefined) ?? places[0]))
  }

  /**
   * In a team whose branches go side by side another one may be heard in between.
   * @param {string} source
   */
  #mayStand(source) {
    const places = this.#places.get(source)
    return !places || places.some((place) => nestingText(place) === nestingText(this.#team))
  }

  /**
   * @param {string} path  as JSON
   * @returns {NestingPath}
   */
  #same(path) {
    let known = this.#known.get(path)
    if (!known) this.#known.set(path, (known = JSON.parse(path)))
    return /** @type {NestingPath} */ (known)
  }
}

/**
 * @param {Body} part
 * @returns {unknown[]}
 */
const membersOf = (part) =>
  Array.isArray(part.config.participants) ? part.config.participants : []

/** @param {Body} part */
const isAgent = (part) =>
  part.component_type === 'agent' || /Agent$/.test(String(part.provider ?? ''))

/** @param {Body} part */
const isTeam = (part) => membersOf(part).length > 0 && !isAgent(part)

/**
 * @param {unknown} part
 * @returns {part is Body}
 */
function isEnvelope(part) {
  return (
    typeof part === 'object' &&
    part !== null &&
    typeof (/** @type {Body} */ (part).config) === 'object' &&
    /** @type {Body} */ (part).config !== null
  )
}

/**
 * As the log names it.
 * @param {Body} part
 */
const nameOf = (part) =>
  String(
    part.config.name ??
      String(part.provider ?? '')
        .split('.')
        .pop(),
  )
