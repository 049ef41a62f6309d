// @ts-check

/** The click that a browser sends after a drag means nothing. */
export function swallowClick() {
  const stop = new AbortController()
  addEventListener('click', (event) => event.stopPropagation(), {
    capture: true,
    signal: stop.signal,
  })
  setTimeout(() => stop.abort())
}
