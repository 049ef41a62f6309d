// @ts-check
// The page of an evaluation: its result while it changes.
import { api } from './core/api.js'
import { announce, find, on } from './core/dom.js'
import { change, isMeant } from './deployments/changes.js'
import { confirmDialog } from './evaluations/confirm.js'
import { startDialog } from './evaluations/start.js'

const LOOK_AGAIN_MS = 1_000
const page = find('[data-evaluation]')
const result = find('[data-result]', page)
const id = encodeURIComponent(page.dataset['evaluation'] ?? '')

startDialog()
confirmDialog()

on(document, 'click', '[data-cancel-evaluation]', async () => {
  const text = 'Runs that are under way are canceled, and there will be no result.'
  if (await isMeant('Cancel this evaluation?', text, 'Cancel evaluation'))
    await change(() => api.post(`/api/evaluations/${id}/cancel`, {}))
})

const hasEnded = () => result.querySelector('[data-ended]') !== null

/** Show the newest result, unless a link in it has the focus. */
async function look() {
  const isRead = result.contains(document.activeElement)
  if (document.hidden || isRead) return
  const asked = new URLSearchParams({
    group: result.dataset['group'] ?? '',
    page: result.dataset['page'] ?? '1',
  })
  try {
    result.innerHTML = await api.get(`/fragments/evaluations/${id}?${asked}`, { as: 'text' })
  } catch {
    return // The studio may be restarting; the next time shows what there is.
  }
  if (!hasEnded()) return
  clearInterval(timer)
  find('[data-cancel-evaluation]').hidden = true
  announce(result.querySelector('[data-sentence]')?.textContent ?? 'The evaluation has ended.')
}

const timer = setInterval(look, LOOK_AGAIN_MS)
if (hasEnded()) clearInterval(timer)
