// @ts-check
// The command palette, on every page: what the page offers, then teams, runs and pages that the
// server finds.
import { api } from './api.js'
import { choose } from './chooser.js'
import { debounce } from './dom.js'
import { toastError } from './toast.js'

/**
 * What a page offers itself. `run` is told where the focus was; `isOwn` says that a query is for
 * the page alone.
 * @typedef {{ find: (query: string) => import('./chooser.js').Option[], run: (chosen:
 *   import('./chooser.js').Option, before: Element | null) => void,
 * isOwn?: (query: string) => boolean, none?: (query: string) => string, hints?: () => Node[] }}
 *   Offer
 */

const WAIT_MS = 120
const GO_TO = 'go-to:'

/** @type {Offer | null} */
let offer = null
/** Of the palette that is open. */
let changes = new EventTarget()

/**
 * Offer the actions of a page, in place of those offered before.
 * @param {Offer} given
 */
export function offerInPalette(given) {
  offer = given
}

/** What the page offers has changed: a palette that is open shows it. */
export function renewPalette() {
  changes.dispatchEvent(new Event('change'))
}

/**
 * Open it, unless something else is asked already.
 * @param {string} [query]
 * @returns {Promise<void>}
 */
export async function openPalette(query = '') {
  if (document.querySelector('dialog:modal')) return
  const page = offer
  const before = document.activeElement
  changes = new EventTarget()
  let life = new AbortController()
  /** @type {Map<string, import('./chooser.js').Option[]>} */
  const answers = new Map()
  let last = ''
  const ask = debounce(async () => {
    const asked = last
    life.abort()
    life = new AbortController()
    const { signal } = life
    try {
      const { results } = await api.get(
        `/api/search?q=${encodeURIComponent(asked.slice(0, 200))}`,
        { signal },
      )
      answers.set(
        asked,
        results.map(
          (
            /** @type {{label: string, detail: string, group: string, icon: string, url: string}} */ {
              url,
              ...each
            },
          ) => ({ ...each, id: `${GO_TO}${url}` }),
        ),
      )
      renewPalette()
    } catch (error) {
      if (!signal.aborted) toastError(error)
    }
  }, WAIT_MS)
  const find = (/** @type {string} */ typed) => {
    const own = page?.find(typed) ?? []
    if (page?.isOwn?.(typed)) return own
    last = typed
    const found = answers.get(typed)
    if (!found) ask()
    return [...own, ...(found ?? [])]
  }
  const none = (/** @type {string} */ typed) =>
    answers.has(typed) || page?.isOwn?.(typed)
      ? (page?.none?.(typed) ?? 'No matches.')
      : 'Searching…'
  const chosen = await choose({
    title: 'Commands',
    placeholder: 'Search or run a command',
    query,
    find,
    none,
    hints: page?.hints?.() ?? [],
    changes,
  })
  ask.cancel()
  life.abort()
  if (chosen?.id.startsWith(GO_TO)) location.assign(chosen.id.slice(GO_TO.length))
  else if (chosen) page?.run(chosen, before)
}
