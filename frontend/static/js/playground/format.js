// @ts-check
/** @import {Task, Usage} from './types.js' */
import { escapeHidden, showHidden } from '../core/hidden-characters.js'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** Longer texts would freeze the page while they are laid out; the whole stays in the log. */
export const TEXT_LIMIT = 200_000

/** @param {number} count */
export function tokens(count) {
  if (count < 10_000) return count.toLocaleString('en')
  return count < 1_000_000 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(2)}M`
}

/** @param {Usage | null | undefined} usage */
export function usageTotal(usage) {
  return usage ? usage.prompt_tokens + usage.completion_tokens : 0
}

/** @param {Usage} usage */
export function usageText(usage) {
  return `${usage.prompt_tokens.toLocaleString('en')} tokens in, ${usage.completion_tokens.toLocaleString('en')} out`
}

/** @param {number} ms */
export function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < MINUTE_MS) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.floor(ms / MINUTE_MS)} min ${Math.round((ms % MINUTE_MS) / 1000)} s`
}

/**
 * For a clock that runs.
 * @param {number} ms
 */
export function wholeSeconds(ms) {
  const whole = Math.floor(ms / 1000)
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`
}

/**
 * Time of day, to the second.
 * @param {string} at ISO 8601
 */
export function clock(at) {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? '' : date.toLocaleTimeString('en-GB')
}

/**
 * Time for a list: `14:05` today, `20 Nov, 14:05` before.
 * @param {string} at  ISO 8601
 * @param {Date} [now]
 */
export function listTime(at, now = new Date()) {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  const time = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  const isToday = now.getTime() - date.getTime() < DAY_MS && now.getDate() === date.getDate()
  return isToday
    ? time
    : `${date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })}, ${time}`
}

/**
 * Date and time of day with its zone, for whoever asks exactly.
 * @param {string} at  ISO 8601
 */
export function exactTime(at) {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  return date.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'long' })
}

/** @param {Task | null | undefined} task */
export function taskText(task) {
  if (typeof task === 'string') return task
  return (task ?? [])
    .map((part) => (typeof part === 'string' ? part : ''))
    .filter(Boolean)
    .join(' ')
}

/**
 * JSON with line breaks; anything else as it is.
 * @param {string} text
 */
export function prettyJson(text) {
  try {
    return escapeHidden(JSON.stringify(JSON.parse(text), null, 2))
  } catch {
    return showHidden(text)
  }
}

/**
 * The arguments of a call in one short line: `city: "Paris", days: 3`.
 * @param {string} args  JSON text
 * @param {number} [limit]  characters
 */
export function callSummary(args, limit = 60) {
  let line = args
  try {
    const value = JSON.parse(args)
    if (value && typeof value === 'object' && !Array.isArray(value)) {
      line = Object.entries(value)
        .map(([name, part]) => `${name}: ${JSON.stringify(part)}`)
        .join(', ')
    }
  } catch {
    line = args.replace(/\s+/g, ' ')
  }
  line = showHidden(line)
  return line.length > limit ? `${line.slice(0, limit - 1)}…` : line
}

/**
 * @param {string} text
 * @param {number} [limit]
 */
export function clip(text, limit = TEXT_LIMIT) {
  if (text.length <= limit) return text
  return `${text.slice(0, limit)}\n… ${(text.length - limit).toLocaleString('en')} more characters are in the log.`
}

const FOLDED_LINES = 12
/** An answer is what one came to read: only a very long one is folded. */
export const LONG_ANSWER_LINES = 100
/** About what fits into a line of a person's message. */
const LINE_CHARACTERS = 88

/**
 * Whether a text takes more lines than are shown at first.
 * @param {string} text
 * @param {number} [most]
 */
export function isLong(text, most = FOLDED_LINES) {
  const lines = text
    .split('\n')
    .map((line) => Math.max(1, Math.ceil(line.length / LINE_CHARACTERS)))
  return lines.reduce((sum, count) => sum + count, 0) > most
}

/** @param {number} characters */
export const kilobytes = (characters) => `${Math.max(1, Math.round(characters / 1024))} kB`

/**
 * First words of a text without Markdown signs, for list rows and announcements.
 * @param {string} text
 * @param {number} [limit]
 */
export function excerpt(text, limit = 90) {
  const plain = text
    .slice(0, limit * 4)
    .replaceAll('<image>', '[picture]')
    .replace(/^[ \t]*>+/gm, '')
    .replace(/[#*_`|]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  return plain.length > limit ? `${plain.slice(0, limit - 1).trimEnd()}…` : plain
}
