// @ts-check
// The page Workers: which processes drive runs, and whether they claim more.
import { api } from './core/api.js'
import { on } from './core/dom.js'
import { toastError } from './core/toast.js'

on(document, 'click', '[data-drain]', async (_event, button) => {
  const id = button.closest('[data-worker]')?.getAttribute('data-worker') ?? ''
  const wanted = { is_draining: button.dataset.drain === 'true' }
  try {
    await api.patch(`/api/workers/${encodeURIComponent(id)}`, wanted)
    location.reload()
  } catch (error) {
    toastError(error)
  }
})
