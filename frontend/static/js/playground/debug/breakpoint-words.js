// @ts-check
/** @import {Body} from '../types.js' */

/**
 * @typedef {object} Breakpoint
 * @property {string} id
 * @property {'agent' | 'tool' | 'message' | 'text' | 'tokens' | 'cost' | 'progress'} on
 * @property {'before' | 'after'} when
 * @property {string} name
 * @property {string} text
 * @property {boolean} is_regex
 * @property {number} limit
 * @property {number | null} visit
 * @property {boolean} enabled
 */

/** What a breakpoint is on, as the form offers it, and which of its fields mean something then. */
export const MOMENTS = /** @type {const} */ ([
  { on: 'agent', label: 'Agent', fields: ['when', 'name'] },
  { on: 'tool', label: 'Tool', fields: ['when', 'name'] },
  { on: 'message', label: 'Message type', fields: ['name'] },
  { on: 'text', label: 'Text', fields: ['text', 'name'] },
  { on: 'tokens', label: 'Tokens', fields: ['limit'] },
  { on: 'cost', label: 'Cost', fields: ['limit'] },
  { on: 'progress', label: 'Stop condition', fields: ['limit'] },
])

export const MESSAGE_TYPES = [
  'TextMessage',
  'HandoffMessage',
  'ToolCallRequestEvent',
  'ToolCallExecutionEvent',
  'ToolCallSummaryMessage',
  'StructuredMessage',
  'MultiModalMessage',
  'StopMessage',
  'ThoughtEvent',
  'MemoryQueryEvent',
  'CodeExecutionEvent',
  'UserInputRequestedEvent',
]

/** @param {number} number */
function nth(number) {
  const ending = [11, 12, 13].includes(number % 100)
    ? 'th'
    : ({ 1: 'st', 2: 'nd', 3: 'rd' }[number % 10] ?? 'th')
  return `${number}${ending}`
}

/**
 * A breakpoint in a few words.
 * @param {Breakpoint} point
 */
export function breakpointText(point) {
  const words = placeText(point)
  return point.visit ? `${words}, ${nth(point.visit)} time` : words
}

/** @param {Breakpoint} point */
function placeText({ on, when, name, text, is_regex: isRegex, limit }) {
  const side = when === 'before' ? 'Before' : 'After'
  switch (on) {
    case 'agent':
      return `${side} ${name || 'any agent'}`
    case 'tool':
      return `${side} ${name ? `the tool ${name}` : 'any tool'}`
    case 'message':
      return name ? `At a ${name}` : 'At any message'
    case 'text':
      return `${isRegex ? 'Matches' : 'Contains'} “${text}”${name ? ` of ${name}` : ''}`
    case 'tokens':
      return `Above ${limit.toLocaleString('en')} tokens`
    case 'cost':
      return `Above $${limit}`
    case 'progress':
      return `At ${limit} % of a condition`
  }
}

/** How rules and breakpoints know code that no tool runs. */
const CODE = 'code'

/**
 * @param {Body | null | undefined} component
 * @returns {string[]} names of all tools that its JSON tells
 */
export function toolsOf(component) {
  /** @type {Set<string>} */
  const found = new Set()
  const look = (/** @type {unknown} */ value) => {
    if (Array.isArray(value)) value.forEach(look)
    else if (typeof value === 'object' && value !== null) {
      const part = /** @type {Body} */ (value)
      if (isTool(part)) found.add(String(part.config.name ?? part.label))
      if (part.config?.code_executor) found.add(CODE)
      Object.values(part).forEach(look)
    }
  }
  look(component)
  return [...found]
}

/** @param {Body} part */
function isTool(part) {
  const isNamed =
    typeof part.config === 'object' &&
    part.config !== null &&
    Boolean(part.config.name ?? part.label)
  return (
    isNamed &&
    (part.component_type === 'tool' || /\.tools?\.[\w.]*Tool$/.test(String(part.provider ?? '')))
  )
}

/**
 * A number, or null for what is none.
 * @param {string} text
 */
export const numberOf = (text) =>
  text.trim() === '' || !Number.isFinite(Number(text)) ? null : Number(text)

/**
 * What the form holds as a breakpoint, or a sentence on what is missing.
 * @param {Body} form
 * @param {string} id
 * @returns {Breakpoint | string}
 */
export function breakpointFrom(form, id) {
  const limit = numberOf(String(form.limit ?? ''))
  const visit = numberOf(String(form.visit ?? ''))
  const fields = /** @type {readonly string[]} */ (
    MOMENTS.find((each) => each.on === form.on)?.fields ?? []
  )
  const text = String(form.text ?? '')
  if (fields.includes('text') && text === '') return 'Enter the text.'
  if (fields.includes('limit') && !(limit !== null && limit > 0)) return 'Enter a number above 0.'
  if (visit !== null && (visit < 1 || !Number.isInteger(visit)))
    return 'Enter a whole number of 1 or more, or leave it empty.'
  return {
    id,
    on: form.on,
    when: fields.includes('when') && form.when === 'after' ? 'after' : 'before',
    name: fields.includes('name') ? String(form.name ?? '').trim() : '',
    text: fields.includes('text') ? text : '',
    is_regex: fields.includes('text') && form.is_regex === 'on',
    limit: fields.includes('limit') ? (limit ?? 0) : 0,
    visit,
    enabled: true,
  }
}

/**
 * The list with one more, or with the one that is there already turned on.
 * @param {Breakpoint[]} breakpoints
 * @param {Breakpoint} made
 * @returns {Breakpoint[]}
 */
export function withBreakpoint(breakpoints, made) {
  /** @param {Breakpoint} point */
  const place = ({ id: _id, enabled: _enabled, ...where }) =>
    JSON.stringify(Object.entries(where).sort())
  const known = breakpoints.find((each) => place(each) === place(made))
  if (!known) return [...breakpoints, made]
  return breakpoints.map((each) => (each === known ? { ...each, enabled: true } : each))
}
