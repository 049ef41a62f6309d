// @ts-check
// Parts of a team as text that travels: between teams, windows and machines. Keys stay behind.
import { get, isRecord, join, last, parent, set, steps } from '../../core/pointer.js'
import { isComponent, titleOf } from './catalogue.js'
import { addComponent, ownerOf } from './commands.js'
import { linksFrom, withEdges, withHandoffs } from './links.js'
import { pinKey, pinOf } from './pins.js'
import { targetsNear, refusal } from './slot-targets.js'
import { withoutKeys } from './secrets.js'
import { inDocumentOrder, outermost } from './selection.js'

/**
 * @typedef {import('./catalogue.js').Catalogue} Catalogue
 * @typedef {import('./catalogue.js').Component} Component
 * @typedef {import('./commands.js').Doc} Doc
 * @typedef {import('./commands.js').Command} Command
 * @typedef {import('./links.js').Link} Link
 * @typedef {{ x: number, y: number }} Point
 * @typedef {{ components: Component[], edges: Link[], pins: Record<string, Point> }} Parcel
 *   `pins`: places by the agents' names
 */

const ENVELOPE = 'team-studio'
const MAX_CHARS = 5_000_000
/** A team within a team is four levels deeper; what is deeper than this was made to do harm. */
const MAX_DEPTH = 200
/** How far pasted cards stand beside those they were copied from. */
const BESIDE = 40

/**
 * What leaves the team.
 * @param {Catalogue} catalogue
 * @param {Doc} doc
 * @param {readonly string[]} pointers
 * @returns {Parcel}
 */
export function packed(catalogue, doc, pointers) {
  const chosen = inDocumentOrder(outermost([...pointers])).filter((each) =>
    isComponent(get(doc.component, each)),
  )
  const members = chosen.filter((each) => isMember(catalogue, doc.component, each))
  const team = ownerOf(members[0] ?? '')
  const names = members.map((each) => titleOf(get(doc.component, each)))
  const pins = members.flatMap((each, index) => {
    const pin = pinOf(doc.layout.pins, pinKey(doc.component, each))
    return pin ? [[names[index], pin]] : []
  })
  return {
    components: chosen.map((each) => withoutKeys(catalogue, get(doc.component, each))),
    edges:
      members.length > 0 && members.every((each) => ownerOf(each) === team)
        ? linksFrom(get(doc.component, team), names)
        : [],
    pins: Object.fromEntries(pins),
  }
}

/** @param {Parcel} parcel */
export function asText(parcel) {
  return JSON.stringify({ [ENVELOPE]: parcel }, null, 2)
}

/**
 * What a text holds: parts that were copied here, or the JSON of one component or a list of them,
 * wherever it is from.
 * @param {string} text
 * @returns {{ parcel: Parcel } | { problem: string }}
 */
export function unpacked(text) {
  if (text.trim() === '') return { problem: 'Nothing to paste.' }
  if (text.length > MAX_CHARS) return { problem: 'The pasted text is too large.' }
  if (depthOf(text) > MAX_DEPTH) return { problem: 'This JSON is nested too deeply to be a team.' }
  try {
    return parcelOf(JSON.parse(text))
  } catch {
    return { problem: 'Only the JSON of components can be pasted here.' }
  }
}

/**
 * How deeply lists and objects are nested in a JSON text.
 * @param {string} text
 */
function depthOf(text) {
  let [depth, most] = [0, 0]
  for (const [symbol] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (symbol === '[' || symbol === '{') most = Math.max(most, ++depth)
    else if (symbol === ']' || symbol === '}') depth -= 1
  }
  return most
}

/**
 * @param {any} value
 * @returns {{ parcel: Parcel } | { problem: string }}
 */
