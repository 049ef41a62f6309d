// @ts-check
/** @import {Cost} from './money.js' */

const DAY_MS = 86_400_000
const FIELDS = /** @type {const} */ ([
  'calls',
  'prompt_tokens',
  'completion_tokens',
  'cached_tokens',
  'micro_usd',
  'unpriced_calls',
  'ms',
])

/**
 * All days from one to the other, both included.
 * @param {string} since  as 2026-11-21
 * @param {string} until
 */
export function daysBetween(since, until) {
  const days = []
  for (let at = Date.parse(since); at <= Date.parse(until); at += DAY_MS)
    days.push(new Date(at).toISOString().slice(0, 10))
  return days
}

/**
 * Sums of those that have the same key, each with the first of them.
 * @template {Cost} T
 * @param {T[]} costs
 * @param {(cost: T) => string} key
 * @returns {{first: T, sum: Cost}[]}
 */
export function sumBy(costs, key) {
  /** @type {Map<string, {first: T, sum: Cost}>} */
  const sums = new Map()
  for (const cost of costs) {
    const found = sums.get(key(cost)) ?? {
      first: cost,
      sum: {
        calls: 0,
        prompt_tokens: 0,
        completion_tokens: 0,
        cached_tokens: 0,
        micro_usd: 0,
        unpriced_calls: 0,
        ms: 0,
      },
    }
    for (const field of FIELDS) found.sum[field] += cost[field]
    sums.set(key(cost), found)
  }
  return [...sums.values()]
}
