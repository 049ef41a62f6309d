// @ts-check
import { liveRegion } from './live-regions.js'

/**
 * Make an element. Props starting with `data-` or `aria-`, and others that are no property, become
 * attributes; `on` holds listeners; null and false children are left out.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, unknown> & { on?: Record<string, (event: any) => void> }} [props]
 * @param {...(Node | string | number | null | undefined | false)} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag)
  for (const [name, value] of Object.entries(props)) setProp(node, name, value)
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false)
      node.append(typeof child === 'number' ? String(child) : child)
  }
  return node
}

/**
 * @param {HTMLElement} node
 * @param {string} name
 * @param {unknown} value
 */
function setProp(node, name, value) {
  if (value === null || value === undefined || value === false) return
  if (name === 'on') {
    for (const [type, listener] of Object.entries(
      /** @type {Record<string, EventListener>} */ (value),
    ))
      node.addEventListener(type, listener)
  } else if (name === 'class') node.className = String(value)
  else node.setAttribute(name, value === true ? '' : String(value))
}

const SVG = 'http://www.w3.org/2000/svg'

/**
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag
 * @param {Record<string, string | number>} [attributes]
 * @param {...Node} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(tag, attributes = {}, ...children) {
  const node = /** @type {SVGElementTagNameMap[K]} */ (document.createElementNS(SVG, tag))
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value))
  node.append(...children)
  return node
}

/**
 * An icon drawn as a CSS mask; decorative.
 * @param {string} name
 */
export function icon(name) {
  return el('span', { class: 'icon', 'data-icon': name, 'aria-hidden': 'true' })
}

/**
 * A text with `code` in backticks, as nodes.
 * @param {string} text
 * @returns {(Node | string)[]}
 */
export function prose(text) {
  return text.split('`').map((part, index) => (index % 2 === 1 ? el('code', {}, part) : part))
}

/**
 * The first match, which must be there.
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {HTMLElement}
 */
export function find(selector, root = document) {
  const node = root.querySelector(selector)
  if (!(node instanceof HTMLElement)) throw new Error(`No element matches ${selector}`)
  return node
}

/**
 * One listener for all matching descendants, now and later.
 * @param {EventTarget} root
 * @param {string} type
 * @param {string} selector
 * @param {(event: any, target: HTMLElement) => void} handle
 * @param {AbortSignal} [signal]
 */
export function on(root, type, selector, handle, signal) {
  root.addEventListener(
    type,
    (event) => {
      const target = event.target instanceof Element ? event.target.closest(selector) : null
      if (target instanceof HTMLElement) handle(event, target)
    },
    signal ? { signal } : {},
  )
}

/**
 * @template {unknown[]} A
 * @param {(...args: A) => void} call
 * @param {number} wait_ms
 * @returns {((...args: A) => void) & { cancel(): void, flush(): void }}
 */
export function debounce(call, wait_ms) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  /** @type {A | undefined} */
  let waiting
  const fire = () => {
    const args = waiting
    waiting = undefined
    clearTimeout(timer)
    if (args) call(...args)
  }
  /** @param {A} args */
  const debounced = (...args) => {
    waiting = args
    clearTimeout(timer)
    timer = setTimeout(fire, wait_ms)
  }
  debounced.cancel = () => {
    waiting = undefined
    clearTimeout(timer)
  }
  debounced.flush = fire
  return debounced
}

/**
 * Say it to screen readers, again too.
 * @param {string} text
 */
export function announce(text) {
  const region = liveRegion('announcer')
  if (region) region.textContent = region.textContent === text ? `${text}\u00a0` : text
}
