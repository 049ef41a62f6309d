// @ts-check
// The page that asks whether a client of MCP may call a deployment.
import { api } from './core/api.js'
import { on } from './core/dom.js'
import { toastError } from './core/toast.js'

on(document, 'click', '[data-allow-client]', async (_event, pressed) => {
  const button = /** @type {HTMLButtonElement} */ (pressed)
  button.disabled = true
  try {
    const { location: back } = await api.post('/api/oauth/consents', {
      offer: button.dataset['offer'],
    })
    location.assign(back)
  } catch (error) {
    button.disabled = false
    toastError(error)
  }
})
