// @ts-check
/** @import {Action} from './actions.js' */
/** @import {Option} from './chooser.js' */
import { disabledReason } from './actions.js'
import { ranked } from './ranking.js'

/**
 * Actions as lines to choose from: the best for a query first, else those used last, then all in
 * their groups.
 * @param {Action[]} all
 * @param {string} query
 * @param {string[]} recent  ids, newest first
 * @returns {Option[]}
 */
export function actionOptions(all, query, recent) {
  if (query !== '')
    return ranked(query, all, (each) => ({
      label: each.label,
      aside: `${each.group} ${each.words ?? ''}`,
    })).map((each) => optionOf(each))
  const used = recent.flatMap((id) => all.find((each) => each.id === id) ?? [])
  const rest = all
    .filter((each) => !used.includes(each))
    .toSorted(
      (a, b) =>
        groupOrder(all, a) - groupOrder(all, b) ||
        Number(disabledReason(a) !== '') - Number(disabledReason(b) !== ''),
    )
  return [...used.map((each) => optionOf(each, 'Recent')), ...rest.map((each) => optionOf(each))]
}

/**
 * Groups as they were added, each in one piece.
 * @param {Action[]} all
 * @param {Action} action
 */
function groupOrder(all, action) {
  return all.findIndex((each) => each.group === action.group)
}

/**
 * @param {Action} action
 * @param {string} [group]
 * @returns {Option}
 */
function optionOf(action, group = action.group) {
  return {
    id: action.id,
    label: action.label,
    group,
    keys: action.keys ?? [],
    icon: action.icon ?? '',
    reason: disabledReason(action),
  }
}
