// @ts-check
/** @import {Axis, Bar} from './timeline-bars.js' */
import { duration, tokens } from '../format.js'

const WORDS = { message: 'message', tool: 'tool', thought: 'step', input: 'question' }

/** @param {Bar} bar */
export function whatOf({ kind, note, isError }) {
  const what = note && kind !== 'message' ? (kind === 'tool' ? note : `asks ${note}`) : WORDS[kind]
  return isError ? `${what}, failed` : what
}

/**
 * `writer, look_up, 1.2 s, 340 tokens`.
 * @param {Bar} bar
 * @param {string} who  the agent, and where it is
 */
export function barText(bar, who) {
  return [
    who,
    whatOf(bar),
    duration(bar.end - bar.start),
    bar.tokens > 0 && `${tokens(bar.tokens)} tokens`,
    bar.cost > 0 && money(bar.cost),
  ]
    .filter(Boolean)
    .join(', ')
}

/** @param {number} cost  dollars */
export function money(cost) {
  return `$${cost < 0.01 ? cost.toPrecision(2) : cost.toFixed(2)}`
}

/**
 * Length of an axis in its own measure.
 * @param {Axis} axis
 * @param {number} extent
 */
export function durationText(axis, extent) {
  if (axis === 'time') return duration(extent)
  if (axis === 'tokens') return `${tokens(extent)} tokens`
  return axis === 'cost' ? money(extent) : `${extent.toLocaleString('en')} steps`
}
