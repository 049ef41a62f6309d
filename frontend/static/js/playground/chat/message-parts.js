// @ts-check
/** @import {Body, Part, Usage} from '../types.js' */
import { filesOf } from '../files/file-words.js'

/** First characters of base64 by picture format; others are not shown. */
const PICTURES = [
  ['iVBORw0KGgo', 'png'],
  ['/9j/', 'jpeg'],
  ['R0lGOD', 'gif'],
  ['UklGR', 'webp'],
]

/**
 * The content of a message or event as texts and pictures to show, in order.
 * @param {Body} body
 * @returns {Part[]}
 */
export function partsOf(body) {
  const { content } = body
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', value: content }]
  if (Array.isArray(content)) return content.map(partOf)
  if (content === null || content === undefined) return []
  return [{ kind: 'json', value: JSON.stringify(content) }]
}

/**
 * @param {unknown} piece
 * @returns {Part}
 */
function partOf(piece) {
  if (typeof piece === 'string') return { kind: 'text', value: piece }
  const body = /** @type {Body} */ (piece ?? {})
  const picture = pictureUrl(body.data ?? body.image)
  if (picture) return { kind: 'image', value: picture }
  return { kind: 'json', value: JSON.stringify(piece) }
}

/**
 * A data URL that is safe to show, or null: nothing of a message is ever fetched.
 * @param {unknown} data  base64, or a data URL
 */
export function pictureUrl(data) {
  if (typeof data !== 'string') return null
  if (/^data:image\/(png|jpeg|gif|webp);base64,/.test(data)) return data
  const format = PICTURES.find(([start]) => data.startsWith(start))
  return format ? `data:image/${format[1]};base64,${data}` : null
}

/**
 * Text of a memory hit, which may be text, bytes, JSON or a picture.
 * @param {Body} hit
 * @returns {Part}
 */
export function memoryPart(hit) {
  return typeof hit.content === 'string'
    ? { kind: 'text', value: hit.content }
    : partOf(hit.content)
}

/**
 * @param {unknown} usage
 * @returns {Usage | null}
 */
export function usageOf(usage) {
  if (typeof usage !== 'object' || usage === null) return null
  const { prompt_tokens = 0, completion_tokens = 0 } = /** @type {Body} */ (usage)
  return prompt_tokens + completion_tokens > 0 ? { prompt_tokens, completion_tokens } : null
}

/**
 * What a line tells of an event that has no look of its own.
 * @param {Body} body
 */
export function noteOf(body) {
  const files = filesOf(body)
  return files.length > 0
    ? { label: 'Wrote files', parts: [], files }
    : { label: noteTitle(body), parts: partsOf(body) }
}

/** @param {Part[]} parts */
export const wordsOf = (parts) => parts.find(({ kind }) => kind === 'text')?.value ?? ''

/**
 * `CodeGenerationEvent` becomes `Code generation`.
 * @param {Body} body
 */
function noteTitle(body) {
  if (body.type === 'ToolEvent') return `${body.tool}: ${body.name}`
  if (body.type === 'ContextVariablesEvent' && body.removed?.length)
    return `Context variables, without ${body.removed.join(', ')}`
  const words = String(body.type ?? 'Event')
    .replace(/Event$/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
