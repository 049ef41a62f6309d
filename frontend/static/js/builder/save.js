// @ts-check
import { api, ApiError } from '../core/api.js'
import { debounce, el } from '../core/dom.js'
import { ask } from '../core/dialog.js'
import { isSame } from '../core/pointer.js'
import { toast, toastError } from '../core/toast.js'

/**
 * @typedef {import('./editor.js').Editor} Editor
 * @typedef {{ id: string, revision: number }} Saved
 */

const IDLE_MS = 2000
/** A server that does not answer is asked again by itself. */
const RETRY_MS = 5000

/** Keeps the server's copy up to date. Fires `state` with saved, dirty, saving, failed or conflict. */
export class Saver extends EventTarget {
  state = 'saved'
  #isBusy = false
  /** Whether the reader knows already that saving fails. */
  #isTold = false
  /** The document as the server has it. @type {unknown} */
  #stored

  /** @param {Editor} editor @param {Saved} saved @param {AbortSignal} signal */
  constructor(editor, saved, signal) {
    super()
    this.editor = editor
    this.id = saved.id
    this.revision = saved.revision
    this.#stored = editor.doc
    const soon = debounce(() => void this.save(), IDLE_MS)
    editor.addEventListener('doc', () => {
      this.#become(editor.doc === this.#stored ? 'saved' : 'dirty')
      if (this.state === 'dirty') soon()
    }, { signal })
    addEventListener('beforeunload', (event) => {
      if (this.state !== 'saved') event.preventDefault()
    }, { signal })
    addEventListener('pagehide', () => {
      if (this.state === 'dirty') void this.save({ keepalive: true })
    }, { signal })
  }

  /**
   * Write now. `note` names the version.
   * @param {{ note?: string, keepalive?: boolean }} [options]
   * @returns {Promise<boolean>} whether the server has it
   */
  async save({ note = '', keepalive = false } = {}) {
    const doc = this.editor.doc
    if (doc === this.#stored && !note) return true
    if (this.#isBusy || this.state === 'conflict') return false
    this.#isBusy = true
    this.#become('saving')
    try {
      const answer = await api.put(this.#url(), { ...doc, revision: this.revision, ...(note ? { note } : {}) }, { keepalive })
      this.#hasStored(this.#kept(doc, answer.component), answer.revision)
      return true
    } catch (error) {
      await this.#failed(error)
      return false
    } finally {
      this.#isBusy = false
    }
  }

  /** The server keeps keys apart and puts references in their place; take them over. @param {import('./document/commands.js').Doc} doc @param {any} component */
  #kept(doc, component) {
    if (this.editor.doc !== doc || !component || isSame(component, doc.component)) return doc
    this.editor.run({ label: 'Keep keys as secrets', apply: (current) => ({ ...current, component }) })
    toast('Keys in this team are now kept as secrets.', { tone: 'success', fix: 'The team only holds their names.' })
    return this.editor.doc
  }

  /** @param {unknown} doc @param {number} revision */
  #hasStored(doc, revision) {
    this.revision = revision
    this.#stored = doc
    this.#isTold = false
    this.#become(this.editor.doc === doc ? 'saved' : 'dirty')
    if (this.state === 'dirty') setTimeout(() => void this.save(), IDLE_MS)
  }

  /** @param {unknown} error */
  async #failed(error) {
    if (error instanceof ApiError && error.status === 409) {
      this.#become('conflict')
      return this.#settle()
    }
    if (this.#isTold === false) toastError(error)
    this.#isTold = true
    this.#become('failed')
    if (error instanceof ApiError && error.status === 0) setTimeout(() => void this.save(), RETRY_MS)
  }

  /** Someone else saved in between: their version or ours, never a silent loss. */
  async #settle() {
    const answer = await ask({
      title: 'This team was changed elsewhere',
      body: el('div', { class: 'stack' }, el('p', {}, 'Another tab or person saved it after you opened it here. Nothing of yours has been overwritten, and nothing of theirs.'),
        el('p', { class: 'muted' }, 'Keep your work as a new team, or drop it and go on with theirs.')),
      choices: [{ value: 'theirs', label: 'Load theirs', tone: 'danger' }, { value: 'copy', label: 'Keep mine as a copy', tone: 'primary' }],
    })
    if (answer === 'theirs') await this.reload()
    else if (answer === 'copy') await this.#copy()
    else toast('Not saved: the team was changed elsewhere.', { tone: 'warning', action: { label: 'Decide', run: () => void this.#settle() } })
  }

  async #copy() {
    const { name, component, layout } = this.editor.doc
    try {
      const made = await api.post('/api/teams', { name: `${name} (copy)`, component, layout })
      this.#become('saved')
      location.assign(`/teams/${encodeURIComponent(made.id)}`)
    } catch (error) {
      toastError(error)
    }
  }

  /** Take the server's version. @param {string} [label] */
  async reload(label = 'Loaded the saved version') {
    const team = await api.get(this.#url())
    const doc = { name: team.name, component: team.component, layout: team.layout ?? {} }
    this.revision = team.revision
    this.#stored = doc
    this.editor.store.replace(doc, label)
    this.#become('saved')
  }

  #url() {
    return `/api/teams/${encodeURIComponent(this.id)}`
  }

  /** @param {string} state */
  #become(state) {
    this.state = state
    this.dispatchEvent(new Event('state'))
  }
}
