// @ts-check

/**
 * Of the six connections that a browser opens to a server with HTTP/1.1, those that pages may hold
 * for long. The rest is for all else.
 */
const SLOTS = 4

/**
 * Wait until this page may hold a connection for long. Pages of the same browser share the slots;
 * one that is closed, or goes elsewhere, gives its slot back by that alone.
 * @param {AbortSignal} signal  ends the waiting
 * @returns {Promise<() => void>} gives the slot back
 */
export function connectionSlot(signal) {
  // a page that is not secure has no locks
  if (!navigator.locks || hasManyStreams()) return Promise.resolve(() => {})
  const found = new AbortController()
  const waiting = AbortSignal.any([signal, found.signal])
  return new Promise((resolve, reject) => {
    const hold = () => {
      if (waiting.aborted) return undefined // two came free at once
      found.abort()
      return /** @type {Promise<void>} */ (new Promise((release) => resolve(release)))
    }
    for (let slot = 0; slot < SLOTS; slot += 1) {
      navigator.locks
        .request(`team-studio connection ${slot}`, { signal: waiting }, hold)
        .catch((error) => {
          if (!found.signal.aborted) reject(error)
        })
    }
  })
}

/** Behind a proxy with HTTP/2 or 3 all pages share one connection. */
function hasManyStreams() {
  const [page] = performance.getEntriesByType('navigation')
  return page instanceof PerformanceNavigationTiming && /^h[23]/.test(page.nextHopProtocol)
}
