// @ts-check
import { api, ApiError } from '../core/api.js'
import { debounce } from '../core/dom.js'
import { isExactly, withSharedStructure } from '../core/patch.js'
import { authorOf } from '../core/browser-tab.js'
import { toast, toastError } from '../core/toast.js'
import { extractedKeys, withReferences } from './document/secret-drafts.js'

/**
 * @typedef {import('./editor.js').Editor} Editor
 * @typedef {import('./document/commands.js').Doc} Doc
 * @typedef {{ name: string, component: Doc['component'], layout: Doc['layout'] | null, revision:
 *   number, merged_changes?: string[] }} Stored  as the server answers
 * @typedef {{ id: string, label: string, base?: unknown, mine?: unknown, theirs?: unknown,
 *   changes?: Record<'mine' | 'theirs', string[]> }} Conflict
 * @typedef {Record<string, 'mine' | 'theirs'>} Choices  by the id of the conflict
 * @typedef {(conflicts: Conflict[]) => Promise<Choices | null>} Settle  null: not decided
 * @typedef {{ keepalive?: boolean, isAutomatic?: boolean, choices?: Choices, against?: number,
 *   note?: string }} Options  `against`: the
 *   revision that was chosen against
 */

const IDLE_MS = 2000
/** A server that does not answer is asked again by itself. */
const RETRY_MS = 5000
const MAX_NAMED = 3

/**
 * What the server answered, as the editor holds it.
 * @param {Stored} stored
 * @returns {Doc}
 */
export function docOf({ name, component, layout }) {
  return { name, component, layout: layout ?? {} }
}

/**
 * Keeps the server's copy up to date, and this page's: what others save comes in as a step of its
 * own. Fires `state` with saved, dirty, saving, failed or conflict.
 */
export class Autosave extends EventTarget {
  state = 'saved'
  /**
   * The save that is under way.
   * @type {Promise<boolean> | undefined}
   */
  #saving
  /**
   * When it is tried again by itself: one such time, however many edits came.
   * @type {ReturnType<typeof setTimeout> | undefined}
   */
  #retry
  /** Whether the reader knows already that saving fails. */
  #isTold = false
  /**
   * The document as the server has it.
   * @type {Doc | undefined}
   */
  #stored
  /** @type {{ conflicts: Conflict[], revision: number } | undefined} */
  #undecided

  /**
   * @param {Editor} editor
   * @param {{ id: string, revision: number }} saved
   * @param {string} tab
   * @param {Settle} settle  asks which side to take
   * @param {AbortSignal} signal
   */
  constructor(editor, saved, tab, settle, signal) {
    super()
    this.editor = editor
    this.id = saved.id
    this.tab = tab
    this.revision = saved.revision
    this.settle = settle
    this.#stored = editor.doc
    this.channel = new BroadcastChannel(`studio-team-${saved.id}`)
    const soon = debounce(() => void this.save({ isAutomatic: true }), IDLE_MS)
    editor.addEventListener(
      'doc',
      () => {
        if (this.state === 'conflict') return
        this.#become(editor.doc === this.#stored ? 'saved' : 'dirty')
        if (this.state === 'dirty') soon()
      },
      { signal },
    )
    this.#listen(signal)
  }

  /** @param {AbortSignal} signal */
  #listen(signal) {
    const look = () => void this.refresh().catch(() => undefined)
    addEventListener(
      'pagehide',
      () => {
        if (this.state === 'dirty') void this.save({ keepalive: true })
      },
      { signal },
    )
    addEventListener('focus', look, { signal })
    addEventListener('online', look, { signal })
    document.addEventListener(
      'visibilitychange',
      () => document.visibilityState === 'visible' && look(),
      { signal },
    )
    this.channel.addEventListener(
      'message',
      ({ data }) => data?.revision > this.revision && look(),
      { signal },
    )
    signal.addEventListener('abort', () => {
      clearTimeout(this.#retry)
      this.channel.close()
    })
  }

  /**
   * Go on from another revision; without `stored`, the document is not saved yet.
   * @param {number} revision
   * @param {Doc} [stored]
   */
  resume(revision, stored) {
    this.revision = revision
    this.#stored = stored
    this.#become(stored === this.editor.doc ? 'saved' : 'dirty')
    if (this.state === 'dirty') void this.save()
  }

