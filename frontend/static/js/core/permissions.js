// @ts-check

/** @typedef {'viewer' | 'editor' | 'approver' | 'admin'} Role */

const ROLES = ['viewer', 'editor', 'approver', 'admin']

/**
 * Whether the person of this page may do what needs that role. The server refuses it anyway: this
 * only spares the try.
 * @param {Role} role
 */
export function can(role) {
  const own = document.documentElement.dataset['role'] ?? ''
  return own === '' || ROLES.indexOf(own) >= ROLES.indexOf(role)
}

/**
 * Whether it is the name of the person of this page.
 * @param {string} name
 */
export const isMyName = (name) =>
  name !== '' && name === globalThis.document?.documentElement.dataset['person']
