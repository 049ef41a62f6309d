// @ts-check
import { api } from './api.js'
import { ask } from './dialog.js'
import { find } from './dom.js'

/**
 * Ask, and revoke an approval.
 *
 * @param {HTMLElement} button  `data-revoke` is the approval's id; its row says in its first
 *   paragraph what was allowed
 * @returns {Promise<boolean>} whether it was revoked
 */
export async function revoke(button) {
  const row = /** @type {HTMLElement} */ (button.closest('[data-approval]'))
  const title = 'Revoke this approval?'
  const text = 'Active runs are not affected. The next run asks again.'
  const choices = [
    { value: '', label: 'Cancel' },
    { value: 'revoke', label: 'Revoke', tone: /** @type {const} */ ('danger') },
  ]
  if ((await ask({ title, text, body: find('p', row).cloneNode(true), choices })) !== 'revoke')
    return false
  await api.delete(`/api/approvals/${button.dataset['revoke']}`)
  return true
}
