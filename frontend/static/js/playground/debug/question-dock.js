// @ts-check
/** @import {Body, RunState} from '../types.js' */
/** @import {Send} from './decision.js' */
import { find } from '../../core/dom.js'
import { hasEnded } from '../run-status.js'
import { requestCard } from './request-card.js'

/**
 * Below the conversation: what the run waits for that is more than a text, such as an approval.
 * @param {HTMLElement} page
 * @param {Send} send
 * @param {((tool: string, args: Body) => void) | null} always  lets a tool be used from now on
 */
export function questionDock(page, send, always) {
  const dock = find('[data-part="ask"]', page)
  let shownRequest = ''
  let counted = ''
  close()

  function close() {
    dock.hidden = true
    dock.replaceChildren()
    shownRequest = ''
  }

  return {
    get isOpen() {
      return !dock.hidden
    },
    focus: () =>
      /** @type {HTMLElement | null} */ (dock.querySelector('button, textarea, input'))?.focus(),
    /** @param {RunState} state */
    show({ state, pending }) {
      const asked = hasEnded(state) ? '' : (pending?.request_id ?? '')
      if (asked !== counted) document.dispatchEvent(new CustomEvent('inbox:change'))
      counted = asked
      const isShown = pending !== null && !hasEnded(state) && (pending.kind ?? 'input') !== 'input'
      if (!isShown) {
        const hadFocus = dock.contains(document.activeElement)
        close()
        if (hadFocus) find('[data-part="chat-scroll"]', page).focus({ preventScroll: true })
      } else if (pending && pending.request_id !== shownRequest) {
        shownRequest = pending.request_id
        dock.replaceChildren(requestCard(pending, send, always))
        dock.hidden = false
      }
    },
  }
}
