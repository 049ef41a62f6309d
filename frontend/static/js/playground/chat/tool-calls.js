// @ts-check
/** @import {Body, Call, Entry, Item} from '../types.js' */

const BLANK = {
  args: '',
  result: null,
  isError: false,
  durationMs: null,
  lost: '',
  since: '',
  asking: '',
  changed: '',
  said: '',
}

/**
 * The calls of a ToolCallRequestEvent.
 * @param {Body} body
 * @returns {Call[]}
 */
export function callsOf(body) {
  return (body.content ?? []).map((/** @type {Body} */ call) => ({
    ...BLANK,
    id: String(call.id),
    name: String(call.name),
    args: String(call.arguments ?? ''),
  }))
}

/** Pairs tool calls with their results, which come in a later event. */
export class OpenCalls {
  /** @type {Map<string, {item: Item, call: Call}>} by call id */
  #open = new Map()

  /** @param {Item} item */
  opened(item) {
    for (const call of item.calls) {
      call.since = item.at
      this.#open.set(call.id, { item, call })
    }
  }

  /**
   * A person is asked about one of them.
   * @param {import('../types.js').Pending} pending
   * @returns {Item[]} items that changed
   */
  asked({ request_id: id, details }) {
    if (!details?.tool) return []
    const known = this.#find(({ asking }) => asking === id)
    const wanted = canonical(details.arguments)
    const found =
      known ??
      this.#find(
        ({ name, args, asking }, { source }) =>
          name === details.tool &&
          source === details.agent &&
          asking === '' &&
          canonical(parsed(args)) === wanted,
      )
    if (!found || known) return []
    found.call.asking = id
    return [found.item]
  }

  /**
   * A person has decided.
   * @param {Body} body  of the command
   * @param {string} at
   * @returns {Item[]} items that changed
   */
  decided(body, at) {
    const found = this.#find(({ asking }) => asking === String(body.request_id))
    if (!found) return []
    Object.assign(found.call, {
      asking: '',
      since: at,
      changed: body.verdict === 'allow' && body.arguments ? JSON.stringify(body.arguments) : '',
    })
    return [found.item]
  }

  /**
   * What calls have told of their progress.
   * @param {NonNullable<import('../types.js').RunState['progress']>} reported
   * @returns {Item[]} items that changed
   */
  progressed(reported) {
    /** @type {Set<Item>} */
    const changed = new Set()
    const left = [...reported]
    for (const { item, call } of this.#open.values()) {
      const place = left.findIndex(({ name, agent }) => name === call.name && agent === item.source)
      if (place < 0) continue
      const [{ progress_text: said = '' } = {}] = left.splice(place, 1)
      if (call.said !== said) changed.add(item)
      call.said = said
    }
    return [...changed]
  }

  /** @param {(call: Call, item: Item) => boolean} fits */
  #find(fits) {
    return [...this.#open.values()].find(({ item, call }) => fits(call, item))
  }

  /**
   * @param {Entry} entry  a ToolCallExecutionEvent
   * @returns {{items: Set<Item>, orphans: Call[]}} items that got results, and results of calls
   *   that are not here
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
        orphans.push({ ...BLANK, id: result.call_id, name: result.name ?? 'tool', ...outcome })
        continue
      }
      Object.assign(open.call, outcome, {
        durationMs: millisecondsBetween(open.call.since, entry.at),
        asking: '',
      })
      this.#open.delete(result.call_id)
      items.add(open.item)
    }
    return { items, orphans }
  }

  /**
   * The run is over: what has no result gets none.
   * @param {string} why  in one word
   * @returns {Item[]} items that changed
   */
  ended(why) {
    const open = [...this.#open.values()]
    for (const { call } of open) call.lost = why
    this.#open.clear()
    return open.map(({ item }) => item)
  }
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * The same text for equal objects, whatever the order of their names.
 * @param {unknown} value
 * @returns {string}
 */
function canonical(value) {
  return JSON.stringify(value, (_, part) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

/**
 * @param {string} from
 * @param {string} to
 */
function millisecondsBetween(from, to) {
  const span = Date.parse(to) - Date.parse(from)
  return Number.isFinite(span) && span >= 0 ? span : null
}
