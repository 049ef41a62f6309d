// @ts-check
// Places of parts that are kept beside the document and hold in another order too: JSON pointers
// without `config`, and with a name in place of a number in a list, such as
// `/participants/writer/tools/search`. The server reads them (studio/runs/mocks.py).
import { get, join, steps } from '../../core/pointer.js'
import { isComponent } from './catalogue.js'
import { currentPointer } from './pointer-tracking.js'

/**
 * @typedef {import('./catalogue.js').Component} Component
 * @typedef {import('./commands.js').Layout} Layout
 */

/**
 * The place of a part.
 * @param {Component} root
 * @param {string} pointer
 */
export function pathOf(root, pointer) {
  let here = /** @type {any} */ (root)
  let place = ''
  for (const step of steps(pointer)) {
    if (!(isComponent(here) && step === 'config'))
      place = join(place, Array.isArray(here) ? nameIn(here, Number(step)) : step)
    here = get(here, join('', step))
  }
  return place
}

/**
 * Where a place is now; undefined when it is gone.
 * @param {Component} root
 * @param {string} place
 * @returns {string | undefined}
 */
export function pointerOf(root, place) {
  let here = /** @type {any} */ (root)
  let pointer = ''
  for (const step of steps(place)) {
    const key = Array.isArray(here) ? String(indexIn(here, step)) : step
    pointer = isComponent(here) ? join(pointer, 'config', key) : join(pointer, key)
    here = get(root, pointer)
    if (here === undefined) return undefined
  }
  return isComponent(here) ? pointer : undefined
}

/**
 * An entry's name, where no other has it.
 * @param {any[]} list
 * @param {number} index
 */
function nameIn(list, index) {
  const name = list[index]?.config?.name
  return typeof name === 'string' &&
    name !== '' &&
    list.filter((each) => each?.config?.name === name).length === 1
    ? name
    : String(index)
}

/**
 * @param {any[]} list
 * @param {string} step
 */
function indexIn(list, step) {
  const named = list.findIndex((each) => each?.config?.name === step)
  return named >= 0 ? named : step
}

/**
 * The layout after a change of the team: what is kept of parts goes where they go, and goes with
 * them.
 * @param {Layout} layout
 * @param {Component} before
 * @param {Component} after
 * @returns {Layout}
 */
export function withUpdatedPaths(layout, before, after) {
  const { mocks, imported, notes, groups, ...rest } = layout
  if (before === after || !(mocks || imported || notes || groups)) return layout
  const now = (/** @type {string} */ place) => updatedPath(before, after, place)
  return {
    ...rest,
    ...some(
      'mocks',
      Object.entries(mocks ?? {}).map(([place, mock]) => [now(place), mock]),
    ),
    ...some(
      'imported',
      Object.entries(imported ?? {}).map(([place, findings]) => [now(place), findings]),
    ),
    ...some(
      'notes',
      Object.entries(notes ?? {}).map(([id, note]) => [
        now(note.team) === undefined ? undefined : id,
        { ...note, team: now(note.team) },
      ]),
    ),
    ...some(
      'groups',
      Object.entries(groups ?? {}).map(([id, group]) => {
        const members = group.members.flatMap((place) => now(place) ?? [])
        return [members.length > 0 ? id : undefined, { ...group, members }]
      }),
    ),
  }
}

/**
 * @param {string} name
 * @param {[string | undefined, unknown][]} entries  those without a key are gone
 */
function some(name, entries) {
  const kept = entries.filter(([key]) => key !== undefined)
  return kept.length > 0 ? { [name]: Object.fromEntries(kept) } : {}
}

/**
 * Where a place has gone; undefined with its part. One that was gone before stays, to be seen.
 * @param {Component} before
 * @param {Component} after
 * @param {string} place
 * @returns {string | undefined}
 */
function updatedPath(before, after, place) {
  const pointer = pointerOf(before, place)
  if (pointer === undefined) return place
  const now = currentPointer(before, after, pointer)
  return now === undefined || !isComponent(now === '' ? after : get(after, now))
    ? undefined
    : pathOf(after, now)
}
