// @ts-check
/** @import {Batch} from './types.js' */

/**
 * Hands each batch to every view, each entry once. A view that fails does not starve the others.
 *
 * @param {{[name: string]: (batch: Batch) => void}} views
 * @param {(name: string, error: unknown) => void} report  called once per view
 */
export function createFeed(views, report) {
  let lastSeq = 0
  const failed = new Set()

  return {
    get lastSeq() {
      return lastSeq
    },
    /** @param {Batch} batch */
    push(batch) {
      const entries = batch.entries.filter((entry) => {
        if (entry.seq <= lastSeq) return false
        lastSeq = entry.seq
        return true
      })
      const news = { ...batch, entries }
      for (const [name, apply] of Object.entries(views)) {
        try {
          apply(news)
        } catch (error) {
          if (!failed.has(name)) report(name, error)
          failed.add(name)
        }
      }
    },
  }
}
