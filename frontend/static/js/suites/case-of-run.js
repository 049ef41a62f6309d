// @ts-check
// The dialog that makes a case of a run.
import { api } from '../core/api.js'
import { el, find } from '../core/dom.js'
import { toast } from '../core/toast.js'
import { hideMistakes, showMistakes } from './mistakes.js'

/** @param {string} runId */
export async function addToSuite(runId) {
  const html = await api.get(`/fragments/runs/${encodeURIComponent(runId)}/case`, { as: 'text' })
  const dialog = el('dialog', {
    class: 'dialog wide',
    'aria-labelledby': 'run-case-title',
    closedby: 'closerequest',
    on: { close: () => dialog.remove() },
  })
  dialog.innerHTML = html // of the server, which escapes what people wrote
  document.body.append(dialog)
  const form = /** @type {HTMLFormElement} */ (find('form', dialog))
  const suite = /** @type {HTMLSelectElement} */ (find('[name="suite"]', form))
  suite.addEventListener('change', () => {
    find('[data-new-name]', form).hidden = suite.value !== ''
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    hideMistakes(form)
    try {
      const { id, name } = await save(form)
      dialog.close()
      const run = () => location.assign(`/suites/${id}`)
      toast(`Added to “${name}”.`, { tone: 'success', action: { label: 'Open suite', run } })
    } catch (error) {
      showMistakes(form, error)
    }
  })
  dialog.showModal()
  find('#run-case-includes', form).focus()
}

/**
 * @param {HTMLFormElement} form
 * @returns {Promise<{ id: string, name: string }>}
 */
function save(form) {
  const values = new FormData(form)
  const text = (/** @type {string} */ name) => String(values.get(name) ?? '').trim()
  const calls = values.getAll('calls')
  const scorers = [
    ...(text('includes') ? [{ includes: text('includes') }] : []),
    ...(calls.length > 0 ? [{ calls: { in_order: calls } }] : []),
  ]
  const { run = '', team = '' } = form.dataset
  const more = { scorers, ...(text('target') ? { target: text('target') } : {}) }
  if (text('suite')) {
    const path = `/api/suites/${encodeURIComponent(text('suite'))}/cases`
    return api.post(path, { run_id: run, why: text('why'), ...more })
  }
  const task = String(values.get('task'))
  const document = {
    suite: text('name') || 'New suite',
    cases: [{ task, origin: { run, why: text('why') }, ...more }],
  }
  return api.post(`/api/teams/${encodeURIComponent(team)}/suites`, { document })
}
