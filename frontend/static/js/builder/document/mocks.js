// @ts-check
// What test runs replace in a team, kept beside the document by the places of parts.
import { get, steps } from '../../core/pointer.js'
import { titleOf } from './catalogue.js'
import { pathOf, pointerOf } from './part-paths.js'

/**
 * @typedef {import('./commands.js').Doc} Doc
 * @typedef {import('./commands.js').Command} Command
 * @typedef {{ kind: 'disable' | 'fixed' | 'pin', text?: string, is_error?: boolean }} Mock
 *   `disable`: an agent takes no part; `fixed`: a model
 *   or tool gives the text; `pin`: the text is what a run gave
 * @typedef {Record<string, Mock>} Mocks  by their places
 */

/** What each is called on a card, and in a list. */
export const MOCK_WORDS = { disable: 'Disabled', fixed: 'Mocked', pin: 'Pinned' }

/**
 * @param {Doc} doc
 * @param {string} pointer
 * @returns {Mock | undefined}
 */
export function mockAt(doc, pointer) {
  const { mocks } = doc.layout
  const place = mocks ? pathOf(doc.component, pointer) : ''
  return mocks && Object.hasOwn(mocks, place) ? mocks[place] : undefined
}

/**
 * All of a team, also those whose part is gone.
 * @param {Doc} doc
 * @returns {{ place: string, pointer: string | undefined, title: string, mock: Mock }[]}
 */
export function mocksIn(doc) {
  return Object.entries(doc.layout.mocks ?? {}).map(([place, mock]) => {
    const pointer = pointerOf(doc.component, place)
    return {
      place,
      pointer,
      title:
        pointer === undefined ? (steps(place).at(-1) ?? '') : titleIn(doc.component, pointer, mock),
      mock,
    }
  })
}

/**
 * What a part is called, with whose it is, as a run says it.
 * @param {import('./catalogue.js').Component} root
 * @param {string} pointer
 * @param {Mock} mock
 */
function titleIn(root, pointer, { kind }) {
  const owner = pointer.slice(0, Math.max(0, pointer.lastIndexOf('/config/')))
  const title = titleOf(get(root, pointer))
  return kind === 'disable' || owner === '' ? title : `${titleOf(get(root, owner))} › ${title}`
}

/**
 * Replace a part in test runs.
 * @param {string} pointer
 * @param {Mock} mock
 * @param {string} title
 * @returns {Command}
 */
export function setMock(pointer, mock, title) {
  const verb = { disable: 'Disable', fixed: 'Mock', pin: 'Pin' }[mock.kind]
  return {
    label: `${verb} ${title}`,
    apply: (doc) => ({
      ...doc,
      layout: {
        ...doc.layout,
        mocks: { ...doc.layout.mocks, [pathOf(doc.component, pointer)]: mock },
      },
    }),
  }
}

/**
 * Use the part itself again.
 * @param {string} place
 * @param {string} title
 * @returns {Command}
 */
export function removeMock(place, title) {
  return {
    label: `Stop mocking ${title}`,
    apply(doc) {
      const { mocks, ...layout } = doc.layout
      if (!mocks || !Object.hasOwn(mocks, place)) return doc
      const rest = Object.fromEntries(Object.entries(mocks).filter(([key]) => key !== place))
      return { ...doc, layout: Object.keys(rest).length > 0 ? { ...layout, mocks: rest } : layout }
    },
  }
}
