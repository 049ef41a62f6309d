// @ts-check
import { api } from './api.js'
import { areNotificationsOn } from './notifications.js'

/** Most people are not notified. */
const loadNews = () => import('./run-notifications.js')
/** Questions are rare, and a page of a run is told of its own at once. */
const LOOK_AGAIN_MS = 20_000

/**
 * The number of open questions on the navigation's Inbox. Looked for again when the page comes to
 * the front, after `inbox:change`, and now and then while somebody can see it or wants to be
 * notified.
 * @param {Document} root
 */
export function inboxCount(root) {
  const badge = root.querySelector('[data-inbox-count]')
  if (!(badge instanceof HTMLElement)) return
  let isOld = true

  async function look() {
    if (root.hidden && !areNotificationsOn()) return
    try {
      const questions = await api.get('/api/inbox')
      show(/** @type {HTMLElement} */ (badge), questions.length)
      if (areNotificationsOn()) await (await loadNews()).notifyOfRuns(questions, { isOld })
      isOld = false
    } catch {
      // The number stays as it was: the page itself tells when the studio cannot be reached.
    }
  }
  root.addEventListener('visibilitychange', look)
  root.addEventListener('inbox:change', look)
  root.addEventListener('notifications:change', () => {
    isOld = true
    void look()
  })
  setInterval(look, LOOK_AGAIN_MS)
  void look()
}

/**
 * @param {HTMLElement} badge
 * @param {number} count
 */
function show(badge, count) {
  badge.hidden = count === 0
  badge.textContent = count > 99 ? '99+' : String(count)
  badge.parentElement?.setAttribute('aria-label', count === 0 ? 'Inbox' : `Inbox, ${count} open`)
}
