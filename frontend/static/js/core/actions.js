// @ts-check
import { announce } from './dom.js'
import { can } from './permissions.js'
import { bindShortcuts } from './shortcuts.js'

/**
 * One thing a person can do, told once: keys, command palette, menus and the list of keys all read
 * it from here. `keys` are chords as in shortcuts.js; `scope` says where they are heard. `words`
 * are other names that a search finds it by. `when`
 * answers true, or the sentence why not. `needs` is the role that the server asks of who does it.
 * `menu` puts it into the menu of what is selected (right click, Shift+F10). `run` returning false
 * lets a key go on.
 * @typedef {{ id: string, label: string, words?: string, keys?: string[], group: string, scope: 'page' | 'canvas',
 *   inFields?: import('./shortcuts.js').InFields, icon?: string,
 * needs?: import('./permissions.js').Role, menu?: boolean, isDanger?: boolean, when?: () => true | string,
 *   run: (event?: Event) => void | boolean }} Action
 */

/** All actions of a page. */
export class Actions {
  /** @type {Map<string, Action>} */
  #byId = new Map()

  /** @param {(reason: string) => void} [refuse]  told why something cannot be done */
  constructor(refuse = announce) {
    this.refuse = refuse
  }

  /** @param {Action[]} list */
  add(list) {
    for (const action of list) {
      if (this.#byId.has(action.id)) throw new Error(`Two actions are called ${action.id}.`)
      const clash = this.all().find(
        (each) =>
          each.scope === action.scope && each.keys?.some((keys) => action.keys?.includes(keys)),
      )
      if (clash) throw new Error(`${clash.id} and ${action.id} have the same key.`)
      this.#byId.set(action.id, action)
    }
  }

  all() {
    return [...this.#byId.values()]
  }

  /** @param {string} id */
  find(id) {
    return this.#byId.get(id)
  }

  /**
   * Do it, or say why not.
   * @param {string} id
   * @param {Event} [event]
   * @returns {boolean} false when it did not take the event
   */
  run(id, event) {
    const action = this.#byId.get(id)
    if (!action) throw new Error(`No action is called ${id}.`)
    const reason = disabledReason(action)
    if (reason === '') return action.run(event) !== false
    if (event instanceof KeyboardEvent && event.key === 'Escape') return false
    this.refuse(reason)
    return true
  }

  /**
   * Hear the keys of a scope inside an element; actions that are added later are heard too.
   * @param {EventTarget} root
   * @param {Action['scope']} scope
   * @param {AbortSignal} [signal]
   */
  bind(root, scope, signal) {
    const shortcuts = () =>
      this.all()
        .filter((action) => action.scope === scope)
        .flatMap((action) =>
          (action.keys ?? []).map((keys) => ({
            keys,
            label: action.label,
            inFields: action.inFields ?? false,
            run: (/** @type {KeyboardEvent} */ event) =>
              !isBehindDialog() && this.run(action.id, event),
          })),
        )
    bindShortcuts(root, shortcuts, signal)
  }
}

/** Whoever is asked something answers first. */
function isBehindDialog() {
  return document.querySelector('dialog:modal') !== null
}

/**
 * Whether the person of this page has the role for it.
 * @param {Action} action
 */
export const isPermitted = ({ needs }) => needs === undefined || can(needs)

/**
 * Why an action cannot be done now; '' when it can.
 * @param {Action} action
 */
export function disabledReason(action) {
  if (!isPermitted(action)) return `This needs the ${action.needs} role.`
  const answer = action.when?.() ?? true
  return answer === true ? '' : answer
}
