// @ts-check
/** @import { Batch } from '../../../playground/types.js' */
import { el, find } from '../../../core/dom.js'
import { Chat } from '../../../playground/chat/chat.js'
import { colourBook } from '../../../playground/flow/participants.js'
import { RunIndex } from '../../../playground/log/run-index.js'
import { RunItems } from '../../../playground/log/run-items.js'
import { createSelection } from '../../../playground/log/selection.js'
import { stickToBottom } from '../../../playground/chat/stick-to-bottom.js'

/**
 * The conversation of one try, drawn as the playground draws that of a run.
 * @param {HTMLElement} scroller
 * @param {HTMLElement} list  goes into the scroller
 * @param {(requestId: string, text: string) => Promise<void>} answer  to what the part itself asks
 * @param {boolean} unfolds  whether the newest call shows its result at once
 * @param {AbortSignal} signal
 */
export function tryChat(scroller, list, answer, unfolds, signal) {
  scroller.append(list)
  const index = new RunIndex()
  const tail = stickToBottom(
    scroller,
    /** @type {HTMLButtonElement} */ (find('[data-try-to-end]', scroller)),
    () => chat.draw(),
    signal,
  )
  const chat = new Chat(
    {
      scroller,
      list,
      none: el('p'),
      tail,
      context: { colours: colourBook([]), answer },
      selection: createSelection(),
      index,
      items: new RunItems(index, async () => []),
      level: 2,
    },
    signal,
  )
  return {
    /** @param {Batch} batch */
    apply(batch) {
      index.takeEntries(batch.entries)
      chat.apply(batch)
      if (!unfolds || batch.entries.length === 0) return
      const calls = list.querySelectorAll('.tool-call')
      const newest = calls[calls.length - 1]
      if (newest instanceof HTMLDetailsElement) newest.open = true
      tail.grown(0)
      newest?.scrollIntoView({ block: 'nearest' })
    },
  }
}
