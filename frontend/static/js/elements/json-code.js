// @ts-check
// CodeMirror inside a shadow root, where its styles are adopted sheets and no inline style is
// needed.
import { debounce } from '../core/dom.js'

/** @typedef {import('@codemirror/view').EditorView} EditorView */

/**
 * `<json-code data-language="json|python" data-label="…" data-readonly data-marked>`: a code
 * editor. The text comes from a `<textarea>` inside, which stays as it is where CodeMirror cannot
 * load, or from `text`. Fires `json-code:input` with `detail.text` and, since it last did,
 * `detail.isTyped`: whether keys alone changed it.
 */
export class JsonCode extends HTMLElement {
  /** @type {EditorView | undefined} */
  #view
  #text = ''
  #isSetting = false
  #isTyped = true
  /** @type {import('./code-view.js').Mark[]} */
  #marks = []
  /** @type {typeof import('./code-view.js') | undefined} */
  #code
  /**
   * A place to go to once the editor is there.
   * @type {[number, number] | undefined}
   */
  #wanted
  /** CodeMirror is large, and comes when there is something to be seen of it. */
  #watch = new IntersectionObserver(
    (entries) => {
      if (!entries.some((each) => each.isIntersecting)) return
      this.#watch.disconnect()
      void this.#upgrade(this.querySelector('textarea'))
    },
    { rootMargin: '200px' },
  )

  connectedCallback() {
    if (this.#view) return
    const area = this.querySelector('textarea')
    if (area) this.#text = area.value
    area?.addEventListener('input', () => {
      this.#isTyped = false // how, is not known here
      this.#tell(area.value)
    })
    this.#watch.observe(this)
  }

  disconnectedCallback() {
    this.#watch.disconnect()
    this.#later.flush()
    this.#view?.destroy()
    this.#view = undefined
  }

  get text() {
    return this.#view ? this.#view.state.doc.toString() : this.#text
  }

  /** Setting fires nothing. The cursor stays where it can. */
  set text(text) {
    this.#later.cancel()
    this.#text = text
    const area = this.querySelector('textarea')
    if (area) area.value = text
    const view = this.#view
    if (!view || view.state.doc.toString() === text) return
    this.#isSetting = true
    const head = Math.min(view.state.selection.main.head, text.length)
    view.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert: text },
      selection: { anchor: head },
    })
    this.#isSetting = false
  }

  /**
   * What is wrong with the text, and where.
   * @param {import('./code-view.js').Mark[]} marks
   */
  mark(marks) {
    if (marks.length === 0 && this.#marks.length === 0) return
    this.#marks = marks
    if (this.#view) this.#code?.mark(this.#view, marks)
  }

  /**
   * Put the cursor at a place.
   * @param {number} line
   * @param {number} column  both from 1
   */
  reveal(line, column) {
    this.#wanted = this.#view ? undefined : [line, column]
    if (this.#view) this.#code?.reveal(this.#view, line, column)
  }

  /** Tell now what was typed a moment ago. */
  flush() {
    this.#later.flush()
  }

  /** @param {HTMLTextAreaElement | null} area */
  async #upgrade(area) {
    this.#code = await import('./code-view.js')
    if (!this.isConnected || this.#view) return
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' })
    root.replaceChildren()
    this.#view = this.#code.makeView({
      root,
      text: this.#text,
      label: this.dataset['label'] ?? 'Code',
      language: this.dataset['language'] ?? 'json',
      isReadOnly: this.dataset['readonly'] !== undefined,
      isMarked: this.dataset['marked'] !== undefined,
      onChange: (text, isTyped) => {
        this.#isTyped &&= isTyped && !this.#isSetting
        if (!this.#isSetting) this.#later(text)
      },
    })
    if (this.#marks.length > 0) this.#code.mark(this.#view, this.#marks)
    area?.remove()
    this.dataset['ready'] = ''
    if (this.#wanted) this.reveal(...this.#wanted)
  }

  #later = debounce((/** @type {string} */ text) => this.#tell(text), 120)

  /** @param {string} text */
  #tell(text) {
    this.#text = text
    const isTyped = this.#isTyped
    this.#isTyped = true
    this.dispatchEvent(
      new CustomEvent('json-code:input', { bubbles: true, detail: { text, isTyped } }),
    )
  }
}

if (!customElements.get('json-code')) customElements.define('json-code', JsonCode)
