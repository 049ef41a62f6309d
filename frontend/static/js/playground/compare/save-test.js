// @ts-check
import { ApiError } from '../../core/api.js'
import { el } from '../../core/dom.js'
import { toast } from '../../core/toast.js'

/**
 * The test of a run as a file; the server says why where there can be none.
 * @param {string} runId
 */
export async function saveTest(runId) {
  const response = await fetch(`/api/runs/${runId}/test`, { credentials: 'same-origin' })
  if (!response.ok) {
    const body = await response.json()
    throw new ApiError(response.status, body.error ?? {}, body)
  }
  const name =
    /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ?? 'test.zip'
  const url = URL.createObjectURL(await response.blob())
  el('a', { href: url, download: name }).click()
  URL.revokeObjectURL(url)
  toast(`${name} is saved: a pytest file, the recorded answers and the team.`, {
    tone: 'success',
    fix: 'Unpack it into a project and run `pytest`.',
  })
}
