// @ts-check
// Money, costs and limits in words.
import { duration, tokens } from '../format.js'

/**
 * @typedef {object} Cost  what calls took together
 * @property {number} calls
 * @property {number} prompt_tokens
 * @property {number} completion_tokens
 * @property {number} cached_tokens
 * @property {number} micro_usd  millionths of a dollar, without the calls whose price is unknown
 * @property {number} unpriced_calls
 * @property {number} ms
 *
 * @typedef {Cost & {name: string}} NamedCost
 *
 * @typedef {'micro_usd' | 'tokens' | 'turns' | 'seconds'} Measure
 * @typedef {{[name in Measure]?: number | null}} Limits
 * @typedef {{run: Limits, agents: {[name: string]: Limits}, day: Limits}} Budget
 * @typedef {{scope: string, name: string, measure: Measure, limit: number, spent: number}} Used
 */

const MICRO = 1_000_000

/**
 * Two digits behind the point, more for what is less than ten cents.
 * @param {number} microUsd
 */
export function money(microUsd) {
  const dollars = microUsd / MICRO
  if (microUsd === 0 || dollars >= 0.1)
    return `$${dollars.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`
  return `$${dollars.toFixed(dollars >= 0.0001 ? 4 : 6)}`
}

/**
 * Never 0 where nobody knows.
 * @param {{micro_usd?: number, unpriced_calls?: number}} cost
 */
export function costText({ micro_usd = 0, unpriced_calls = 0 }) {
  if (unpriced_calls === 0) return money(micro_usd)
  return micro_usd > 0 ? `${money(micro_usd)} + price unknown` : 'price unknown'
}

/** @param {Cost} cost */
export const tokensOf = (cost) => cost.prompt_tokens + cost.completion_tokens

/**
 * @param {Measure} measure
 * @param {number} amount
 */
export function amount(measure, amount) {
  if (measure === 'micro_usd') return money(amount)
  if (measure === 'seconds') return duration(amount * 1000)
  return `${tokens(amount)} ${measure}`
}

/**
 * For whom a limit is.
 * @param {{scope: string, name: string}} used
 */
export function budgetOwner({ scope, name }) {
  return (
    { run: 'This run', agent: name, team_day: 'This team today', studio_day: 'All teams today' }[
      scope
    ] ?? scope
  )
}

/** @typedef {{median: number, high: number}} Range */

/** Fewer runs say nothing of the spread. */
const ENOUGH_RUNS = 5

/**
 * What a run takes, by past ones.
 * @param {{run_count: number, tokens: Range | null, micro_usd: Range | null, ms: Range | null}}
 *   estimate
 */
export function estimateText({ run_count: count, tokens: used, micro_usd: spent, ms: time }) {
  if (count === 0 || !used || !time) return 'No estimate yet. Run the team once to get one.'
  const words = (/** @type {'median' | 'high'} */ which) =>
    [
      `${tokens(used[which])} tokens`,
      spent ? money(spent[which]) : 'price unknown',
      duration(time[which]),
    ].join(', ')
  const middle = `About ${words('median')} (${count} past ${count === 1 ? 'run' : 'runs'})`
  return count < ENOUGH_RUNS ? `${middle}.` : `${middle}. 90 % of runs: up to ${words('high')}.`
}
