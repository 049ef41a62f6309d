// @ts-check
// What test runs replace in a team. It is kept beside the document, by places that hold in another order too: JSON pointers
// without `config`, and with a name in place of a number in a list, such as `/participants/writer/tools/search`.
import { get, join, steps } from '../../core/pointer.js'
import { isComponent, titleOf } from './catalogue.js'
import { placeNow } from './following.js'

/**
 * @typedef {import('./catalogue.js').Component} Component
 * @typedef {import('./commands.js').Doc} Doc
 * @typedef {import('./commands.js').Command} Command
 * @typedef {{ kind: 'disable' | 'fixed' | 'pin', text?: string, is_error?: boolean }} Mock  `disable`: an agent takes no part; `fixed`: a model
 *   or tool gives the text; `pin`: the text is what a run gave
 * @typedef {Record<string, Mock>} Mocks  by their places
 */

/** What each is called on a card, and in a list. */
export const MOCK_WORDS = { disable: 'Disabled', fixed: 'Mocked', pin: 'Pinned' }

/** The place of a part. @param {Component} root @param {string} pointer */
export function placeOf(root, pointer) {
  let here = /** @type {any} */ (root)
  let place = ''
  for (const step of steps(pointer)) {
    if (!(isComponent(here) && step === 'config')) place = join(place, Array.isArray(here) ? nameIn(here, Number(step)) : step)
    here = get(here, join('', step))
  }
  return place
}

/** Where a place is now; undefined when it is gone. @param {Component} root @param {string} place @returns {string | undefined} */
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

/** An entry's name, where no other has it. @param {any[]} list @param {number} index */
function nameIn(list, index) {
  const name = list[index]?.config?.name
  return typeof name === 'string' && name !== '' && list.filter((each) => each?.config?.name === name).length === 1 ? name : String(index)
}

/** @param {any[]} list @param {string} step */
function indexIn(list, step) {
  const named = list.findIndex((each) => each?.config?.name === step)
  return named >= 0 ? named : step
}

/** @param {Doc} doc @param {string} pointer @returns {Mock | undefined} */
export function mockAt(doc, pointer) {
  const { mocks } = doc.layout
  const place = mocks ? placeOf(doc.component, pointer) : ''
  return mocks && Object.hasOwn(mocks, place) ? mocks[place] : undefined
}

/** All of a team, also those whose part is gone. @param {Doc} doc @returns {{ place: string, pointer: string | undefined, title: string, mock: Mock }[]} */
export function mocksIn(doc) {
  return Object.entries(doc.layout.mocks ?? {}).map(([place, mock]) => {
    const pointer = pointerOf(doc.component, place)
    return { place, pointer, title: pointer === undefined ? steps(place).at(-1) ?? '' : titleOf(get(doc.component, pointer)), mock }
  })
}

/** Replace a part in test runs. @param {string} pointer @param {Mock} mock @param {string} title @returns {Command} */
export function setMock(pointer, mock, title) {
  const verb = { disable: 'Disable', fixed: 'Mock', pin: 'Pin' }[mock.kind]
  return {
    label: `${verb} ${title}`,
    apply: (doc) => ({ ...doc, layout: { ...doc.layout, mocks: { ...doc.layout.mocks, [placeOf(doc.component, pointer)]: mock } } }),
  }
}

/** Use the part itself again. @param {string} place @param {string} title @returns {Command} */
export function removeMock(place, title) {
  return {
    label: `Use ${title} itself`,
    apply(doc) {
      const { mocks, ...layout } = doc.layout
      if (!mocks || !Object.hasOwn(mocks, place)) return doc
      const rest = Object.fromEntries(Object.entries(mocks).filter(([key]) => key !== place))
      return { ...doc, layout: Object.keys(rest).length > 0 ? { ...layout, mocks: rest } : layout }
    },
  }
}

/** The layout after a change of the team: mocks go where their parts go, and with them. @param {Doc['layout']} layout @param {Component} before @param {Component} after @returns {Doc['layout']} */
export function withMocksFollowing(layout, before, after) {
  const { mocks, ...rest } = layout
  if (!mocks || before === after) return layout
  const followed = Object.entries(mocks).flatMap(([place, mock]) => {
    const pointer = pointerOf(before, place)
    if (pointer === undefined) return [[place, mock]]
    const now = placeNow(before, after, pointer)
    return now === undefined || !isComponent(get(after, now)) ? [] : [[placeOf(after, now), mock]]
  })
  return followed.length > 0 ? { ...rest, mocks: Object.fromEntries(followed) } : rest
}
