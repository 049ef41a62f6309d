// @ts-check
/** @import {Body, Call, Entry, Item} from '../types.js' */

/** The calls of a ToolCallRequestEvent. @param {Body} body @returns {Call[]} */
export function callsOf(body) {
  return (body.content ?? []).map((/** @type {Body} */ call) => ({
    id: String(call.id), name: String(call.name), args: String(call.arguments ?? ''), result: null, isError: false, durationMs: null, lost: '',
  }))
}

/** Pairs tool calls with their results, which come in a later event. */
export class OpenCalls {
  /** @type {Map<string, {item: Item, call: Call}>} by call id */
  #open = new Map()

  /** @param {Item} item */
  opened(item) {
    for (const call of item.calls) this.#open.set(call.id, { item, call })
  }

  /**
   * @param {Entry} entry  a ToolCallExecutionEvent
   * @returns {{items: Set<Item>, orphans: Call[]}} items that got results, and results of calls that are not here
   */
  answered(entry) {
    /** @type {Set<Item>} */
    const items = new Set()
    /** @type {Call[]} */
    const orphans = []
    for (const result of entry.body.content ?? []) {
      const outcome = { result: String(result.content ?? ''), isError: Boolean(result.is_error) }
      const open = this.#open.get(result.call_id)
      if (!open) {
        orphans.push({ id: result.call_id, name: result.name ?? 'tool', args: '', durationMs: null, lost: '', ...outcome })
        continue
      }
      Object.assign(open.call, outcome, { durationMs: millisecondsBetween(open.item.at, entry.at) })
      this.#open.delete(result.call_id)
      items.add(open.item)
    }
    return { items, orphans }
  }

  /** The run is over: what has no result gets none. @param {string} why  in one word @returns {Item[]} items that changed */
  ended(why) {
    const open = [...this.#open.values()]
    for (const { call } of open) call.lost = why
    this.#open.clear()
    return open.map(({ item }) => item)
  }
}

/** @param {string} from @param {string} to */
function millisecondsBetween(from, to) {
  const span = Date.parse(to) - Date.parse(from)
  return Number.isFinite(span) && span >= 0 ? span : null
}
