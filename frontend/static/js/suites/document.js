// @ts-check
// A suite as the server keeps it: each change is one of the newest document.
import { ApiError, api } from '../core/api.js'

/** @typedef {string | { [name: string]: unknown }} Entry  a scorer, as suites write it */
/**
 * @typedef {{ id?: string, task: string, target?: unknown, tags?: string[], cluster?: string,
 *   notes?: string, fields?: object, scorers?: Entry[], origin?: object }} Case
 */
/**
 * @typedef {{ releases: boolean, worse: string, broken: string, at_least: number | null,
 *   unscored: number }} Gate  what a version must fulfill; shares are percent
 */
/** @typedef {string | { question: string, connection?: string, model?: unknown }} Preference */
/**
 * @typedef {{ aim?: string, knows?: string, most?: number, connection?: string, model?: unknown }} Person
 */
/**
 * @typedef {{ suite: string, always?: Entry[], scorers?: Entry[], cases?: Case[],
 *   gate?: Gate | null, people?: string[] | Person | null, prefer?: Preference[] }} SuiteDocument
 */

const MAX_TRIES = 4

/**
 * Change the suite that the page shows: places on the page count only while nothing was saved since.
 * @param {HTMLElement} page
 * @param {string} path
 * @param {(suite: SuiteDocument) => SuiteDocument} edit
 */
export async function changeShown(page, path, edit) {
  const document = edit(await readShown(page, path))
  const revision = Number(page.dataset['revision'])
  const saved = await api.put(path, { document, revision })
  page.dataset['revision'] = String(saved.revision)
}

/**
 * The suite that the page shows.
 * @param {HTMLElement} page
 * @param {string} path
 * @returns {Promise<SuiteDocument>}
 */
export async function readShown(page, path) {
  const { document, revision } = await api.get(path)
  if (revision !== Number(page.dataset['revision']))
    throw new ApiError(409, {
      code: 'conflict',
      message: 'The suite has been changed since you opened it.',
      fix: 'Reload the page.',
    })
  return document
}

/**
 * Change the newest document of a suite, again where someone else saved meanwhile.
 * @param {string} path
 * @param {(suite: SuiteDocument) => SuiteDocument} edit
 */
export async function changeSuite(path, edit) {
  for (let attempt = 1; ; attempt++) {
    const { document, revision } = await api.get(path)
    try {
      return await api.put(path, { document: edit(document), revision })
    } catch (error) {
      const isLate = error instanceof ApiError && error.status === 409
      if (!isLate || attempt === MAX_TRIES) throw error
    }
  }
}

/**
 * Where something stands that was read before, in the newest list.
 * @param {unknown[]} rows
 * @param {unknown} before
 * @param {number} place  where it stood
 */
export function placeOf(rows, before, place) {
  const wanted = JSON.stringify(before)
  if (JSON.stringify(rows[place]) === wanted) return place
  const at = rows.findIndex((each) => JSON.stringify(each) === wanted)
  if (at === -1)
    throw new ApiError(409, {
      code: 'conflict',
      message: 'This was changed or deleted since you opened it.',
      fix: 'Copy what you wrote, then reload the page.',
    })
  return at
}
