// @ts-check
// The evaluations of a suite, as a part of its page.
import { api } from '../core/api.js'
import { find } from '../core/dom.js'
import { toastError } from '../core/toast.js'
import { startDialog } from './start.js'

const place = find('[data-evaluations]')
const id = encodeURIComponent(place.dataset['evaluations'] ?? '')

async function load() {
  try {
    place.innerHTML = await api.get(`/fragments/suites/${id}/evaluations`, { as: 'text' })
  } catch (error) {
    toastError(error)
  }
}

startDialog()
void load()
