// @ts-check
// Which tab of which browser this is. Held for as long as the page lives, so that others can tell
// whether it still does.

const LOCK = 'studio-tab-'
const WAIT_MS = 500

/**
 * The name that is kept, else a new one; the storage may be off, and then even asking for it
 * throws.
 * @param {() => Storage} storage
 * @param {string} name
 * @param {boolean} [isNew]
 */
function kept(storage, name, isNew = false) {
  const fresh = Array.from(crypto.getRandomValues(new Uint8Array(5)), (byte) =>
    byte.toString(36).padStart(2, '0'),
  ).join('')
  try {
    const id = (isNew ? null : storage().getItem(name)) ?? fresh
    storage().setItem(name, id)
    return id
  } catch {
    return fresh
  }
}

let browser = ''

/** This browser's name, the same for all its tabs. */
export function browserId() {
  browser ||= kept(() => localStorage, 'studio-browser')
  return browser
}

/**
 * The tab's name, the same after a reload; a copy of the tab gets its own.
 * @returns {Promise<string>}
 */
export async function tabId() {
  const id = kept(() => sessionStorage, 'studio-tab')
  if (!navigator.locks || (await hold(LOCK + id))) return id
  const fresh = kept(() => sessionStorage, 'studio-tab', true)
  await hold(LOCK + fresh)
  return fresh
}

/**
 * @param {string} name
 * @returns {Promise<boolean>} false when another tab has it
 */
function hold(name) {
  return new Promise((resolve) => {
    const waiting = { signal: AbortSignal.timeout(WAIT_MS) }
    const forever = new Promise(() => {})
    navigator.locks
      .request(name, waiting, () => {
        resolve(true)
        return forever
      })
      .catch(() => resolve(false))
  })
}

/**
 * The tabs that are open now.
 * @returns {Promise<Set<string>>}
 */
export async function openTabs() {
  const { held = [] } = (await navigator.locks?.query()) ?? {}
  return new Set(
    held.flatMap(({ name }) => (name?.startsWith(LOCK) ? [name.slice(LOCK.length)] : [])),
  )
}

/**
 * Who saves, as versions tell it: "Chrome on Linux#browser.tab".
 * @param {string} tab
 */
export function authorOf(tab) {
  return `${browserName(navigator.userAgent)}#${browserId()}.${tab}`
}

/**
 * Whether a version was saved in this browser.
 * @param {string} author
 */
export function isHere(author) {
  return author.split('#')[1]?.split('.')[0] === browserId()
}

/** @param {string} agent */
function browserName(agent) {
  const browser =
    [
      ['Edg/', 'Edge'],
      ['Firefox/', 'Firefox'],
      ['Chrome/', 'Chrome'],
      ['Safari/', 'Safari'],
    ].find(([mark = '']) => agent.includes(mark))?.[1] ?? 'Browser'
  const system = [
    ['Windows', 'Windows'],
    ['Mac OS', 'Mac'],
    ['Android', 'Android'],
    ['Linux', 'Linux'],
  ].find(([mark = '']) => agent.includes(mark))?.[1]
  return system ? `${browser} on ${system}` : browser
}
