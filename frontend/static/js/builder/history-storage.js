// @ts-check
// The history outlives the page: a reload goes on with it, and what a closed tab had not saved is
// offered back.
import { docAt, historyOf, lengthOf, linkTo } from '../core/history-chain.js'
import { isExactly } from '../core/patch.js'
import { isRecord } from '../core/pointer.js'
import { openTabs } from '../core/browser-tab.js'
import { toast } from '../core/toast.js'
import { isComponent } from './document/catalogue.js'

/**
 * @typedef {import('./editor.js').Editor} Editor
 * @typedef {import('./autosave.js').Autosave} Saver
 * @typedef {import('./document/commands.js').Doc} Doc
 * @typedef {import('../core/journal.js').Journal} Journal
 * @typedef {import('../core/journal.js').Kept} Kept
 * @typedef {(draft: Doc, at: number) => Promise<'restore' | 'drop' | ''>} Offer
 */

const MAX_AGE_MS = 7 * 24 * 3600 * 1000

/**
 * @param {Journal | null} journal  null where the browser keeps nothing
 * @param {Editor} editor  with the server's document
 * @param {Saver} saver
 * @param {Offer} offer  asks about the draft of a tab that is gone
 * @param {AbortSignal} signal
 */
export async function persistHistory(journal, editor, saver, offer, signal) {
  if (!journal) return warnOnLeaving(saver, signal)
  const key = `${saver.id} ${saver.tab}`
  const isKept = resume(editor, saver, await journal.read(key).catch(() => null))
  recordSteps(journal, key, isKept, editor, saver, signal)
  void saver.refresh().catch(() => undefined)
  void offerDrafts(journal, editor, saver, offer).catch(() => undefined)
}

/**
 * @param {Editor} editor
 * @param {Saver} saver
 * @param {Kept | null} kept
 * @returns {boolean} whether the page goes on with it
 */
function resume(editor, saver, kept) {
  const history = kept && validHistory(kept)
  if (!kept || !history) return false
  const { isDirty, revision } = kept.head
  const isThere = isExactly(history.doc, editor.doc)
  if (!isThere && !isDirty && revision >= saver.revision) return false
  editor.store.load(history)
  if (isDirty && !isThere) toast('Your unsaved changes were restored.', { tone: 'success' })
  if (isThere) saver.resume(saver.revision, history.doc)
  else saver.resume(Math.min(revision, saver.revision), isDirty ? undefined : history.doc)
  return true
}

/**
 * The history, unless what was kept of it is damaged: then the page does without rather than not
 * open.
 * @param {Kept} kept
 */
function validHistory({ head, first, links }) {
  try {
    const history = historyOf(/** @type {Doc} */ (first), links, head.position)
    const docs = [history.doc, ...[...history.past, ...history.future].map((step) => step.doc)]
    return docs.every(
      (doc) => isComponent(doc?.component) && typeof doc.name === 'string' && isRecord(doc.layout),
    )
      ? history
      : null
  } catch {
    return null
  }
}

/**
 * Write each step as it happens.
 * @param {Journal} journal
 * @param {string} key
 * @param {boolean} isKept  whether the history until now is written
 * @param {Editor} editor
 * @param {Saver} saver
 * @param {AbortSignal} signal
 */
function recordSteps(journal, key, isKept, editor, saver, signal) {
  const docs = (/** @type {number} */ from, /** @type {number} */ to) =>
    Array.from({ length: to - from }, (_, index) => docAt(editor.store, from + index))
  /**
   * The documents that are written.
   * @type {unknown[]}
   */
  let written = isKept ? docs(0, lengthOf(editor.store)) : []
  let isWaiting = false
  let isFailing = false
  const write = () => {
    isWaiting = false
    const { store } = editor
    const length = lengthOf(store)
    let from = Math.min(written.length, length)
    while (from > 0 && written[from - 1] !== docAt(store, from - 1)) from -= 1
    /** @type {Map<number, unknown>} */
    const rows = new Map()
    for (let index = from; index < length; index += 1)
      rows.set(index, index === 0 ? docAt(store, 0) : linkTo(store, index))
    written = written.slice(0, from).concat(docs(from, length))
    const head = {
      key,
      group: saver.id,
      tab: saver.tab,
      at: Date.now(),
      position: store.past.length,
      length: length - 1,
      isDirty: saver.state !== 'saved',
      revision: saver.revision,
    }
    journal.write(head, rows).catch(() => {
      written = []
      if (!isFailing) warnOnLeaving(saver, signal)
      isFailing = true
    })
  }
  const soon = () => {
    if (!isWaiting) queueMicrotask(write)
    isWaiting = true
  }
  editor.addEventListener(
    'doc',
    (event) => {
      if (/** @type {CustomEvent} */ (event).detail.how === 'rewrite') written = []
      soon()
    },
    { signal },
  )
  saver.addEventListener('state', soon, { signal })
  soon()
}

/**
 * @param {Journal} journal
 * @param {Editor} editor
 * @param {Saver} saver
 * @param {Offer} offer
 */
async function offerDrafts(journal, editor, saver, offer) {
  const [heads, open] = await Promise.all([journal.heads(saver.id), openTabs()])
  const gone = heads
    .filter((head) => head.tab !== saver.tab && !open.has(head.tab))
    .sort((a, b) => b.at - a.at)
  for (const head of gone) {
    const kept = head.isDirty ? await journal.read(head.key) : null
    if (!kept && Date.now() - head.at < MAX_AGE_MS && !head.isDirty) continue
    const draft = kept && validHistory(kept)?.doc
    const answer = draft && !isExactly(draft, editor.doc) ? await offer(draft, head.at) : 'drop'
    if (answer === 'restore' && draft) {
      editor.run({ label: 'Restore unsaved changes', apply: () => draft })
      saver.resume(Math.min(head.revision, saver.revision))
    }
    if (answer !== '') journal.drop(head.key)
    if (answer !== 'drop') return
  }
}

/**
 * Where the browser keeps nothing, leaving would lose what is not saved.
 * @param {Saver} saver
 * @param {AbortSignal} signal
 */
function warnOnLeaving(saver, signal) {
  addEventListener(
    'beforeunload',
    (event) => {
      if (saver.state !== 'saved') event.preventDefault()
    },
    { signal },
  )
}
