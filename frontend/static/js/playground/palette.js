// @ts-check
/** @import {Action, Actions} from '../core/actions.js' */
import { actionOptions } from '../core/action-options.js'
import { offerInPalette, openPalette } from '../core/palette.js'
import { recent, remember } from '../core/recent.js'

const ID = 'command-palette'
const RECENT = 'studio-recent-run-actions'
const RECENT_COUNT = 4

/**
 * Everything that can be done with a run, by name.
 * @param {Actions} actions
 * @returns {Action[]}
 */
export function paletteAction(actions) {
  const all = () => actions.all().filter((each) => each.id !== ID)
  offerInPalette({
    find: (query) => actionOptions(all(), query, recent(RECENT)),
    run: ({ id }) => {
      remember(RECENT, id, RECENT_COUNT)
      actions.run(id)
    },
  })
  return [
    {
      id: ID,
      label: 'Find a command',
      icon: 'search',
      keys: ['mod+k'],
      inFields: true,
      group: 'Help',
      scope: 'page',
      run: () => void openPalette(),
    },
  ]
}
