// @ts-check
// One form as it is drawn now, with what was typed into it and is no value yet.
import { ApiError } from '../../../core/api.js'
import { el, prose } from '../../../core/dom.js'
import { get, isSame, join } from '../../../core/pointer.js'
import { makeReadOnly } from '../../../core/read-only.js'
import { toastError } from '../../../core/toast.js'
import { haveSameType, applyToAll } from '../../document/shared-fields.js'
import { isComponent } from '../../document/catalogue.js'
import { clearValue, ownerOf, renameAgent, setValue } from '../../document/commands.js'
import { rangeProblem, readValue } from '../../document/values.js'
import { at } from './entries.js'
import { showWarnings } from './warnings.js'
import { showImportFindings } from './import-findings.js'
import { suggestListedModels } from './model-list.js'
import { morph } from './morph.js'
import { labelParts } from './part-labels.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {(editor: Editor, signal: AbortSignal) => Promise<string>} Draw  asks for the HTML
 * @typedef {{ text: string, problem: string, base: unknown }} Unfinished  text that is no value,
 *   over the value `base`
 */

/** What the edits of a form are marked with, so that it does not follow itself. */
export const ORIGIN = 'form'
/** The attributes of a form that hold pointers. */
const PLACES = [
  'data-form',
  'data-pointer',
  'data-field',
  'data-entry',
  'data-entries',
  'data-error-for',
  'data-warnings-for',
  'data-drop',
  'data-key',
  'data-secret',
]
/** Those that hold ids, which are made of pointers. */
const IDS = ['id', 'for', 'list', 'aria-describedby', 'aria-labelledby', 'aria-controls']

/** What is drawn now, with what was typed into it and is no value yet. */
export class Form {
  /** @type {Map<string, Unfinished>} */
  unfinished = new Map()
  /** The field to show and focus once it is there. */
  revealed = ''
  again = () => {}
  /** @type {string[]} */
  #focused = []
  /** @type {AbortController | undefined} */
  #asking
  /**
   * The errors that the form was drawn with: those of no field stand above the fields.
   * @type {import('../../../core/api.js').Finding[]}
   */
  #drawnWith = []

  /**
   * @param {HTMLElement} root
   * @param {Editor} editor
   * @param {Draw} draw
   */
  constructor(root, editor, draw) {
    this.root = root
    this.editor = editor
    this.draw = draw
  }

  /**
   * Others came or went before the part: its form goes along, with focus and caret. That of a part
   * that is gone takes nothing more.
   * @param {(pointer: string) => string | undefined} placeNow
   */
  moveAlong(placeNow) {
    this.unfinished = new Map(
      [...this.unfinished].flatMap(([pointer, each]) => {
        const place = placeNow(pointer)
        return place === undefined ? [] : [/** @type {[string, Unfinished]} */ ([place, each])]
      }),
    )
    const shown = this.root.querySelector('[data-form]')?.getAttribute('data-form') ?? ''
    const now = placeNow(shown)
    if (now === undefined) this.root.setAttribute('inert', '')
    if (now === undefined || now === shown) return
    for (const name of PLACES) replaceStarts(this.root, name, shown, now)
    // A control with another id would be another one to the form that is drawn next, without the focus.
    for (const name of IDS) replaceStarts(this.root, name, idOf(shown), idOf(now))
  }

  /** Something else was selected: nobody types into the old form while the new one comes. */
  leave() {
    this.root.setAttribute('aria-busy', 'true')
    this.root.toggleAttribute('data-stale', !this.root.contains(document.activeElement))
    void this.load()
  }

  async load() {
    this.#asking?.abort()
    const asking = new AbortController()
    this.#asking = asking
    const pointer = this.editor.selection
    const component = this.editor.root
    const { errors } = this.editor.report
    try {
      const html = await this.draw(this.editor, asking.signal)
      this.#drawnWith = errors
      if (pointer !== this.editor.selection) return
      this.#tellCode()
      if (component !== this.editor.root && this.root.querySelector(at('data-form', pointer)))
        return this.again()
      this.#show(html, pointer)
    } catch (error) {
      const isGone = error instanceof ApiError && error.status === 404
      if (!isGone && !asking.signal.aborted) toastError(error)
    } finally {
      if (this.#asking === asking)
        for (const name of ['aria-busy', 'data-stale', 'inert']) this.root.removeAttribute(name)
    }
  }

  /** Code is told a moment after it was typed, and must not be drawn as it was before. */
  #tellCode() {
    /** @type {NodeListOf<import('../../../elements/json-code.js').JsonCode>} */
    const codes = this.root.querySelectorAll('json-code')
    for (const code of codes) code.flush()
  }

