// @ts-check

/** Closer to the end than this counts as being at the end. */
const NEAR_PX = 48

/**
 * Keeps the newest message in view as long as the reader stays at the end.
 * The place is measured when somebody scrolls, never per message.
 *
 * @param {HTMLElement} scroller
 * @param {HTMLButtonElement} pill  leads back to the end
 * @param {(() => void)} draw  draws the end, which may be far from what is in the page
 * @param {AbortSignal} signal
 */
export function stickToBottom(scroller, pill, draw, signal) {
  let isFollowing = true
  let missed = 0
  let lastTop = 0

  function show() {
    pill.hidden = isFollowing
    pill.dataset.count = missed > 0 ? missed.toLocaleString('en') : ''
    if (missed > 0) pill.setAttribute('aria-description', `${missed} new`)
    else pill.removeAttribute('aria-description')
  }

  function stick() {
    scroller.scrollTop = scroller.scrollHeight
    lastTop = scroller.scrollTop
  }

  function toEnd() {
    isFollowing = true
    missed = 0
    draw()
    stick()
    show()
  }

  scroller.addEventListener(
    'scroll',
    () => {
      const isNear = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_PX
      const isUp = scroller.scrollTop < lastTop // else the room has changed, not the reader's wish
      lastTop = scroller.scrollTop
      if (isNear === isFollowing || (!isNear && !isUp)) return
      isFollowing = isNear
      if (isNear) missed = 0
      show()
    },
    { signal, passive: true },
  )
  pill.addEventListener('click', toEnd, { signal })
  new ResizeObserverUntil(signal, () => isFollowing && stick()).observe(scroller)
  show()

  return {
    get isFollowing() {
      return isFollowing
    },
    /**
     * Call once per batch, after the elements are there.
     * @param {number} added
     */
    grown(added) {
      if (isFollowing) return stick()
      missed += added
      show()
    },
    /**
     * Not the reader moves, but what is around the place.
     * @param {number} top
     */
    moveTo(top) {
      if (Math.abs(scroller.scrollTop - top) >= 1) scroller.scrollTop = top
      lastTop = scroller.scrollTop
    },
    /** Look at something further up: do not jump away from it. */
    release() {
      isFollowing = false
      show()
    },
    toEnd,
  }
}
/** @typedef {ReturnType<typeof stickToBottom>} StickToBottom */

class ResizeObserverUntil extends ResizeObserver {
  /**
   * @param {AbortSignal} signal
   * @param {() => void} onResize
   */
  constructor(signal, onResize) {
    super(onResize)
    signal.addEventListener('abort', () => this.disconnect())
  }
}
