// @ts-check
// What was used last, in this browser. Where it keeps nothing, nothing was.

/**
 * @param {string} name
 * @returns {string[]} newest first
 */
export function recent(name) {
  try {
    const kept = JSON.parse(localStorage.getItem(name) ?? '[]')
    return Array.isArray(kept) ? kept.filter((each) => typeof each === 'string') : []
  } catch {
    return []
  }
}

/**
 * @param {string} name
 * @param {string} used
 * @param {number} most  how many are kept
 */
export function remember(name, used, most) {
  try {
    localStorage.setItem(
      name,
      JSON.stringify([used, ...recent(name).filter((each) => each !== used)].slice(0, most)),
    )
  } catch {
    // Storage may be off or full: what was chosen is done all the same.
  }
}
