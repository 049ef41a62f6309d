// @ts-check
// Notifications of the browser: that a run has ended, or waits for a person. Off until a person
// turns them on here.
import { on } from './dom.js'
import { toast } from './toast.js'

const SETTING = 'studio-notifications'
const TOLD = 'studio-notified'
const FOLLOWED = 'studio-followed-runs'
/** So many are remembered. */
const MOST = 100

/**
 * @typedef {{id: string, title: string, text: string, address: string}} News  `id`: the same news
 *   has the same one, in all windows
 */

/** Why this browser cannot notify, or '' where it can. */
export function whyNoNotifications() {
  if (!isSecureContext) return 'Notifications need HTTPS, or a studio on this machine.'
  if (!('Notification' in window)) return 'This browser has no notifications.'
  return Notification.permission === 'denied'
    ? 'The settings of this browser block notifications of the studio.'
    : ''
}

export function areNotificationsOn() {
  return (
    whyNoNotifications() === '' &&
    Notification.permission === 'granted' &&
    kept(SETTING).includes('on')
  )
}

/**
 * Notify of something, once in this browser. Whoever sees it on the page already is not notified.
 * @param {News} news
 * @param {{isSeen?: boolean}} [how]
 */
export function notify({ id, title, text, address }, { isSeen = false } = {}) {
  const told = kept(TOLD)
  if (!areNotificationsOn() || told.includes(id)) return
  keep(TOLD, [...told, id])
  if (isSeen) return
  try {
    const shown = new Notification(title, {
      body: text,
      tag: id,
      icon: document.querySelector('link[rel="icon"]')?.getAttribute('href') ?? '',
    })
    shown.onclick = () => {
      window.focus()
      shown.close()
      if (location.pathname !== address) location.assign(address)
    }
  } catch (error) {
    console.error(error) // a phone wants a service worker for them
  }
}

/**
 * From now on the end of a run is told, if anything is.
 * @param {string} runId
 */
export function followRun(runId) {
  if (areNotificationsOn()) keep(FOLLOWED, [...without(runId), runId])
}

/** @param {string} runId */
export const unfollowRun = (runId) => keep(FOLLOWED, without(runId))

/** @param {string} runId */
const without = (runId) => kept(FOLLOWED).filter((each) => each !== runId)

/**
 * Runs that were started or watched in this browser.
 * @returns {string[]}
 */
export const followedRuns = () => kept(FOLLOWED)

/** Turn them on or off. The first time the browser asks. */
export async function toggleNotifications() {
  if (areNotificationsOn()) keep(SETTING, [])
  else if (whyNoNotifications() === '' && (await Notification.requestPermission()) === 'granted')
    keep(SETTING, ['on'])
  toast(
    areNotificationsOn()
      ? 'Notifications are on in this browser.'
      : whyNoNotifications() || 'Notifications are off in this browser.',
  )
  document.dispatchEvent(new CustomEvent('notifications:change'))
}

/**
 * `<button data-notifications>` turns them on and off, and says which.
 * @param {ParentNode & EventTarget} root
 */
export function notificationSwitch(root) {
  const describe = () => {
    for (const button of root.querySelectorAll('[data-notifications]')) {
      button.setAttribute('aria-pressed', String(areNotificationsOn()))
      button.setAttribute(
        'title',
        whyNoNotifications() ||
          'Tells when a run that you started or watched ends, and when one waits for a person',
      )
    }
  }
  on(root, 'click', '[data-notifications]', () => void toggleNotifications())
  root.addEventListener('notifications:change', describe)
  describe()
}

/**
 * @param {string} name
 * @returns {string[]}
 */
function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(name) ?? '[]')
  } catch {
    return []
  }
}

/**
 * @param {string} name
 * @param {string[]} values
 */
function keep(name, values) {
  try {
    localStorage.setItem(name, JSON.stringify(values.slice(-MOST)))
  } catch {
    // Storage may be off: then nothing is notified.
  }
}
