// @ts-check
/** @import {Row} from '../log/run-index.js' */

/** How much of a run the conversation shows, from what was said to all that is in the log. */
export const LEVELS = /** @type {const} */ ([
  { name: 'messages', label: 'Messages' },
  { name: 'tools', label: '+ tools' },
  { name: 'thoughts', label: '+ thoughts' },
  { name: 'raw', label: '+ raw' },
])
/** @typedef {0 | 1 | 2 | 3} Level */
export const RAW = 3
const USUAL = 2
const KEY = 'studio-run-detail'

/**
 * From which level on each kind of item is shown.
 * @type {{[kind: string]: Level}}
 */
const FROM = {
  message: 0,
  handoff: 0,
  input: 0,
  end: 0,
  command: 0,
  tools: 1,
  code: 1,
  thought: 2,
  note: 2,
}

/**
 * @param {Row} row
 * @param {Level} level
 */
export function isShownAt({ item }, level) {
  return level === RAW || (item !== '' && level >= (FROM[item] ?? USUAL))
}

/**
 * As it was left in this browser.
 * @returns {Level}
 */
export function loadLevel() {
  try {
    const level = Number(localStorage.getItem(KEY) ?? USUAL)
    return /** @type {Level} */ (LEVELS[level] ? level : USUAL)
  } catch {
    return USUAL
  }
}

/** @param {Level} level */
export function saveLevel(level) {
  try {
    localStorage.setItem(KEY, String(level))
  } catch {
    // Storage may be off: it then holds for as long as the page.
  }
}