function parcelOf(value) {
  const own = value?.[ENVELOPE]
  const components = own ? own.components : Array.isArray(value) ? value : [value]
  if (!Array.isArray(components) || components.length === 0)
    return { problem: 'This JSON contains no component.' }
  const wrong = components.findIndex((each) => !isComponent(each) || !isRecord(each.config))
  if (wrong >= 0) {
    const what = components.length === 1 ? 'This JSON' : `Entry ${wrong + 1} of this JSON`
    return { problem: `${what} is not a component: it needs a "provider" and a "config".` }
  }
  const edges = Array.isArray(own?.edges)
    ? own.edges.filter(
        (/** @type {any} */ each) =>
          typeof each?.from === 'string' && typeof each?.target === 'string',
      )
    : []
  const pins = Object.entries(isRecord(own?.pins) ? own.pins : {}).filter(
    ([, at]) => Number.isFinite(at?.x) && Number.isFinite(at?.y),
  )
  return { parcel: { components, edges, pins: Object.fromEntries(pins) } }
}

/**
 * Put everything where it fits at a target: as one step, under fresh names, linked among each other
 * as they were.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {Parcel} parcel
 * @param {string} target
 * @param {{ isLinked?: boolean }} [options]  `isLinked`: keep links to others, where the team has
 *   them
 * @returns {{ command: Command | null, refused: string[] }}
 */
export function pasteCommand(catalogue, root, parcel, target, { isLinked = false } = {}) {
  const fitting = parcel.components.filter((each) => onlyPlace(catalogue, root, each, target))
  const refused = parcel.components
    .filter((each) => !fitting.includes(each))
    .map((each) => refusalReason(catalogue, root, each, target))
  if (fitting.length === 0) return { command: null, refused }
  /** @type {Command} */
  const command = {
    label: `Paste ${fitting.length === 1 && fitting[0] ? titleOf(fitting[0]) : `${fitting.length} parts`}`,
    apply(doc) {
      const { here, placed } = insertAll(catalogue, doc, fitting, target)
      command.select = placed
      return linked(catalogue, here, parcel, fitting, placed, isLinked)
    },
  }
  return { command, refused }
}

/**
 * The place where a part goes without asking.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {Component} component
 * @param {string} target
 */
function onlyPlace(catalogue, root, component, target) {
  const places = targetsNear(catalogue, root, component, target)
  return places.length === 1 ? places[0] : undefined
}

/**
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {Component} component
 * @param {string} target
 */
function refusalReason(catalogue, root, component, target) {
  const count = targetsNear(catalogue, root, component, target).length
  return count > 1
    ? `${titleOf(component)} could go to ${count} slots: select one.`
    : refusal(catalogue, root, component, '')
}

/**
 * One after the other, each behind the one before.
 * @param {Catalogue} catalogue
 * @param {Doc} doc
 * @param {Component[]} components
 * @param {string} target
 */
function insertAll(catalogue, doc, components, target) {
  /** @type {string[]} */
  const placed = []
  let here = doc
  for (const component of components) {
    const before = placed.findLast((each) => isMember(catalogue, here.component, each))
    const place = onlyPlace(
      catalogue,
      here.component,
      structuredClone(component),
      catalogue.isParticipant(component) ? (before ?? target) : target,
    )
    if (!place) continue
    here = place.command.apply(here)
    placed.push(String(place.command.select ?? place.slot))
  }
  return { here, placed }
}

/**
 * @param {Catalogue} catalogue
 * @param {Doc} doc
 * @param {Parcel} parcel
 * @param {Component[]} components
 * @param {string[]} placed
 * @param {boolean} isLinked
 * @returns {Doc}
 */