  /**
   * @param {string} html
   * @param {string} pointer
   */
  #show(html, pointer) {
    const template = document.createElement('template')
    template.innerHTML = html
    const fresh = template.content.querySelector('[data-form]')
    if (this.editor.whyNot) showLocked(template.content, this.editor.whyNot)
    const here = this.root.querySelector(at('data-form', pointer))
    this.#forget()
    if (here && fresh)
      morph(here, fresh, (control) => this.unfinished.has(control.dataset['pointer'] ?? ''))
    else {
      this.root.replaceChildren(template.content)
      this.root.scrollTop = 0
    }
    this.#restore()
    labelParts(this.root, this.editor)
    suggestListedModels(this.root, this.editor)
    this.showErrors()
    this.root.dispatchEvent(
      new CustomEvent('form:shown', {
        bubbles: true,
        detail: { pointer, title: fresh?.getAttribute('data-form-title') ?? '' },
      }),
    )
    this.#moveFocus()
  }

  /** Unfinished text ends where its value changed elsewhere: undone, or written in another tab. */
  #forget() {
    for (const [pointer, { base }] of this.unfinished)
      if (!isSame(get(this.editor.root, pointer) ?? null, base ?? null))
        this.unfinished.delete(pointer)
  }

  /** A control that is new gets the unfinished text back before anything more is typed. */
  #restore() {
    for (const [pointer, { text }] of this.unfinished) {
      const control = this.root.querySelector(`:is(input, textarea)${at('data-pointer', pointer)}`)
      const takesText =
        control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement
      if (takesText && control.value !== text) control.value = text
    }
  }

  /**
   * The first of these gets the focus once the form shows the change that comes now.
   * @param {string[]} selectors
   */
  focusNext(selectors) {
    this.#focused = selectors
  }

  #moveFocus() {
    // what is not shown takes no focus
    for (const name of ['data-stale', 'inert']) this.root.removeAttribute(name)
    if (this.revealed) focusField(this.root, this.revealed)
    this.revealed = ''
    const wanted = this.#focused
      .map((selector) => this.root.querySelector(selector))
      .find((each) => each instanceof HTMLElement)
    this.#focused = []
    if (!(wanted instanceof HTMLElement)) return
    unfold(wanted)
    wanted.focus()
  }

  /**
   * Whether what is drawn is what this report says.
   * @param {import('../../editor.js').Report} report
   */
  showsErrorsOf({ errors }) {
    return isSame(this.#drawnWith, errors)
  }

  showErrors() {
    for (const place of /** @type {NodeListOf<HTMLElement>} */ (
      this.root.querySelectorAll('[data-error-for]')
    )) {
      const pointer = place.dataset['errorFor'] ?? ''
      const found = this.editor.report.errors.find((each) => each.where === pointer)
      this.say(
        pointer,
        this.unfinished.get(pointer)?.problem ??
          (found ? `${found.message} ${found.fix}`.trim() : this.#outOfRange(pointer)),
      )
    }
    showWarnings(this.root, this.editor)
    showImportFindings(this.root, this.editor)
  }

  /** @param {string} pointer */
  #outOfRange(pointer) {
    const control = this.root.querySelector(`input[data-kind]${at('data-pointer', pointer)}`)
    return control instanceof HTMLInputElement
      ? rangeProblem(get(this.editor.root, pointer), rangeOf(control))
      : ''
  }

  /**
   * @param {string} pointer
   * @param {string} problem
   */
  say(pointer, problem) {
    const place = this.root.querySelector(at('data-error-for', pointer))
    const control = this.root.querySelector(
      `:is(input, textarea, select)[data-kind]${at('data-pointer', pointer)}`,
    )
    if (place instanceof HTMLElement) {
      place.replaceChildren(...prose(problem))
      place.hidden = problem === ''
    }
    control?.toggleAttribute('data-unfinished', this.unfinished.has(pointer))
    if (problem) control?.setAttribute('aria-invalid', 'true')
    else control?.removeAttribute('aria-invalid')
  }

  /**
   * @param {string} pointer
   * @param {string} kind
   * @param {string} text
   * @param {HTMLElement} control
   */
  edit(pointer, kind, text, control) {
    const result = readValue(kind, text)
    if ('problem' in result) {
      this.unfinished.set(pointer, {
        text,
        problem: result.problem,
        base: get(this.editor.root, pointer),
      })
      return this.say(pointer, result.problem)
    }
    this.unfinished.delete(pointer)
    this.say(pointer, rangeProblem(result.value, rangeOf(control)))
    if (typeof result.value === 'number')
      control.setAttribute('aria-valuenow', String(result.value))
    const owner = ownerOf(pointer)
    const isName =
      pointer === join(owner, 'config', 'name') &&
      isComponent(get(this.editor.root, owner)) &&
      typeof result.value === 'string'
    if (isName) this.editor.run(renameAgent(owner, String(result.value)), ORIGIN)
    else
      this.run(
        result.value === undefined ? clearValue(pointer) : setValue(pointer, result.value),
        ORIGIN,
      )
  }

  /**
   * Change what the form is of: all parts that are selected, where they are alike.
   * @param {import('../../document/commands.js').Command} command
   * @param {string} [origin]
   */
  run(command, origin = '') {
    const { root, selected, selection } = this.editor
    const others = haveSameType(root, selected) ? selected.filter((each) => each !== selection) : []
    return this.editor.run(
      others.length > 0 ? applyToAll(command, selection, others) : command,
      origin,
    )
  }
}

