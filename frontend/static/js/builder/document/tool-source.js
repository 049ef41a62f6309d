// @ts-check
// What the source of a Python tool says of itself. Pure: no DOM.

/**
 * @typedef {import('./catalogue.js').Component} Component
 * @typedef {{ name: string, summary: string }} Definition  empty where the source says nothing;
 *   `summary`: the first paragraph of the docstring
 */

/**
 * The first function at the top level, as the studio will read it; a rough look, for the source may
 * be half typed.
 * @param {unknown} source
 * @returns {Definition}
 */
export function definitionIn(source) {
  const text = typeof source === 'string' ? source : ''
  const found = /^(?:async[ \t]+)?def[ \t]+(\w+)[ \t]*\(/m.exec(text)
  if (!found) return { name: '', summary: '' }
  const after = text.slice(closing(text, found.index + found[0].length))
  const docstring =
    /^[ \t]*(?:->[^\n]*)?:[ \t]*(?:#[^\n]*)?\n\s*[rR]?("""|''')([\s\S]*?)\1/.exec(after)?.[2] ?? ''
  return {
    name: found[1] ?? '',
    summary: (docstring.trim().split(/\n\s*\n/)[0] ?? '').replace(/\s+/g, ' '),
  }
}

/**
 * Behind the bracket that closes what was opened before `start`.
 * @param {string} text
 * @param {number} start
 */
function closing(text, start) {
  let [at, depth] = [start, 1]
  while (at < text.length && depth > 0) {
    const character = text[at]
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    at += 1
  }
  return at
}

/**
 * Name and description of a tool follow its source as long as they say what the source says: one
 * that was written by hand stays. Where the function is being rewritten they are empty with it, and
 * so find to the new one.
 * @param {Component} before
 * @param {Component} after
 * @returns {Component}
 */
export function toolInStep(before, after) {
  const [old, now] = [before.config, after.config]
  if (
    typeof now?.['source_code'] !== 'string' ||
    typeof old?.['source_code'] !== 'string' ||
    old['source_code'] === now['source_code']
  )
    return after
  const [was, is] = [definitionIn(old['source_code']), definitionIn(now['source_code'])]
  const follows = (/** @type {string} */ field, /** @type {string} */ said) =>
    old[field] === now[field] && (now[field] ?? '') === said
  return {
    ...after,
    config: {
      ...now,
      ...(follows('name', was.name) && { name: is.name }),
      ...(follows('description', was.summary) && { description: is.summary }),
    },
  }
}