  /**
   * Write now, after what is being written.
   * @param {Options} [options]
   * @returns {Promise<boolean>} whether the server has it
   */
  async save(options = {}) {
    const { keepalive = false, isAutomatic = false } = options
    if (this.#saving && (keepalive || isAutomatic)) return false
    while (this.#saving) await this.#saving
    if (this.editor.doc === this.#stored) return true
    if (isAutomatic && this.state === 'conflict') return false
    this.#saving = this.#write(options)
    const isStored = await this.#saving
    if (this.#undecided) void this.decide().catch(toastError)
    return isStored
  }

  /**
   * @param {Options} options
   * @returns {Promise<boolean>}
   */
  async #write({ keepalive = false, choices = {}, against = 0, note = '' }) {
    const doc = this.editor.doc
    clearTimeout(this.#retry)
    this.#become('saving')
    try {
      const body = {
        ...doc,
        revision: this.revision,
        author: authorOf(this.tab),
        choices,
        against,
        note,
      }
      this.#hasStored(doc, await api.put(this.#url(), body, { keepalive }))
      return true
    } catch (error) {
      this.#failed(error)
      return false
    } finally {
      this.#saving = undefined
    }
  }

  /** @param {number} wait_ms */
  #saveAgainIn(wait_ms) {
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.save({ isAutomatic: true }), wait_ms)
  }

  /**
   * Take over what others saved; what is not saved here goes there first, where both are merged.
   */
  async refresh() {
    if (this.#saving || this.state === 'conflict') return
    if (this.state !== 'saved') return void (await this.save())
    /** @type {Stored} */
    const answer = await api.get(`${this.#url()}/changes?since=${this.revision}`)
    if (answer.revision <= this.revision || this.#saving) return
    if (this.state === 'saved') this.#mergeAnswer(answer)
    else await this.save()
  }

  /**
   * @param {Doc} sent
   * @param {Stored} answer
   */
  #hasStored(sent, answer) {
    const isCurrent = this.editor.doc === sent
    const references = extractedKeys(sent.component, answer.component)
    if (references.size > 0) this.#keepKeysApart(references)
    this.#isTold = false
    this.#undecided = undefined
    const here = references.size > 0 ? withReferences(references)(sent) : sent
    const isMerged = !isExactly(here, docOf(answer))
    if (isCurrent) this.#mergeAnswer(answer)
    else if (!isMerged) {
      this.revision = answer.revision
      this.#stored = here
    }
    this.#become(this.editor.doc === this.#stored ? 'saved' : 'dirty')
    if (this.state === 'dirty') this.#saveAgainIn(IDLE_MS)
    this.channel.postMessage({ revision: answer.revision })
  }

  /**
   * The server's document is ours now; what came from elsewhere is one step, called by what it
   * does.
   * @param {Stored} answer
   */
  #mergeAnswer(answer) {
    const { editor } = this
    const changes = answer.merged_changes ?? []
    const next = withSharedStructure(editor.doc, docOf(answer))
    this.revision = answer.revision
    this.#stored = next
    if (next === editor.doc) return this.#become('saved')
    const [first = 'Changes from elsewhere', ...more] = changes
    editor.run({
      label: more.length > 0 ? `${first}, and ${more.length} more` : first,
      apply: () => next,
    })
    const rest =
      changes.slice(0, MAX_NAMED).join(' · ') +
      (changes.length > MAX_NAMED ? ` · and ${changes.length - MAX_NAMED} more` : '')
    toast('Changes from another window were merged.', {
      fix: rest || first,
      action: { label: 'Undo merge', run: () => editor.takeBack(next) },
    })
  }

  /** @param {Map<string, string>} references */
  #keepKeysApart(references) {
    this.editor.store.rewrite(withReferences(references))
    toast('Keys in this team are now stored as secrets.', {
      tone: 'success',
      fix: 'The team stores only their names.',
    })
  }

  /** @param {unknown} error */
  #failed(error) {
    const conflicts =
      error instanceof ApiError && error.code === 'merge_conflict'
        ? error.body['conflicts']
        : undefined
    if (error instanceof ApiError && Array.isArray(conflicts) && conflicts.length > 0) {
      this.#undecided = { conflicts, revision: Number(error.body['revision']) }
      return this.#become('conflict')
    }
    if (this.#isTold === false) toastError(error)
    this.#isTold = true
    this.#become('failed')
    if (error instanceof ApiError && error.status === 0) this.#saveAgainIn(RETRY_MS)
  }

  /** Both changed the same places: a person chooses, and nothing is stored before. */
  async decide() {
    const undecided = this.#undecided
    this.#undecided = undefined
    const choices = undecided && (await this.settle(undecided.conflicts))
    if (choices) await this.save({ choices, against: undecided.revision })
    else
      toast('Not saved: this team was changed elsewhere.', {
        tone: 'warning',
        fix: 'Your changes are kept in this browser.',
        action: { label: 'Resolve', run: () => void this.save() },
      })
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
