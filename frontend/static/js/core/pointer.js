// @ts-check
// JSON pointers (RFC 6901) over plain JSON values. Nothing here changes a value: changed copies
// share what stayed.

/** @typedef {any} Json */

/**
 * @param {string} pointer
 * @returns {string[]}
 */
export function steps(pointer) {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/**
 * @param {string} pointer
 * @param {...(string | number)} more
 */
export function join(pointer, ...more) {
  return (
    pointer +
    more.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
  )
}

/** @param {string} pointer */
export function parent(pointer) {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')))
}

/**
 * The last step, unescaped.
 * @param {string} pointer
 */
export function last(pointer) {
  return steps(pointer).at(-1) ?? ''
}

/**
 * @param {string} pointer
 * @param {string} outer
 */
export function isWithin(pointer, outer) {
  return pointer === outer || pointer.startsWith(`${outer}/`)
}

/**
 * An object that is no list.
 * @param {unknown} value
 * @returns {value is Record<string, Json>}
 */
export function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * @param {Json} value
 * @param {string} pointer
 * @returns {Json} undefined where nothing stands
 */
export function get(value, pointer) {
  let here = value
  for (const step of steps(pointer)) {
    if (
      here === null ||
      typeof here !== 'object' ||
      !Object.hasOwn(here, step) ||
      (step === 'length' && Array.isArray(here))
    )
      return undefined
    here = here[step]
  }
  return here
}

/**
 * @param {Json} value
 * @param {string[]} path
 * @param {(container: Json, key: string) => Json} change  gets a copy of the container and returns
 *   it
 * @returns {Json}
 */
function edit(value, path, change) {
  const [key, ...rest] = path
  if (key === undefined) throw new Error('The pointer names the whole document.')
  const copy = /** @type {Json} */ (
    Array.isArray(value) ? [...value] : isRecord(value) ? { ...value } : {}
  )
  if (rest.length === 0) return change(copy, key)
  const inner = Object.hasOwn(copy, key) ? copy[key] : undefined
  return put(copy, key, edit(inner ?? {}, rest, change))
}

/**
 * A plain assignment to "__proto__" would be lost.
 * @param {Json} container  changed in place
 * @param {string} key
 * @param {Json} next
 */
function put(container, key, next) {
  if (key === '__proto__')
    Object.defineProperty(container, key, {
      value: next,
      writable: true,
      enumerable: true,
      configurable: true,
    })
  else container[key] = next
  return container
}

/**
 * @param {Json} value
 * @param {string} pointer
 * @param {Json} next
 */
export function set(value, pointer, next) {
  if (pointer === '') return next
  return edit(value, steps(pointer), (container, key) => put(container, key, next))
}

/**
 * Where nothing stands, nothing changes.
 * @param {Json} value
 * @param {string} pointer
 */
export function remove(value, pointer) {
  if (get(value, pointer) === undefined) return value
  return edit(value, steps(pointer), (container, key) => {
    if (Array.isArray(container)) container.splice(Number(key), 1)
    else delete container[key]
    return container
  })
}

/**
 * Put into a list, before the index that the pointer ends in.
 * @param {Json} value
 * @param {string} pointer
 * @param {Json} next
 */
export function insert(value, pointer, next) {
  return edit(value, steps(pointer), (container, key) => {
    container.splice(Number(key), 0, next)
    return container
  })
}

/**
 * Rename a key and keep the order of the others.
 * @param {Json} value
 * @param {string} pointer
 * @param {string} name
 */
export function renameKey(value, pointer, name) {
  const renamed = Object.entries(get(value, parent(pointer)) ?? {}).map(([key, each]) => [
    key === last(pointer) ? name : key,
    each,
  ])
  return set(value, parent(pointer), Object.fromEntries(renamed))
}

/**
 * Whether two JSON values are the same, whatever the order of keys.
 * @param {Json} a
 * @param {Json} b
 * @returns {boolean}
 */
export function isSame(a, b) {
  if (a === b) return true
  if (
    a === null ||
    b === null ||
    typeof a !== 'object' ||
    typeof b !== 'object' ||
    Array.isArray(a) !== Array.isArray(b)
  )
    return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]))
  )
}
