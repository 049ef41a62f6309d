// @ts-check
/** @import {NamedCost, Used} from './money.js' */
import { el } from '../../core/dom.js'
import { duration, tokens } from '../format.js'
import { amount, costText, tokensOf, budgetOwner } from './money.js'

/** @typedef {'micro_usd' | 'tokens' | 'ms'} Axis */

/** @type {{[axis in Axis]: (cost: NamedCost) => number}} */
const VALUES = { micro_usd: (cost) => cost.micro_usd, tokens: tokensOf, ms: (cost) => cost.ms }

/**
 * What each of a kind took, with bars of one measure.
 * @param {string} title
 * @param {NamedCost[]} costs
 * @param {Axis} axis
 * @param {{hasTokens?: boolean, nobody?: string}} [options]
 */
export function costTable(title, costs, axis, { hasTokens = true, nobody = 'The team' } = {}) {
  const most = Math.max(1, ...costs.map(VALUES[axis]))
  const heads = ['Calls', ...(hasTokens ? ['Tokens', 'Cost'] : []), 'Time']
  const rows = costs.map((cost) =>
    el(
      'tr',
      {},
      el(
        'th',
        { scope: 'row' },
        el('span', { class: 'cost-name' }, cost.name || nobody),
        bar(VALUES[axis](cost) / most),
      ),
      el('td', { class: 'end numeric' }, cost.calls),
      hasTokens &&
        el('td', { class: 'end numeric', title: tokenTitle(cost) }, tokens(tokensOf(cost))),
      hasTokens && el('td', { class: 'end numeric' }, costText(cost)),
      el('td', { class: 'end numeric' }, duration(cost.ms)),
    ),
  )
  return el(
    'table',
    { class: 'table cost-table' },
    el('caption', {}, title),
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        el('th', { scope: 'col' }, el('span', { class: 'visually-hidden' }, 'Name')),
        ...heads.map((head) => el('th', { scope: 'col', class: 'end' }, head)),
      ),
    ),
    el('tbody', {}, ...rows),
  )
}

/** @param {NamedCost} cost */
function tokenTitle({ prompt_tokens: input, completion_tokens: output, cached_tokens: cached }) {
  const kept = cached > 0 ? ` (${cached.toLocaleString('en')} cached)` : ''
  return `${input.toLocaleString('en')} in${kept}, ${output.toLocaleString('en')} out`
}

/**
 * How much of each limit is spent.
 * @param {Used[]} used
 */
export function budgetBars(used) {
  return el(
    'ul',
    { class: 'budget-bars', role: 'list', 'aria-label': 'Limits' },
    ...used.map((each) => {
      const share = each.limit === 0 ? 1 : each.spent / each.limit
      const look = share >= 1 ? 'full' : share >= 0.8 ? 'near' : ''
      const more = { full: ', used up', near: ', nearly used up', '': '' }[look]
      return el(
        'li',
        { 'data-look': look },
        el('span', { class: 'budget-whose truncate' }, budgetOwner(each)),
        el(
          'span',
          { class: 'numeric' },
          `${amount(each.measure, each.spent)} of ${amount(each.measure, each.limit)}`,
          more && el('span', { class: 'visually-hidden' }, more),
        ),
        bar(Math.min(1, share)),
      )
    }),
  )
}

/** @param {number} share */
export function bar(share) {
  const fill = el('span', { class: 'cost-fill' })
  fill.style.inlineSize = `${share * 100}%`
  return el('span', { class: 'cost-bar', 'aria-hidden': 'true' }, fill)
}
