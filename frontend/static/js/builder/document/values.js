// @ts-check
// The text of a form control as the JSON value it stands for, and values that change their shape.
import { isRecord, isSame } from '../../core/pointer.js'

/**
 * @typedef {{ value: unknown } | { problem: string }} Reading  a value of `undefined`: the field
 *   leaves the config
 */

const REFERENCE = /^(env|secret):[A-Za-z0-9_.-]+$/

/**
 * How each kind of text becomes a value.
 * @type {Record<string, (text: string) => Reading>}
 */
const READERS = {
  integer: (text) => numberOf(text, /^[+-]?\d+$/, 'Write a whole number.'),
  number: (text) => numberOf(text, /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i, 'Write a number.'),
  boolean: (text) => ({ value: text === 'true' }),
  json: jsonOf,
  object: jsonOf,
  secret: (text) =>
    REFERENCE.test(text.trim())
      ? { value: text.trim() }
      : {
          problem:
            'Write a reference such as `env:NAME` or `secret:name`. A key itself goes under “Store a key”.',
        },
}

/**
 * @param {string} kind  string, integer, number, boolean, secret, json; with "null-…" empty means
 *   null, with "absent-…" that the field is left out
 * @param {string} text
 * @returns {Reading}
 */
export function readValue(kind, text) {
  const [, empty, base = kind] = /^(null|absent)-(.*)$/.exec(kind) ?? []
  if (empty && text === '') return { value: empty === 'null' ? null : undefined }
  return READERS[base]?.(text) ?? { value: text }
}

/**
 * Whether two texts of a control stand for the same.
 * @param {string} kind
 * @param {string} a
 * @param {string} b
 */
export function isSameValue(kind, a, b) {
  if (a === b) return true
  const [first, second] = [readValue(kind, a), readValue(kind, b)]
  return 'value' in first && 'value' in second && isSame(first.value, second.value)
}

/**
 * @param {string} text
 * @param {RegExp} shape
 * @param {string} problem
 * @returns {Reading}
 */
function numberOf(text, shape, problem) {
  const value = Number(text)
  return shape.test(text.trim()) && Number.isFinite(value) ? { value } : { problem }
}

/**
 * @param {string} text
 * @returns {Reading}
 */
function jsonOf(text) {
  if (text.trim() === '') return { value: null }
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { problem: `Not valid JSON yet: ${error instanceof Error ? error.message : error}` }
  }
}

/**
 * @typedef {{ min?: number, max?: number, isAboveMin?: boolean }} Range
 */

/**
 * What is wrong with a number that is out of its range, or "".
 * @param {unknown} value
 * @param {Range} range
 */
export function rangeProblem(value, { min = -Infinity, max = Infinity, isAboveMin = false }) {
  if (typeof value !== 'number') return ''
  if (isAboveMin && value <= min) return `Must be greater than ${min}.`
  if (value < min) return `Must be at least ${min}.`
  return value > max ? `Must be at most ${max}.` : ''
}

/**
 * The next number in a direction, kept within the range.
 * @param {string} text
 * @param {number} by
 * @param {Range} range
 */
export function stepped(text, by, { min = -Infinity, max = Infinity, isAboveMin = false }) {
  if (text.trim() === '')
    return String(Number.isFinite(min) ? min + Number(isAboveMin) : Math.sign(by))
  const digits = /\.(\d+)$/.exec(text)?.[1]?.length ?? 0
  const next = Math.min(max, Math.max(min, Number(text) + by / 10 ** digits))
  return Number.isNaN(next) || (isAboveMin && next <= min)
    ? text
    : String(Number(next.toFixed(digits)))
}

/**
 * A value in another of its shapes, with what both have in common.
 * @param {any} here
 * @param {any} fresh  the smallest value of the new shape
 * @param {string[]} kept  parts that the new shape takes over
 * @param {string} textPart  the part that a plain text stands for
 */
export function reshaped(here, fresh, kept, textPart) {
  if (typeof here === 'string' && isRecord(fresh))
    return textPart in fresh ? { ...fresh, [textPart]: here } : fresh
  if (isRecord(here) && typeof fresh === 'string')
    return typeof here[textPart] === 'string' ? here[textPart] : fresh
  if (!isRecord(here) || !isRecord(fresh))
    return Array.isArray(fresh) && typeof here === 'string' && here !== '' ? [here] : fresh
  return {
    ...fresh,
    ...Object.fromEntries(
      kept.filter((name) => Object.hasOwn(here, name)).map((name) => [name, here[name]]),
    ),
  }
}
