// @ts-check
// How wide the panels beside a canvas are, and which are folded; kept in this browser.

/**
 * @typedef {{ least: number, most: number }} Bounds
 * @typedef {{ widths: Record<string, number>, folded: string[] }} Kept
 */

/** What is left of a canvas between two panels, at least. */
const CANVAS_MIN_PX = 280

/**
 * A width that a panel can have.
 * @param {number} wanted
 * @param {Bounds} bounds
 * @param {number} room  of the canvas and this panel together
 */
export function clampWidth(wanted, { least, most }, room) {
  return Math.round(Math.max(least, Math.min(wanted, most, room - CANVAS_MIN_PX)))
}

/**
 * @param {string} key
 * @returns {Kept}
 */
export function loadPanelSizes(key) {
  try {
    const { widths = {}, folded = [] } = JSON.parse(localStorage.getItem(key) ?? '{}')
    const sound = Object.entries(widths).filter(
      ([, width]) => typeof width === 'number' && Number.isFinite(width),
    )
    return {
      widths: Object.fromEntries(/** @type {[string, number][]} */ (sound)),
      folded: Array.isArray(folded) ? folded.filter((each) => typeof each === 'string') : [],
    }
  } catch {
    return { widths: {}, folded: [] }
  }
}

/**
 * @param {string} key
 * @param {Kept} kept
 */
export function savePanelSizes(key, kept) {
  try {
    localStorage.setItem(key, JSON.stringify(kept))
  } catch {
    // Storage may be off or full: the panels are as wide all the same, until the page is left.
  }
}
