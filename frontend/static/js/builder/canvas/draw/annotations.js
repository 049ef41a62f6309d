// @ts-check
// Notes on the canvas, and frames around groups of cards. Both move with the cards' own corner, so
// a longer title moves nothing.
import { el, icon, on } from '../../../core/dom.js'
import { changeNote, groupsIn, MAX_TEXT, notesOn, removeNote } from '../../document/annotations.js'
import { around, GRID_PX } from '../layout/align.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {import('../canvas.js').Canvas} Canvas
 * @typedef {import('../../document/annotations.js').Note} Note
 */

/** From the cards of a group to the frame around them, and above it for its name. */
const PAD_PX = 12
const NAME_PX = 16

export class Annotations {
  #canvas
  #editor
  /** @type {Map<string, HTMLElement>} */
  #notes = new Map()

  /**
   * @param {Canvas} canvas
   * @param {Editor} editor
   * @param {AbortSignal} signal
   */
  constructor(canvas, editor, signal) {
    this.#canvas = canvas
    this.#editor = editor
    this.groups = el('div', { class: 'groups' })
    this.layer = el('div', { class: 'notes' })
    canvas.frame.prepend(this.groups)
    canvas.frame.append(this.layer)
    canvas.addEventListener('drawn', () => this.#draw(), { signal })
    on(
      this.groups,
      'click',
      '[data-group]',
      (_event, button) => {
        const group = groupsIn(editor.doc, canvas.scene?.memberSlot ?? '').find(
          ({ id }) => id === button.dataset['group'],
        )
        if (group) editor.selectAll(group.pointers)
      },
      signal,
    )
    on(
      this.layer,
      'input',
      'textarea',
      (_event, text) =>
        editor.run(
          changeNote(idOf(text), { text: /** @type {HTMLTextAreaElement} */ (text).value }),
        ),
      signal,
    )
    on(
      this.layer,
      'click',
      '[data-remove-note]',
      (_event, button) => this.#remove(idOf(button)),
      signal,
    )
    on(
      this.layer,
      'pointerdown',
      '[data-note-grip]',
      (event, grip) => this.#drag(event, grip, signal),
      signal,
    )
    // the team around it is not meant
    for (const layer of [this.groups, this.layer])
      layer.addEventListener('click', (event) => event.stopPropagation(), { signal })
    this.layer.addEventListener('keydown', (event) => this.#pressed(event), { signal })
  }

  /** From one note to the next; to the canvas after the last. */
  focusNext() {
    const all = [...this.#notes.values()]
    const here = all.findIndex((each) => each.contains(document.activeElement))
    ;(all[here + 1] ?? this.#canvas.root).focus()
  }

  get count() {
    return this.#notes.size
  }

  /**
   * Ready to be written on, as soon as it is drawn.
   * @param {string} id
   */
  async write(id) {
    const canvas = this.#canvas
    await canvas.draw()
    const node = this.#notes.get(id)
    const note = this.#editor.doc.layout.notes?.[id]
    if (!node || !note) return
    canvas.viewport.reveal({
      x: note.x + canvas.inset.x,
      y: note.y + canvas.inset.y,
      width: node.offsetWidth,
      height: node.offsetHeight,
    })
    node.querySelector('textarea')?.focus()
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    const note = event.target instanceof Element ? event.target.closest('.note') : null
    if (!(note instanceof HTMLElement)) return
    const id = note.dataset['note'] ?? ''
    const isWriting = event.target instanceof HTMLTextAreaElement
    const isCommand = event.ctrlKey || event.metaKey
    if (event.altKey && isCommand && event.key in WAYS && !isWriting) this.#nudge(id, event.key)
    else if (event.altKey || isCommand) return
    else if (event.key === 'Escape') (isWriting ? note : this.#canvas.root).focus()
    else if (isWriting)
      return // what letters do to the team is not meant
    else if (event.key === 'Enter') note.querySelector('textarea')?.focus()
    else if (event.key === 'Delete' || event.key === 'Backspace') this.#remove(id)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  /**
   * @param {string} id
   * @param {string} key
   */
  #nudge(id, key) {
    const note = this.#editor.doc.layout.notes?.[id]
    const [x, y] = WAYS[key] ?? [0, 0]
    if (note) this.#editor.run(changeNote(id, { x: note.x + x * GRID_PX, y: note.y + y * GRID_PX }))
  }

  /** @param {string} id */
  #remove(id) {
    this.#editor.run(removeNote(id))
    this.#canvas.root.focus({ preventScroll: true })
  }

  /**
   * @param {PointerEvent} down
   * @param {HTMLElement} grip
   * @param {AbortSignal} signal
   */
  #drag(down, grip, signal) {
    const id = idOf(grip)
    const note = this.#editor.doc.layout.notes?.[id]
    const node = this.#notes.get(id)
    if (down.button !== 0 || !note || !node || this.#editor.whyNot) return
    const from = this.#canvas.viewport.toWorld(down.clientX, down.clientY)
    const stop = new AbortController()
    const own = { signal: AbortSignal.any([stop.signal, signal]) }
    let at = { x: note.x, y: note.y }
    const end = (/** @type {boolean} */ isKept) => {
      stop.abort()
      if (isKept) this.#editor.run(changeNote(id, at))
      else this.#put(node, note)
    }
    down.preventDefault()
    node.focus({ preventScroll: true })
    addEventListener(
      'pointermove',
      (event) => {
        const to = this.#canvas.viewport.toWorld(event.clientX, event.clientY)
        at = { x: Math.round(note.x + to.x - from.x), y: Math.round(note.y + to.y - from.y) }
        this.#put(node, at)
      },
      own,
    )
    addEventListener('pointerup', () => end(true), own)
    addEventListener('pointercancel', () => end(false), own)
    addEventListener(
      'keydown',
      (event) => {
        if (event.key !== 'Escape') return
        event.stopPropagation()
        end(false)
      },
      { ...own, capture: true },
    )
  }

  /**
   * @param {HTMLElement} node
   * @param {{ x: number, y: number }} at
   */
  #put(node, { x, y }) {
    const { inset } = this.#canvas
    node.style.transform = `translate(${x + inset.x}px, ${y + inset.y}px)`
  }

  #draw() {
    this.#drawNotes()
    this.#drawGroups()
  }

  #drawNotes() {
    const { doc, view } = this.#editor
    const wanted = new Map(notesOn(doc, view))
    for (const [id, node] of this.#notes) {
      if (wanted.has(id)) continue
      node.remove()
      this.#notes.delete(id)
    }
    for (const [id, note] of wanted) {
      const node = this.#notes.get(id) ?? this.#made(id)
      const text = /** @type {HTMLTextAreaElement} */ (node.querySelector('textarea'))
      if (text.value !== note.text) text.value = note.text
      node.setAttribute('aria-label', `Note: ${note.text.slice(0, 60) || 'empty'}`)
      this.#put(node, note)
    }
  }

  /** @param {string} id */
  #made(id) {
    const isFixed = this.#editor.whyNot !== ''
    const node = el(
      'div',
      {
        class: 'note',
        'data-note': id,
        tabindex: '-1',
        role: 'group',
        'aria-roledescription': 'note',
      },
      el(
        'div',
        { class: 'note-bar', 'data-note-grip': true },
        !isFixed &&
          el(
            'button',
            {
              type: 'button',
              class: 'note-remove',
              tabindex: '-1',
              'data-remove-note': true,
              'aria-label': 'Remove note',
              title: 'Remove note',
            },
            icon('x'),
          ),
      ),
      el('textarea', {
        class: 'note-text',
        rows: '2',
        tabindex: '-1',
        maxlength: MAX_TEXT,
        'aria-label': 'Note',
        placeholder: 'Write a note',
        spellcheck: 'false',
        readonly: isFixed,
      }),
    )
    this.#notes.set(id, node)
    this.layer.append(node)
    return node
  }

