// @ts-check
// What people write on the canvas for each other: notes, and named groups of parts. It is kept
// beside the document.
import { parent } from '../../core/pointer.js'
import { pathOf, pointerOf } from './part-paths.js'

/**
 * @typedef {import('./catalogue.js').Component} Component
 * @typedef {import('./commands.js').Doc} Doc
 * @typedef {import('./commands.js').Command} Command
 * @typedef {{ team: string, text: string, x: number, y: number }} Note  `team`: the place of the
 *   team that it lies on; x and y are those of a pin
 * @typedef {{ name: string, members: string[] }} Group  `members`: the places of parts
 */

/** As much as a note holds, and a group's name. */
export const MAX_TEXT = 2000
export const MAX_NAME = 80

/**
 * @param {Component} root
 * @param {string} team
 * @param {{ x: number, y: number }} at
 * @param {string} id
 * @returns {Command}
 */
export function addNote(root, team, at, id) {
  const note = { team: pathOf(root, team), text: '', ...at }
  return {
    label: 'Add note',
    apply: (doc) => ({
      ...doc,
      layout: { ...doc.layout, notes: { ...doc.layout.notes, [id]: note } },
    }),
  }
}

/**
 * Write on it, or put it elsewhere; a burst of either is one step.
 * @param {string} id
 * @param {Partial<Note>} change
 * @returns {Command}
 */
export function changeNote(id, change) {
  const isText = change.text !== undefined
  return {
    label: isText ? 'Edit note' : 'Move note',
    key: `note ${id} ${isText}`,
    apply(doc) {
      const note = doc.layout.notes?.[id]
      return note
        ? {
            ...doc,
            layout: { ...doc.layout, notes: { ...doc.layout.notes, [id]: { ...note, ...change } } },
          }
        : doc
    },
  }
}

/**
 * @param {string} id
 * @returns {Command}
 */
export function removeNote(id) {
  return { label: 'Remove note', apply: (doc) => without(doc, 'notes', id) }
}

/**
 * Put parts of one team into a group; those that are in it already only give it its name.
 * @param {Component} root
 * @param {string[]} pointers
 * @param {string} name
 * @param {string} id
 * @returns {Command}
 */
export function groupParts(root, pointers, name, id) {
  const members = pointers.map((pointer) => pathOf(root, pointer))
  return {
    label: `Group ${name}`,
    apply(doc) {
      const others = Object.entries(doc.layout.groups ?? {}).flatMap(([key, group]) => {
        const left = group.members.filter((each) => !members.includes(each))
        return key === id || left.length === 0 ? [] : [[key, { ...group, members: left }]]
      })
      return {
        ...doc,
        layout: {
          ...doc.layout,
          groups: { ...Object.fromEntries(others), [id]: { name, members } },
        },
      }
    },
  }
}

/**
 * @param {string} id
 * @returns {Command}
 */
export function removeGroup(id) {
  return { label: 'Remove group', apply: (doc) => without(doc, 'groups', id) }
}

/**
 * @param {Doc} doc
 * @param {'notes' | 'groups'} name
 * @param {string} id
 * @returns {Doc}
 */
function without(doc, name, id) {
  const { [name]: all, ...layout } = doc.layout
  if (!all || !Object.hasOwn(all, id)) return doc
  const rest = Object.fromEntries(Object.entries(all).filter(([key]) => key !== id))
  return { ...doc, layout: Object.keys(rest).length > 0 ? { ...layout, [name]: rest } : layout }
}

/**
 * The notes on one team.
 * @param {Doc} doc
 * @param {string} team
 * @returns {[string, Note][]}
 */
export function notesOn(doc, team) {
  const { notes } = doc.layout
  if (!notes) return []
  const place = pathOf(doc.component, team)
  return Object.entries(notes).filter(([, note]) => note.team === place)
}

/**
 * The groups of the parts in a list, such as the members of a team.
 * @param {Doc} doc
 * @param {string} list
 * @returns {{ id: string, name: string, pointers: string[] }[]}
 */
export function groupsIn(doc, list) {
  return Object.entries(doc.layout.groups ?? {}).flatMap(([id, { name, members }]) => {
    const pointers = members
      .flatMap((place) => pointerOf(doc.component, place) ?? [])
      .filter((pointer) => parent(pointer) === list)
    return pointers.length > 0 ? [{ id, name, pointers }] : []
  })
}
