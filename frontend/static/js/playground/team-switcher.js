// @ts-check
import { el, icon } from '../core/dom.js'
import { toastError } from '../core/toast.js'
import { server } from './log/server.js'

/**
 * The menu of all teams, filled when it is opened first.
 * @param {HTMLElement} menu
 * @param {string} teamId  of this page
 */
export function teamSwitcher(menu, teamId) {
  menu.addEventListener(
    'beforetoggle',
    async () => {
      try {
        const teams = await server.teams()
        menu.replaceChildren(
          ...teams.map(({ id, name }) => {
            const isHere = id === teamId
            return el(
              'a',
              { class: 'menu-item', href: `/teams/${id}/play`, 'aria-current': isHere && 'page' },
              icon(isHere ? 'check' : 'users'),
              el('span', { class: 'truncate' }, name),
            )
          }),
        )
      } catch (error) {
        toastError(error)
      }
    },
    { once: true },
  )
}
