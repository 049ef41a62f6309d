// @ts-check
/** @import {Action, Actions} from '../core/actions.js' */
import { actionOptions } from '../core/action-options.js'
import { choose } from '../core/chooser.js'
import { recent, remember } from '../core/recent.js'

const ID = 'command-palette'
const RECENT = 'studio-recent-run-actions'
const RECENT_COUNT = 4

/** Everything that can be done with a run, by name. @param {Actions} actions @returns {Action[]} */
export function paletteAction(actions) {
  const open = async () => {
    const all = () => actions.all().filter((each) => each.id !== ID)
    const chosen = await choose({ title: 'Commands', placeholder: 'What would you like to do?', find: (query) => actionOptions(all(), query, recent(RECENT)), none: () => 'No command has that name.' })
    if (!chosen) return
    remember(RECENT, chosen.id, RECENT_COUNT)
    actions.run(chosen.id)
  }
  return [{ id: ID, label: 'Find a command', icon: 'search', keys: ['mod+k'], inFields: true, group: 'Help', scope: 'page', run: () => void open() }]
}
