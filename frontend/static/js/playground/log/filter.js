// @ts-check
/** @import {Row} from './run-index.js' */

/**
 * What of a run somebody wants to see. Empty strings stand for all.
 * @typedef {{agent: string, kind: '' | 'messages' | 'tools' | 'errors' | 'thoughts' | 'decisions'}}
 *   Filter
 */

export const KINDS = /** @type {const} */ ([
  ['', 'All kinds'],
  ['messages', 'Messages'],
  ['tools', 'Tools'],
  ['errors', 'Errors'],
  ['thoughts', 'Thoughts'],
  ['decisions', 'Decisions'],
])

/** @type {Filter} */
export const NO_FILTER = { agent: '', kind: '' }

const DECISIONS = new Set([
  'SpeakerDecisionEvent',
  'SelectSpeakerEvent',
  'SelectorEvent',
  'HandoffMessage',
])

/**
 * Whether the filter asks for this row.
 * @param {Row} row
 * @param {Filter} filter
 * @param {ReadonlySet<number>} failed  items that show an error
 */
export function passes(row, { agent, kind }, failed) {
  if (agent !== '' && row.source !== agent && !(kind === 'decisions' && row.note === agent))
    return false
  switch (kind) {
    case 'messages':
      return row.kind === 'message' || row.type === 'CodeGenerationEvent'
    case 'tools':
      return row.item === 'tools' || row.item === 'code'
    case 'errors':
      return failed.has(row.seq)
    case 'thoughts':
      return row.item === 'thought'
    case 'decisions':
      return DECISIONS.has(row.type)
    default:
      return true
  }
}

/**
 * A kind that is asked for is shown at any level of detail.
 * @param {Filter} filter
 */
export const isOn = ({ agent, kind }) => agent !== '' || kind !== ''
