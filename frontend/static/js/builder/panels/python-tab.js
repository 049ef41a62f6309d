// @ts-check
import { api, ApiError } from '../../core/api.js'
import { copy } from '../../core/copy.js'
import { saveDraft, loadDraft } from '../../core/drafts.js'
import { debounce, el, find, on, prose } from '../../core/dom.js'
import { isSame } from '../../core/pointer.js'
import { rebase } from '../document/rebase.js'
import { keyOf, problems } from '../document/findings.js'
import { problemList } from './checklist/rows.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../document/catalogue.js').Component} Component
 * @typedef {import('../../core/api.js').Finding & { line: number, column: number, severity: string
 *   }} CodeFinding
 */

const ORIGIN = 'python'

/**
 * The whole team as a Python script that can be edited. The server reads it and never executes it;
 * a script that it refuses never reaches the document and is kept as a draft until it is mended or
 * discarded, also over a reload.
 * @param {HTMLElement} root  holds `[data-python]` and `[data-python-problem]`
 * @param {HTMLElement} badge  on the tab: shown while a draft is not applied
 * @param {Editor} editor
 * @param {string} teamId
 * @param {AbortSignal} signal
 */
export function pythonTab(root, badge, editor, teamId, signal) {
  const code = /** @type {import('../../elements/json-code.js').JsonCode} */ (
    find('[data-python]', root)
  )
  const problem = find('[data-python-problem]', root)
  const blocked = find('[data-python-blocked]', root)
  const bar = find('.code-bar', root)
  let isShown = false
  let isDraft = false
  /** Whether something was typed that the server has not answered yet. */
  let isDirty = false
  /**
   * The component whose script is shown, and how the server words it.
   * @type {Component | undefined}
   */
  let shown
  /** @type {Component | undefined} */
  let worded
  /**
   * What was last written here and taken: the author's own words for it.
   * @type {{ component: Component, worded: Component, text: string, findings: CodeFinding[] } |
   *   undefined}
   */
  let taken
  /** @type {AbortController | undefined} */
  let asking
  /** @type {CodeFinding[]} */
  let findings = []

  const key = `studio-python-draft-${teamId}`
  const keep = (/** @type {string} */ message) =>
    saveDraft(key, message ? { text: code.text, message, base: shown, worded } : null)
  /** @param {string} message  why the text is not the team; empty when it is */
  const tell = (message) => {
    isDraft = message !== ''
    isDirty = false
    keep(message)
    badge.hidden = !isDraft
    problem.hidden = !isDraft
    find('[data-python-reason]', root).replaceChildren(...prose(message))
    find('[data-python-there]', root).hidden = findings.length === 0
    markFindings()
  }
  /** All that is known of the text, but for warnings that somebody dismissed. */
  const markFindings = () => {
    const isDismissed = (/** @type {CodeFinding} */ each) =>
      each.severity === 'warning' &&
      (editor.doc.layout.dismissed?.includes(keyOf(each, editor.doc)) ?? false)
    code.mark(
      findings
        .filter((each) => !isDismissed(each))
        .map((each) => ({ ...each, message: `${each.message} ${each.fix}`.trim() })),
    )
  }
  /**
   * Say what keeps the team from being written as a script, in its place.
   * @param {import('../../core/api.js').Finding[]} wrong
   */
  const block = (wrong) => {
    const isBlocked = wrong.length > 0
    code.hidden = bar.hidden = isBlocked
    blocked.hidden = !isBlocked
    blocked.replaceChildren(
      ...(isBlocked
        ? [el('p', {}, 'Fix this to show the team as Python:'), problemList(editor, wrong)]
        : []),
    )
  }
  /**
   * A question to the server; a newer one ends it.
   * @param {string} path
   * @param {object} body
   */
  const ask = async (path, body) => {
    asking?.abort()
    asking = new AbortController()
    root.setAttribute('aria-busy', 'true')
    const { signal: own } = asking
    try {
      return await api.post(path, body, { signal: own })
    } finally {
      if (!own.aborted) root.removeAttribute('aria-busy')
    }
  }
  const isTyping = () => {
    code.flush()
    return isDirty || isDraft
  }
  const load = async () => {
    if (!isShown || isTyping() || shown === editor.root) return
    const asked = editor.root
    if (taken?.component === asked) {
      code.text = taken.text
      block([])
      ;({ component: shown, worded, findings } = taken)
      return tell('')
    }
    try {
      const answer = await ask('/api/python', { component: asked })
      if (isTyping()) return
      code.text = answer.code
      block([])
      shown = asked
      worded = undefined
      const read = await ask('/api/python/read', { code: answer.code })
      if (isTyping()) return
      worded = read.component
      findings = read.findings
      tell('')
    } catch (error) {
      if (isAbort(error) || isTyping()) return
      shown = asked
      worded = undefined
      findings = []
      const found = error instanceof ApiError ? error.body['findings'] : undefined
      const wrong = Array.isArray(found) ? found : problems(editor.report, editor.doc)
      code.text =
        wrong.length > 0
          ? ''
          : error instanceof ApiError
            ? `# ${error.message}\n# ${error.fix}\n`
            : `# ${error}\n`
      tell('')
      block(wrong)
    }
  }
  /** @param {string} text */
  const apply = async (text) => {
    const base = shown
    try {
      const read = await ask('/api/python/read', { code: text })
      if (base !== editor.root && base !== undefined)
        return tell('The team was changed elsewhere, so this text is not applied.')
      findings = read.findings
      const component = worded ? rebase(editor.root, worded, read.component) : read.component
      worded = read.component
      tell('')
      editor.run(
        {
          label: 'Edit Python',
          key: ORIGIN,
          apply: (doc) => (component === doc.component ? doc : { ...doc, component }),
        },
        ORIGIN,
      )
      shown = editor.root
      taken = { component: shown, worded: read.component, text, findings }
    } catch (error) {
      if (isAbort(error)) return
      const found = error instanceof ApiError ? error.body['findings'] : undefined
      findings = Array.isArray(found) ? found : []
      tell(
        `Not applied, so the team is unchanged. ${error instanceof Error ? error.message : error}`,
      )
    }
  }
  const applyLater = debounce((/** @type {string} */ text) => void apply(text), 350)

  code.addEventListener(
    'json-code:input',
    (event) => {
      isDirty = true
      applyLater(/** @type {CustomEvent} */ (event).detail.text)
    },
    { signal },
  )
  const loadSoon = debounce(load, 400)
  editor.addEventListener(
    'doc',
    (event) => {
      if (/** @type {CustomEvent} */ (event).detail.origin !== ORIGIN) loadSoon()
    },
    { signal },
  )
  editor.addEventListener('report', markFindings, { signal })
  root.addEventListener(
    'tab:show',
    () => {
      isShown = true
      void load()
    },
    { signal },
  )
  root.addEventListener(
    'tab:hide',
    () => {
      code.flush()
      applyLater.flush()
      isShown = false
    },
    { signal },
  )
  addEventListener(
    'pagehide',
    () => {
      code.flush()
      if (isDirty) keep('Not applied yet.')
    },
    { signal },
  )
  /** What this tab had not applied when it was left. Looked at again once it is shown. */
  const restore = () => {
    const kept =
      /** @type {{ text: string, message: string, base?: Component, worded?: Component } | null} */ (
        loadDraft(key)
      )
    if (typeof kept?.text !== 'string') return
    code.text = kept.text
    shown = isSame(kept.base, editor.root) ? editor.root : (kept.base ?? editor.root)
    worded = kept.worded
    tell(kept.message)
    root.addEventListener('tab:show', () => isDraft && void apply(code.text), {
      signal,
      once: true,
    })
  }
  restore()
  on(
    root,
    'click',
    '[data-python-discard]',
    () => {
      shown = undefined
      applyLater.cancel()
      tell('')
      void load()
    },
    signal,
  )
  on(
    root,
    'click',
    '[data-python-there]',
    () => code.reveal(findings[0]?.line ?? 1, findings[0]?.column ?? 1),
    signal,
  )
  on(root, 'click', '[data-copy-python]', () => void copy(code.text, 'Python copied.'), signal)
}

/** @param {unknown} error */
function isAbort(error) {
  return error instanceof DOMException && error.name === 'AbortError'
}

/**
 * @param {string} name
 * @param {string} text
 * @param {string} type
 */
export function download(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = Object.assign(document.createElement('a'), { href: url, download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
