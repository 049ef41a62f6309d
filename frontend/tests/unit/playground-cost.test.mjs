import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysBetween, sumBy } from '../../static/js/playground/cost/days.js'
import { amount, costText, estimateText, money } from '../../static/js/playground/cost/money.js'

const cost = (/** @type {object} */ more) => ({
  calls: 1,
  prompt_tokens: 0,
  completion_tokens: 0,
  cached_tokens: 0,
  micro_usd: 0,
  unpriced_calls: 0,
  ms: 0,
  ...more,
})

test('money has as many digits as it needs', () => {
  assert.deepEqual([0, 12, 900, 37_200, 1_234_567, 5_000_000_000].map(money), [
    '$0.00',
    '$0.000012',
    '$0.0009',
    '$0.0372',
    '$1.23',
    '$5,000.00',
  ])
})

test('a price that nobody knows is never told as nothing', () => {
  assert.equal(costText({ micro_usd: 0, unpriced_calls: 2 }), 'price unknown')
  assert.equal(costText({ micro_usd: 200_000, unpriced_calls: 1 }), '$0.20 + price unknown')
  assert.equal(costText({ micro_usd: 0, unpriced_calls: 0 }), '$0.00')
})

test('limits are told in their units', () => {
  assert.deepEqual(
    [amount('seconds', 90), amount('turns', 3), amount('micro_usd', 500_000)],
    ['1 min 30 s', '3 turns', '$0.50'],
  )
})

test('an estimate says on how many runs it stands, or that there are none', () => {
  const range = (/** @type {number} */ median, /** @type {number} */ high) => ({ median, high })
  const told = {
    run_count: 12,
    tokens: range(4200, 6000),
    micro_usd: range(30_000, 110_000),
    ms: range(40_000, 61_000),
  }
  assert.equal(
    estimateText(told),
    'About 4,200 tokens, $0.0300, 40.0 s (12 past runs). 90 % of runs: up to 6,000 tokens, $0.11, 1 min 1 s.',
  )
  assert.equal(
    estimateText({ ...told, run_count: 4 }),
    'About 4,200 tokens, $0.0300, 40.0 s (4 past runs).',
  )
  assert.match(estimateText({ ...told, micro_usd: null }), /price unknown/)
  assert.match(
    estimateText({ run_count: 0, tokens: null, micro_usd: null, ms: null }),
    /No estimate yet/,
  )
})

test('days are all there, and sums are by key', () => {
  assert.deepEqual(daysBetween('2026-02-27', '2026-03-02'), [
    '2026-02-27',
    '2026-02-28',
    '2026-03-01',
    '2026-03-02',
  ])
  const sums = sumBy(
    [
      cost({ micro_usd: 1, day: 'a' }),
      cost({ micro_usd: 2, day: 'b' }),
      cost({ micro_usd: 4, day: 'a' }),
    ],
    (each) => each.day,
  )
  assert.deepEqual(
    sums.map(({ sum }) => [sum.calls, sum.micro_usd]),
    [
      [2, 5],
      [1, 2],
    ],
  )
})
