// @ts-check

/**
 * `keys` is like "mod+s", "mod+shift+z", "alt+arrowup", "delete", "?"; mod is Ctrl, or Cmd on a
 * Mac. With `inFields` the shortcut works while typing too, or in those fields that it says. `run`
 * returning false lets the event go on.
 * @typedef {boolean | ((field: Element) => boolean)} InFields
 * @typedef {{ keys: string, label: string, run: (event: KeyboardEvent) => void | boolean,
 *   inFields?: InFields }} Shortcut
 */

const IS_MAC = typeof navigator !== 'undefined' && /mac/i.test(navigator.platform)

/**
 * @param {Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>} event
 * @param {boolean} [isMac]
 */
export function chord(event, isMac = IS_MAC) {
  const key = event.key === ' ' ? 'space' : event.key.toLowerCase()
  const isSymbol = key.length === 1 && !/[a-z0-9]/.test(key)
  return [
    (isMac ? event.metaKey : event.ctrlKey) && 'mod',
    event.altKey && 'alt',
    event.shiftKey && !isSymbol && 'shift',
    key,
  ]
    .filter(Boolean)
    .join('+')
}

/**
 * True where keys belong to the text being typed.
 * @param {EventTarget | null | undefined} target
 */
export function isTyping(target) {
  if (!(target instanceof HTMLElement)) return false
  return (
    target.isContentEditable ||
    target.matches(
      'input:not([type=checkbox], [type=radio]), textarea, select, json-code, [data-typing]',
    )
  )
}

/**
 * @param {EventTarget} root
 * @param {Shortcut[] | (() => Shortcut[])} shortcuts  a list, or what makes the list at each key
 * @param {AbortSignal} [signal]
 */
export function bindShortcuts(root, shortcuts, signal) {
  root.addEventListener(
    'keydown',
    (event) => {
      if (!(event instanceof KeyboardEvent) || event.defaultPrevented || event.isComposing) return
      const pressed = chord(event)
      const typing = isTyping(event.composedPath()[0] ?? event.target) || isTyping(event.target)
      const list = typeof shortcuts === 'function' ? shortcuts() : shortcuts
      const match = list.find(
        (each) => each.keys === pressed && (!typing || appliesIn(each.inFields, event.target)),
      )
      if (match && match.run(event) !== false) event.preventDefault()
    },
    signal ? { signal } : {},
  )
}

/**
 * @param {InFields | undefined} inFields
 * @param {EventTarget | null} field
 */
function appliesIn(inFields, field) {
  return typeof inFields === 'function'
    ? field instanceof Element && inFields(field)
    : inFields === true
}

/**
 * How a chord is written for people: "Ctrl+S".
 * @param {string} keys
 */
export function keysLabel(keys) {
  /** @type {Record<string, string>} */
  const names = {
    mod: IS_MAC ? '⌘' : 'Ctrl',
    arrowup: '↑',
    arrowdown: '↓',
    arrowleft: '←',
    arrowright: '→',
    delete: 'Del',
    escape: 'Esc',
    contextmenu: 'Menu',
  }
  return keys
    .split(/\+(?=.)/)
    .map((key) => names[key] ?? key[0]?.toUpperCase() + key.slice(1))
    .join(IS_MAC ? '' : '+')
}
