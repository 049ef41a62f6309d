// @ts-check
import { ApiError, api } from '../../core/api.js'
import { on } from '../../core/dom.js'
import { toast, toastError } from '../../core/toast.js'

/**
 * `<input type="file" data-import-run>` brings a shared run in, and opens it.
 * @param {HTMLElement} root
 * @param {string} teamId  with whose runs it is listed
 */
export function importRun(root, teamId) {
  on(root, 'change', '[data-import-run]', async (_, input) => {
    const field = /** @type {HTMLInputElement} */ (input)
    const file = field.files?.[0]
    field.value = ''
    if (!file) return
    const form = new FormData()
    form.append('file', file)
    try {
      const { id } = await api.upload(
        `/api/runs/import${teamId ? `?team_id=${encodeURIComponent(teamId)}` : ''}`,
        form,
      )
      location.assign(`/runs/${id}`)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'conflict' && error.where) {
        toast(error.message, {
          action: { label: 'Open run', run: () => location.assign(`/runs/${error.where}`) },
        })
      } else toastError(error)
    }
  })
}
