// @ts-check
import { api, ApiError } from '../core/api.js'
import { debounce } from '../core/dom.js'

/** @typedef {import('./editor.js').Editor} Editor */

const QUIET_MS = 300

/** Ask the server what is wrong, a moment after the last change. The newest question wins. @param {Editor} editor @param {AbortSignal} signal */
export function validation(editor, signal) {
  /** @type {AbortController | undefined} */
  let asking
  const check = async () => {
    asking?.abort()
    asking = new AbortController()
    try {
      editor.setReport(await api.post('/api/validate', { component: editor.root }, { signal: asking.signal }))
    } catch (error) {
      const findings = error instanceof ApiError ? error.body['findings'] : undefined
      if (error instanceof ApiError && error.status !== 0) {
        editor.setReport({ ...editor.report, errors: Array.isArray(findings) ? findings : [{ code: error.code, message: error.message, fix: error.fix, where: error.where }] })
      }
    }
  }
  editor.addEventListener('doc', debounce(check, QUIET_MS), { signal })
  void check()
}