  #drawGroups() {
    const canvas = this.#canvas
    const cards = canvas.scene?.cards ?? []
    this.groups.replaceChildren(
      ...groupsIn(this.#editor.doc, canvas.scene?.memberSlot ?? '').flatMap(
        ({ id, name, pointers }) => {
          const boxes = cards.flatMap((card, index) =>
            pointers.includes(card.pointer) ? (canvas.boxes[index] ?? []) : [],
          )
          if (boxes.length === 0) return []
          const { x, y, width, height } = around(boxes)
          const node = el(
            'div',
            { class: 'group' },
            el(
              'button',
              {
                type: 'button',
                class: 'group-name',
                tabindex: '-1',
                'data-group': id,
                title: `Select ${name}`,
              },
              name,
            ),
          )
          node.style.transform = `translate(${x - PAD_PX}px, ${y - PAD_PX - NAME_PX}px)`
          node.style.width = `${width + 2 * PAD_PX}px`
          node.style.height = `${height + 2 * PAD_PX + NAME_PX}px`
          return [node]
        },
      ),
    )
  }
}

/** @type {Record<string, [number, number]>} */
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }

/** @param {Element} node  in a note */
const idOf = (node) =>
  /** @type {HTMLElement | null} */ (node.closest('.note'))?.dataset['note'] ?? ''
