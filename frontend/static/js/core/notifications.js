// @ts-check
// Notifications of the browser: that a run has ended, or waits for a person. Off until a person
// turns them on here.
import { on } from './dom.js'
import { toast } from './toast.js'

const SETTING = 'studio-notifications'
const NOTIFIED = 'studio-notified'
const FOLLOWED = 'studio-followed-runs'
/** So many are remembered. */
const MAX_REMEMBERED = 100

/**
 * @typedef {{id: string, title: string, text: string, address: string}} News  `id`: the same news
 *   has the same one, in all windows
 */

/** Why this browser cannot notify, or '' where it can. */
export function notificationsUnavailableReason() {
  if (!isSecureContext) return 'Notifications need HTTPS or localhost.'
  if (!('Notification' in window)) return 'This browser does not support notifications.'
  return Notification.permission === 'denied'
    ? 'Your browser settings block notifications from this site.'
    : ''
}

export function areNotificationsOn() {
  return (
    notificationsUnavailableReason() === '' &&
    Notification.permission === 'granted' &&
    load(SETTING).includes('on')
  )
}

/**
 * Notify of something, once in this browser. Whoever sees it on the page already is not notified.
 * @param {News} news
 * @param {{isSeen?: boolean}} [how]
 */
export function notify({ id, title, text, address }, { isSeen = false } = {}) {
  const notified = load(NOTIFIED)
  if (!areNotificationsOn() || notified.includes(id)) return
  store(NOTIFIED, [...notified, id])
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
  if (areNotificationsOn()) store(FOLLOWED, [...without(runId), runId])
}

/** @param {string} runId */
export const unfollowRun = (runId) => store(FOLLOWED, without(runId))

/** @param {string} runId */
const without = (runId) => load(FOLLOWED).filter((each) => each !== runId)

/**
 * Runs that were started or watched in this browser.
 * @returns {string[]}
 */
export const followedRuns = () => load(FOLLOWED)

/** Turn them on or off. The first time the browser asks. */
export async function toggleNotifications() {
  if (areNotificationsOn()) store(SETTING, [])
  else if (
    notificationsUnavailableReason() === '' &&
    (await Notification.requestPermission()) === 'granted'
  )
    store(SETTING, ['on'])
  toast(
    areNotificationsOn()
      ? 'Notifications are on in this browser.'
      : notificationsUnavailableReason() || 'Notifications are off in this browser.',
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
        notificationsUnavailableReason() ||
          'Notifies you when a run that you started or watched ends or needs input',
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
function load(name) {
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
function store(name, values) {
  try {
    localStorage.setItem(name, JSON.stringify(values.slice(-MAX_REMEMBERED)))
  } catch {
    // Storage may be off: then nothing is notified.
  }
}
