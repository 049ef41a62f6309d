// @ts-check
// The text of a form control as the JSON value it stands for.

/**
 * @param {string} kind  string, integer, number, boolean, json, each also as "null-…" where empty means null
 * @param {string} text
 * @returns {{ value: unknown } | { problem: string }}
 */
export function readValue(kind, text) {
  const isNullable = kind.startsWith('null-')
  const base = isNullable ? kind.slice(5) : kind
  if (isNullable && text === '') return { value: null }
  if (base === 'integer') return numberOf(text, /^[+-]?\d+$/, 'Write a whole number.')
  if (base === 'number') return numberOf(text, /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i, 'Write a number.')
  if (base === 'boolean') return { value: text === 'true' }
  if (base === 'json' || base === 'object') return jsonOf(text)
  return { value: text }
}

/** @param {string} text @param {RegExp} shape @param {string} problem */
function numberOf(text, shape, problem) {
  return shape.test(text.trim()) ? { value: Number(text) } : { problem }
}

/** @param {string} text */
function jsonOf(text) {
  if (text.trim() === '') return { value: null }
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    return { problem: `Not valid JSON yet: ${error instanceof Error ? error.message : error}` }
  }
}