/**
 * The id of the control at a pointer, as `control_id` of the server makes it.
 * @param {string} pointer
 */
const idOf = (pointer) => `field${pointer.replaceAll('/', '-').replaceAll('~', '_')}`

/**
 * Replace how the words of an attribute start, such as the ids in `aria-describedby`.
 * @param {HTMLElement} root
 * @param {string} name
 * @param {string} start
 * @param {string} fresh
 */
function replaceStarts(root, name, start, fresh) {
  for (const node of root.querySelectorAll(`[${name}*="${CSS.escape(start)}"]`)) {
    const words = node.getAttribute(name)?.split(' ') ?? []
    const changed = words.map((word) =>
      word.startsWith(start) ? fresh + word.slice(start.length) : word,
    )
    node.setAttribute(name, changed.join(' '))
  }
}

/**
 * @param {DocumentFragment} content  a form as the server draws it
 * @param {string} why
 */
function showLocked(content, why) {
  for (const offer of content.querySelectorAll('.field-secret-new')) offer.remove()
  makeReadOnly(content)
  const root = content.querySelector('[data-form]') ?? content.firstElementChild
  root?.prepend(el('p', { class: 'form-missing-role', 'data-key': 'lacks' }, why))
}

/** @param {HTMLElement} control */
export function rangeOf(control) {
  const { min, max, aboveMin } = control.dataset
  return {
    ...(min !== undefined && { min: Number(min) }),
    ...(max !== undefined && { max: Number(max) }),
    isAboveMin: aboveMin !== undefined,
  }
}

/**
 * @param {HTMLElement} root
 * @param {string} pointer
 * @returns {boolean} whether it is there; a form that is no longer shown, until the next one comes,
 *   takes no focus
 */
export function focusField(root, pointer) {
  if (!pointer || root.matches('[data-stale], [inert]')) return false
  const control =
    root.querySelector(`:is(input, select, textarea, json-code)${at('data-pointer', pointer)}`) ??
    root.querySelector(
      `${at('data-field', pointer)} :is(input, select, textarea, button, summary)`,
    ) ??
    root.querySelector(
      `${at('data-entry', pointer)} :is(.form-slot-name, input, select, textarea)`,
    ) ??
    (pointer.endsWith('/config')
      ? root.querySelector(
          `${at('data-form', pointer.slice(0, -'/config'.length))} [data-field] :is(input:not([type=hidden]), select, textarea, button)`,
        )
      : null)
  if (!(control instanceof HTMLElement)) return false
  unfold(control)
  control.scrollIntoView({ block: 'center' })
  const code = /** @type {any} */ (control)
  if (control.localName === 'json-code') code.reveal(1, 1)
  else control.focus()
  return true
}

/**
 * Open what an element is folded into.
 * @param {HTMLElement} control
 */
function unfold(control) {
  const own = control.matches('summary') ? control.parentElement : null
  for (
    let fold = (own ?? control).closest('details');
    fold;
    fold = fold.parentElement?.closest('details') ?? null
  )
    if (fold !== own) fold.open = true
}
