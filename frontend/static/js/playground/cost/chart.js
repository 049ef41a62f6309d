// @ts-check
/** @import {Cost} from './money.js' */
import { el, svg } from '../../core/dom.js'
import { sumBy } from './days.js'

const WIDTH = 720
const HEIGHT = 120
/** Of a day's place, on both sides of its bar. */
const GAP = 0.12

/**
 * A bar per day. The table below holds the same numbers, so the picture has one sentence for those
 * who do not see it.
 * @template {Cost & {day: string}} T
 * @param {string[]} days
 * @param {T[]} parts
 * @param {(cost: Cost) => number} value
 * @param {(value: number) => string} words
 */
export function dayChart(days, parts, value, words) {
  const byDay = new Map(
    sumBy(parts, (part) => part.day).map(({ first, sum }) => [first.day, value(sum)]),
  )
  const most = Math.max(0, ...byDay.values())
  if (most === 0) return el('p', { class: 'muted small' }, `${words(0)} on each of these days.`)
  const step = WIDTH / days.length
  const bars = days.map((day, index) => {
    const amount = byDay.get(day) ?? 0
    const height = amount > 0 ? Math.max((amount / most) * HEIGHT, 1) : 0
    const title = svg('title')
    title.textContent = `${day}: ${words(amount)}`
    return svg(
      'rect',
      { x: (index + GAP) * step, y: HEIGHT - height, width: step * (1 - 2 * GAP), height },
      title,
    )
  })
  const top = [...byDay].find(([, amount]) => amount === most)?.[0] ?? days[0]
  const label = `Bars for ${days.length} days; the highest is ${top} with ${words(most)}.`
  const middle = days[Math.floor(days.length / 2)]
  return el(
    'figure',
    { class: 'costs-chart' },
    el('span', { class: 'muted small numeric', 'aria-hidden': 'true' }, words(most)),
    svg(
      'svg',
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        preserveAspectRatio: 'none',
        role: 'img',
        'aria-label': label,
      },
      ...bars,
    ),
    el(
      'figcaption',
      { class: 'muted small numeric', 'aria-hidden': 'true' },
      ...[days[0], middle, days[days.length - 1]].map((day) => el('span', {}, day)),
    ),
  )
}
