// @ts-check
// Nobody at the keyboard is thrown back to the start of the page because what had the focus was
// drawn anew or went away.

const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled, [type=hidden]), select:not(:disabled), textarea:not(:disabled), summary, [tabindex]'
const REGION = 'dialog, [popover], [role=tabpanel], aside, header, nav, #toasts, main'

/** @typedef {HTMLElement | SVGElement} Focused */
/**
 * @typedef {{ node: Focused, region: HTMLElement, key: string, index: number, about: string }}
 *   Place
 */

/**
 * When the focused element goes, the focus moves to the one that took its place: the same one drawn
 * anew, else its next neighbour in the region. A region marked `data-keeps-focus` gets `focus:lost`
 * and may decide itself.
 * @param {AbortSignal} [signal]
 */
export function recoverFocus(signal) {
  const options = signal ? { signal } : {}
  /**
   * Where the focus was, latest last; one place of each region.
   * @type {Place[]}
   */
  let places = []
  document.addEventListener(
    'focusin',
    (event) => {
      const node = event.target
      const region = isFocused(node)
        ? (node.closest('[data-keeps-focus]') ?? node.closest(REGION))
        : null
      if (!isFocused(node) || !(region instanceof HTMLElement)) return
      const index = region.hasAttribute('data-keeps-focus')
        ? 0
        : focusables(region).indexOf(/** @type {HTMLElement} */ (node))
      places = [
        ...places.filter((each) => each.region !== region && each.region.isConnected),
        { node, region, key: keyOf(node), index, about: aboutOf(region) },
      ]
    },
    options,
  )
  document.addEventListener(
    'pointerdown',
    () =>
      setTimeout(() => {
        if (document.activeElement === document.body && places.at(-1)?.node.isConnected) places = []
      }),
    { capture: true, ...options },
  )

  const observer = new MutationObserver((records) => {
    const place = places.at(-1)
    if (!place || !isLost(place.node, records)) return
    places = places.slice(0, -1)
    restore(place, places)
  })
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ['hidden', 'disabled', 'inert', 'data-tab'],
  })
  signal?.addEventListener('abort', () => observer.disconnect())
}

/**
 * What has the focus can only have lost it to a change around it: all others are passed over, since
 * to measure costs a layout.
 * @param {Focused} node
 * @param {MutationRecord[]} records
 */
function isLost(node, records) {
  const active = document.activeElement
  if (active === node)
    return (
      records.some((each) => each.type === 'attributes' && each.target.contains(node)) &&
      !isUsable(node)
    )
  if (active !== document.body) return false
  return (
    !isUsable(node) ||
    records.some((each) => [...each.removedNodes].some((gone) => gone.contains(node)))
  )
}

/**
 * @param {unknown} node
 * @returns {node is Focused}
 */
function isFocused(node) {
  return node instanceof HTMLElement || node instanceof SVGElement
}

/** @param {Focused} node */
function isUsable(node) {
  return node.isConnected && !node.matches(':disabled, [inert] *') && node.checkVisibility()
}

/**
 * @param {Place} place
 * @param {Place[]} before
 */
function restore({ node, region, key, index, about }, before) {
  if (region.isConnected && region.checkVisibility()) {
    if (
      !region.dispatchEvent(
        new CustomEvent('focus:lost', { cancelable: true, detail: { key, node } }),
      )
    )
      return
    const free = focusables(region)
    const neighbour =
      about === aboutOf(region) ? free[Math.min(Math.max(0, index), free.length - 1)] : undefined
    const next =
      free.find((each) => keyOf(each) === key) ??
      neighbour ??
      (region.hasAttribute('tabindex') ? region : free[0])
    if (next) return next.focus({ preventScroll: true })
  }
  const last = before.toReversed().find((each) => isUsable(each.node))
  const target = last?.node ?? document.getElementById('main')
  target?.focus({ preventScroll: true })
}

/**
 * @param {HTMLElement} region
 * @returns {HTMLElement[]}
 */
function focusables(region) {
  return /** @type {HTMLElement[]} */ ([...region.querySelectorAll(FOCUSABLE)]).filter((each) =>
    isUsable(each),
  )
}

/**
 * What a region shows now: a form of something else is another place.
 * @param {HTMLElement} region
 */
function aboutOf(region) {
  return region.querySelector('[data-form]')?.getAttribute('data-form') ?? ''
}

/**
 * What stays the same when an element is drawn anew.
 * @param {Focused} node
 */
function keyOf(node) {
  const { selected: _selected, state: _state, problemsWithin: _problems, ...data } = node.dataset
  return JSON.stringify([
    node.tagName,
    node.id,
    node.getAttribute('name'),
    node.getAttribute('aria-label'),
    data,
  ])
}