function linked(catalogue, doc, parcel, components, placed, isLinked) {
  const members = placed
    .map((pointer, index) => ({ pointer, old: components[index] }))
    .filter((each) => isMember(catalogue, doc.component, each.pointer))
  const team = ownerOf(members[0]?.pointer ?? '')
  const nameAt = (/** @type {string} */ pointer) => titleOf(get(doc.component, pointer))
  const renamed = new Map(members.map(({ pointer, old }) => [titleOf(old), nameAt(pointer)]))
  const there = new Set(members.length > 0 ? namesIn(catalogue, doc.component, team) : [])
  const isKept = (/** @type {string} */ name) => isLinked && there.has(name)
  let root = doc.component
  for (const { pointer } of members) {
    const component = withHandoffs(get(root, pointer), renamed, isKept)
    root = component === get(root, pointer) ? root : set(root, pointer, component)
  }
  if (members.length > 0) root = withEdges(root, team, renamed, parcel.edges, isKept)
  const pins = members.flatMap(({ pointer, old }) => {
    const at = pinOf(parcel.pins, titleOf(old))
    return at ? [[pinKey(root, pointer), { x: at.x + BESIDE, y: at.y + BESIDE }]] : []
  })
  return {
    ...doc,
    component: root,
    layout:
      pins.length > 0
        ? { ...doc.layout, pins: { ...doc.layout.pins, ...Object.fromEntries(pins) } }
        : doc.layout,
  }
}

/**
 * Copies of members of a list, right behind the last of them. Links to others stay: they are in the
 * same team.
 * @param {Catalogue} catalogue
 * @param {Doc} doc
 * @param {readonly string[]} pointers
 * @returns {Command}
 */
export function duplicateCommand(catalogue, doc, pointers) {
  const chosen = inDocumentOrder(outermost([...pointers])).filter(
    (each) =>
      isComponent(get(doc.component, each)) && Array.isArray(get(doc.component, parent(each))),
  )
  const originals = chosen.map((each) => /** @type {Component} */ (get(doc.component, each)))
  /** @type {Command} */
  const command = {
    label: `Duplicate ${originals.length === 1 && originals[0] ? titleOf(originals[0]) : `${originals.length} parts`}`,
    apply(before) {
      if (chosen.length === 0) return before
      /** @type {string[]} */
      let placed = []
      let here = before
      // From the last list to the first: what stands before a list keeps its place.
      for (const list of [...new Set(chosen.map(parent))].toReversed()) {
        const own = chosen.filter((each) => parent(each) === list)
        const from = Number(last(own.at(-1) ?? '')) + 1
        own.forEach((pointer, nth) => {
          here = addComponent(
            list,
            true,
            structuredClone(get(before.component, pointer)),
            from + nth,
          ).apply(here)
        })
        placed = [
          ...own.map((_each, nth) => join(list, from + nth)),
          ...placed.map((each) => pushedBack(each, list, from, own.length)),
        ]
      }
      command.select = placed
      const { edges, pins } = packed(catalogue, before, chosen)
      const between = edges.filter((edge) =>
        originals.some((each) => titleOf(each) === edge.target),
      )
      return linked(
        catalogue,
        here,
        { components: originals, edges: between, pins },
        originals,
        placed,
        true,
      )
    },
  }
  return command
}

/**
 * Where a pointer points once `count` entries stand before entry `from` of a list.
 * @param {string} pointer
 * @param {string} list
 * @param {number} from
 * @param {number} count
 */
function pushedBack(pointer, list, from, count) {
  if (!pointer.startsWith(`${list}/`)) return pointer
  const [index = '', ...rest] = steps(pointer.slice(list.length))
  return Number(index) >= from ? join(list, Number(index) + count, ...rest) : pointer
}

/**
 * Whether it stands among the members of a team.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {string} pointer
 */
function isMember(catalogue, root, pointer) {
  const [component, team] = [get(root, pointer), get(root, ownerOf(pointer))]
  return (
    pointer !== '' &&
    isComponent(component) &&
    isComponent(team) &&
    catalogue.isParticipant(component) &&
    catalogue.kindOf(team) === 'team'
  )
}

/**
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {string} team
 */
function namesIn(catalogue, root, team) {
  return catalogue
    .children(get(root, team), team)
    .filter((each) => isMember(catalogue, root, each.pointer))
    .map((each) => titleOf(each.component))
}
