// @ts-check
// Variables of a task: `{{topic}}`. No DOM.

/** Longer values are not taken. */
export const MAX_VALUE = 20_000

const VARIABLE = /\{\{\s*([\p{L}_][\p{L}\p{N}_ -]{0,39}?)\s*\}\}/gu

/**
 * The names in a task, each once, in their order.
 * @param {string} task
 */
export function variablesIn(task) {
  return [...new Set([...task.matchAll(VARIABLE)].map((match) => match[1] ?? ''))]
}

/**
 * The task with values in place of its variables; what looks like a variable in a value stays.
 * @param {string} task
 * @param {ReadonlyMap<string, string>} values
 */
export function filledIn(task, values) {
  return task.replace(VARIABLE, (whole, name) => values.get(name) ?? whole)
}

/**
 * How a form calls a variable: `due_date` becomes `Due date`.
 * @param {string} name
 */
export function variableLabel(name) {
  const words = name.replace(/[_-]+/g, ' ').trim() || name
  return words.charAt(0).toUpperCase() + words.slice(1)
}
