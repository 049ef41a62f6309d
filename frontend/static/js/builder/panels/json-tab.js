// @ts-check
import { debounce, find, on } from '../../core/dom.js'
import { positionsIn } from '../../core/json-positions.js'
import { saveDraft, loadDraft } from '../../core/drafts.js'
import { get, isRecord, isSame, isWithin, set } from '../../core/pointer.js'
import { rebase } from '../document/rebase.js'
import { isComponent } from '../document/catalogue.js'
import { warningsOf } from '../document/findings.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {{ text: string, problem: string, base: unknown }} Draft  `base`: what it was written
 *   over
 */

const ORIGIN = 'json'

/**
 * The JSON of the selection. Text that is no valid component never reaches the document; it is kept
 * as a draft of its component until it is valid or discarded, also over a reload.
 * @param {HTMLElement} root  holds `<json-code>` and `[data-json-problem]`
 * @param {HTMLElement} badge  on the tab: shown while a draft is not applied
 * @param {Editor} editor
 * @param {string} teamId
 * @param {AbortSignal} signal
 */
export function jsonTab(root, badge, editor, teamId, signal) {
  const code = /** @type {import('../../elements/json-code.js').JsonCode} */ (
    find('json-code', root)
  )
  /** @type {Map<string, Draft>} */
  const drafts = new Map(keptDrafts(teamId, editor.root))
  let isShown = false
  /** Whose text is in the editor. */
  let pointer = ''
  /**
   * What the text was made from: what others change meanwhile is kept.
   * @type {unknown}
   */
  let base

  const tell = () => {
    const own = drafts.get(editor.selection)
    const [elsewhere] = drafts.keys()
    saveDraft(keyOf(teamId), drafts.size > 0 ? [...drafts] : null)
    badge.hidden = elsewhere === undefined
    find('[data-json-problem]', root).hidden = elsewhere === undefined
    find('[data-json-reason]', root).textContent = own
      ? `Not applied yet. ${own.problem}`
      : elsewhere === undefined
        ? ''
        : `The JSON you wrote for ${editor.titleAt(elsewhere)} is not applied.`
    find('[data-json-there]', root).hidden = own !== undefined
  }
  const show = () => {
    if (isShown) {
      pointer = editor.selection
      const draft = drafts.get(pointer)
      base = draft ? draft.base : get(editor.root, pointer)
      code.text = draft?.text ?? JSON.stringify(base, null, 2)
    }
    tell()
    markErrors()
  }
  /** What the server found wrong inside the selection, at its lines. */
  const markErrors = () => {
    if (!isShown) return
    const isDocument = !drafts.has(pointer) && 'value' in parseComponent(code.text)
    const errors = editor.errorsWithin(pointer).map((each) => ({ ...each, severity: 'error' }))
    const warnings = warningsOf(editor.report, editor.doc)
      .filter((each) => isWithin(each.where, pointer))
      .map((each) => ({ ...each, severity: 'warning' }))
    const found = isDocument
      ? [...errors, ...warnings].map((each) => ({
          ...each,
          inside: each.where.slice(pointer.length),
        }))
      : []
    const places = positionsIn(
      isDocument ? code.text : '',
      new Set(found.map((each) => each.inside)),
    )
    code.mark(
      found.map(({ inside, message, fix, severity }) => ({
        line: 1,
        column: 1,
        ...places.get(inside),
        severity,
        message: `${message} ${fix}`.trim(),
      })),
    )
  }
  const applyLater = debounce((/** @type {string} */ text) => {
    const result = parseComponent(text)
    const place = pointer
    if ('problem' in result) drafts.set(place, { text, problem: result.problem, base })
    else drafts.delete(place)
    if ('value' in result) {
      editor.run(
        {
          label: 'Edit JSON',
          key: `json ${place}`,
          apply(doc) {
            const here = get(doc.component, place)
            const value = isSame(here, base) ? result.value : rebase(here, base, result.value)
            return isSame(here, value)
              ? doc
              : { ...doc, component: set(doc.component, place, value) }
          },
        },
        ORIGIN,
      )
      base = get(editor.root, place)
    }
    tell()
    if ('problem' in result) markErrors()
  }, 300)
  const finish = () => {
    code.flush()
    applyLater.flush()
  }

  code.addEventListener(
    'json-code:input',
    (event) => applyLater(/** @type {CustomEvent} */ (event).detail.text),
    { signal },
  )
  editor.addEventListener(
    'select',
    () => {
      finish()
      show()
    },
    { signal },
  )
  editor.addEventListener(
    'doc',
    (event) => {
      const { origin, how, placeNow } = /** @type {CustomEvent} */ (event).detail
      if (origin === ORIGIN) return
      const place = placeNow(pointer)
      follow(drafts, editor.root, placeNow)
      if (place !== undefined && how !== 'jump') {
        // What was typed a moment ago goes to where its component is now.
        pointer = place
        finish()
      } else applyLater.cancel()
      show()
    },
    { signal },
  )
  editor.addEventListener('report', markErrors, { signal })
  root.addEventListener(
    'tab:show',
    () => {
      isShown = true
      show()
    },
    { signal },
  )
  root.addEventListener(
    'tab:hide',
    () => {
      finish()
      isShown = false
    },
    { signal },
  )
  on(
    root,
    'click',
    '[data-json-discard]',
    () => {
      drafts.delete(drafts.has(editor.selection) ? editor.selection : ([...drafts.keys()][0] ?? ''))
      show()
    },
    signal,
  )
  on(root, 'click', '[data-json-there]', () => editor.select([...drafts.keys()][0] ?? ''), signal)
  addEventListener('pagehide', finish, { signal })
  tell()
}

/** @param {string} teamId */
function keyOf(teamId) {
  return `studio-json-drafts-${teamId}`
}

/**
 * Those of this tab whose component is still there.
 * @param {string} teamId
 * @param {unknown} root
 * @returns {[string, Draft][]}
 */
function keptDrafts(teamId, root) {
  const kept = loadDraft(keyOf(teamId))
  return Array.isArray(kept)
    ? kept.filter(
        ([pointer, draft]) => isComponent(get(root, pointer)) && typeof draft?.text === 'string',
      )
    : []
}

/**
 * A draft goes where its component goes, and ends with it.
 * @param {Map<string, Draft>} drafts
 * @param {unknown} root
 * @param {(pointer: string) => string | undefined} placeNow
 */
export function follow(drafts, root, placeNow) {
  const kept = [...drafts].map(
    ([pointer, draft]) => /** @type {const} */ ([placeNow(pointer), draft]),
  )
  drafts.clear()
  for (const [place, draft] of kept)
    if (place !== undefined && isComponent(get(root, place))) drafts.set(place, draft)
}

/**
 * @param {string} text
 * @returns {{ value: import('../document/catalogue.js').Component } | { problem: string }}
 */
export function parseComponent(text) {
  try {
    const value = JSON.parse(text)
    if (!isComponent(value))
      return {
        problem: 'A component is an object with “provider” and “config”. The team is unchanged.',
      }
    if (!isRecord(value.config))
      return { problem: '“config” must be an object. The team is unchanged.' }
    return { value }
  } catch (error) {
    return {
      problem: `Not valid JSON, so the team is unchanged: ${error instanceof Error ? error.message : error}`,
    }
  }
}
