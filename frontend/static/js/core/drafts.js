// @ts-check
// Text that is not applied yet, kept over a reload of this tab. What cannot be kept is lost with
// the page, as ever.

/**
 * @param {string} name
 * @returns {unknown}
 */
export function loadDraft(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null')
  } catch {
    return null
  }
}

/**
 * @param {string} name
 * @param {unknown} draft  null: there is none any more
 */
export function saveDraft(name, draft) {
  try {
    if (draft === null) sessionStorage.removeItem(name)
    else sessionStorage.setItem(name, JSON.stringify(draft))
  } catch {
    // Storage may be off or full.
  }
}
