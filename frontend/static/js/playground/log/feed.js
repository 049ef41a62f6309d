// @ts-check
/** @import {Batch} from '../types.js' */

/**
 * Hands each batch to every view, each entry once. A view that fails does not starve the others.
 *
 * @param {{[name: string]: (batch: Batch) => void}} views
 * @param {(name: string, error: unknown) => void} report  called once per view
 */
export function createFeed(views, report) {
  /** @type {Map<string, number>} newest entry that each view has */
  const places = new Map(Object.keys(views).map((name) => [name, 0]))
  const failed = new Set()

  return {
    /**
     * @param {Batch} batch
     * @param {string[]} [to]  names of views; all unless told
     */
    push(batch, to = Object.keys(views)) {
      for (const name of to) {
        const place = places.get(name) ?? 0
        const entries = batch.entries.filter((entry) => entry.seq > place)
        places.set(name, Math.max(place, entries.at(-1)?.seq ?? 0))
        try {
          views[name]?.({ ...batch, entries })
        } catch (error) {
          if (!failed.has(name)) report(name, error)
          failed.add(name)
        }
      }
    },
  }
}
