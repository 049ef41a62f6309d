// @ts-check
// Copy, cut and paste, by the browser's own events: they carry the text, so that no permission has
// to be given.
import { announce } from '../core/dom.js'
import { explainDisabled } from '../core/keyboard.js'
import { isTyping } from '../core/shortcuts.js'
import { toast } from '../core/toast.js'
import { placeNear } from './actions.js'
import { namesOf, removeMany } from './document/bulk.js'
import { asText, packed, pasteCommand, unpacked } from './document/clipboard.js'
import { targetsNear } from './document/slot-targets.js'
import { inDocumentOrder } from './document/selection.js'

/**
 * @typedef {import('./editor.js').Editor} Editor
 * @typedef {import('../core/actions.js').Action} Action
 */

/** How long after its key a paste still belongs to it. */
const KEY_MS = 1000

export class Clipboard {
  /** What was copied last on this page: for a menu, which the browser gives no clipboard. */
  #last = ''
  #linkedAt = -Infinity

  /**
   * @param {Editor} editor
   * @param {AbortSignal} signal
   */
  constructor(editor, signal) {
    this.editor = editor
    document.addEventListener('copy', (event) => this.#writeTo(event, () => this.#copied()), {
      signal,
    })
    document.addEventListener('cut', (event) => this.#writeTo(event, () => this.#cut()), { signal })
    document.addEventListener(
      'paste',
      (event) => {
        if (!isOurs(event)) return
        event.preventDefault()
        this.paste(
          event.clipboardData?.getData('text/plain') ?? '',
          performance.now() - this.#linkedAt < KEY_MS,
        )
      },
      { signal },
    )
  }

  /**
   * @param {ClipboardEvent} event
   * @param {() => string} textOf
   */
  #writeTo(event, textOf) {
    if (!isOurs(event) || String(getSelection()) !== '') return
    event.preventDefault()
    const text = textOf()
    if (text !== '') event.clipboardData?.setData('text/plain', text)
  }

  /**
   * Connections go along with those they connect, not alone.
   * @returns {string} "" when nothing was copied
   */
  #copied() {
    const { editor } = this
    const parts = editor.selected.filter((each) => editor.at(each))
    if (parts.length === 0) {
      explainDisabled('A connection is copied with the agents at its ends.')
      return ''
    }
    this.#last = asText(packed(editor.catalogue, editor.doc, parts))
    announce(`Copied ${namesOf(editor.root, parts)}.`)
    return this.#last
  }

  #cut() {
    const { editor } = this
    const text = this.#copied()
    const gone = editor.selected.filter((each) => each !== '' && editor.at(each))
    if (gone.length > 0)
      editor.run({
        ...removeMany(editor.catalogue, editor.root, gone),
        label: `Cut ${namesOf(editor.root, gone)}`,
      })
    return text
  }

  /**
   * @param {string} text
   * @param {boolean} [isLinked]  links to those that were not copied stay, where this team has them
   * @returns {boolean} whether there was something to paste
   */
  paste(text, isLinked = false) {
    const { editor } = this
    const read = unpacked(text)
    if ('problem' in read) {
      toast(read.problem, { tone: 'warning' })
      return false
    }
    const target = inDocumentOrder([...editor.selected]).at(-1) ?? ''
    const [only, ...others] = read.parcel.components
    if (
      only &&
      others.length === 0 &&
      targetsNear(editor.catalogue, editor.root, only, target).length !== 1
    ) {
      void placeNear(editor, only, { target })
      return true
    }
    const { command, refused } = pasteCommand(editor.catalogue, editor.root, read.parcel, target, {
      isLinked,
    })
    if (command) editor.run(command)
    if (refused.length > 0) toast(refused.join(' '), { tone: 'warning' })
    return command !== null
  }

  /**
   * Whether a text in a search field is meant as components: then it is pasted.
   * @param {string} text
   */
  takes = (text) => /^\s*[[{]/.test(text) && !('problem' in unpacked(text)) && this.paste(text)

  /**
   * From a menu the system's clipboard can be written, but often not be read.
   * @param {() => string} textOf
   */
  async #write(textOf) {
    const text = textOf()
    if (text !== '') await navigator.clipboard?.writeText(text).catch(() => undefined)
  }

  async #read() {
    const text = await navigator.clipboard?.readText().catch(() => '')
    if (text || this.#last) this.paste(text || this.#last)
    else toast('Clipboard access was denied; press Ctrl+V.')
  }

  /** @returns {Action[]} */
  actions() {
    const { editor } = this
    // With its key, the browser's own event follows and does the work.
    const byKey = (/** @type {Event | undefined} */ event) => event instanceof KeyboardEvent
    const isPart = () =>
      editor.selected.some((each) => each !== '') ? true : 'The team itself cannot be removed.'
    /** @type {Omit<Action, 'group' | 'scope'>[]} */
    const list = [
      {
        id: 'copy',
        label: 'Copy',
        icon: 'clipboard',
        keys: ['mod+c'],
        menu: true,
        run: (event) => (byKey(event) ? false : void this.#write(() => this.#copied())),
      },
      {
        id: 'cut',
        label: 'Cut',
        icon: 'scissors',
        keys: ['mod+x'],
        menu: true,
        when: isPart,
        run: (event) => (byKey(event) ? false : void this.#write(() => this.#cut())),
      },
      {
        id: 'paste',
        label: 'Paste',
        icon: 'clipboard-paste',
        keys: ['mod+v'],
        menu: true,
        run: (event) => (byKey(event) ? false : void this.#read()),
      },
      {
        id: 'paste-linked',
        label: 'Paste with connections',
        icon: 'link',
        keys: ['mod+shift+v'],
        run: (event) => this.#readLinked(event),
      },
    ]
    return list.map((each) => ({ ...each, group: 'Edit', scope: 'canvas' }))
  }

  /**
   * @param {Event} [event]
   * @returns {void | false}
   */
  #readLinked(event) {
    if (!(event instanceof KeyboardEvent)) return void this.#read()
    this.#linkedAt = performance.now()
    return false
  }
}

/**
 * Texts that are typed or read keep their own copy and paste.
 * @param {ClipboardEvent} event
 */
function isOurs(event) {
  const target = event.target instanceof Element ? event.target : document.body
  return (
    !event.defaultPrevented &&
    !isTyping(event.composedPath()[0] ?? target) &&
    !isTyping(target) &&
    !target.closest('dialog, [popover], .inspector-panel')
  )
}
