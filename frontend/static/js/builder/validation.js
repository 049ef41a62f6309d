// @ts-check
import { api, ApiError } from '../core/api.js'
import { debounce } from '../core/dom.js'
import { pageTeamId } from '../core/page-team.js'

/** @typedef {import('./editor.js').Editor} Editor */

const QUIET_MS = 300

/**
 * Ask the server what is wrong: a moment after the last change, at once when a field or a part is
 * left. The newest question wins. `recheck` on the editor asks again, after something outside the
 * team has changed.
 * @param {Editor} editor
 * @param {AbortSignal} signal
 */
export function validation(editor, signal) {
  /** @type {AbortController | undefined} */
  let asking
  /** @type {unknown} */
  let asked
  const check = async () => {
    asking?.abort()
    asking = new AbortController()
    const about = editor.root
    asked = about
    try {
      editor.setReport(
        await api.post(
          '/api/validate',
          { component: about, team_id: pageTeamId() },
          { signal: asking.signal },
        ),
        about,
      )
    } catch (error) {
      const findings = error instanceof ApiError ? error.body['findings'] : undefined
      if (error instanceof ApiError && error.status !== 0) {
        editor.setReport(
          {
            ...editor.report,
            errors: Array.isArray(findings)
              ? findings
              : [{ code: error.code, message: error.message, fix: error.fix, where: error.where }],
          },
          about,
        )
      } else if (!isAbort(error)) asked = undefined
    }
  }
  const soon = debounce(check, QUIET_MS)
  editor.addEventListener(
    'doc',
    () => {
      if (editor.root !== asked) soon()
      else soon.cancel()
    },
    { signal },
  )
  editor.addEventListener('select', () => soon.flush(), { signal })
  document.addEventListener('focusout', () => soon.flush(), { signal }) // a field was left
  editor.addEventListener('recheck', () => void check(), { signal })
  document.addEventListener(
    'visibilitychange',
    () => {
      // a secret may have been stored in another tab
      if (!document.hidden && editor.report.needs.length > 0) void check()
    },
    { signal },
  )
  void check()
}

/** @param {unknown} error */
function isAbort(error) {
  return error instanceof DOMException && error.name === 'AbortError'
}
