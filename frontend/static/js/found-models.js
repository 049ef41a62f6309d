// @ts-check
// Offers model services that are ready on this machine: a key in the environment, or Ollama.
import { api } from './core/api.js'
import { el, icon, on } from './core/dom.js'
import { toastError } from './core/toast.js'

/** @typedef {{ service: string, name: string, reason: string, model: string }} Found */

const place = document.querySelector('[data-found-models]')
if (place instanceof HTMLElement) show(place).catch(toastError)

on(document, 'click', '[data-add-found]', async (_event, button) => {
  const { addFound, name } = button.dataset
  try {
    await api.post('/api/connections/found', { service: addFound })
    location.assign(`/settings/models?${new URLSearchParams({ added: name ?? '' })}`)
  } catch (error) {
    toastError(error)
  }
})

/** @param {HTMLElement} here */
async function show(here) {
  const found = /** @type {Found[]} */ (await api.get('/api/connections/found'))
  here.hidden = found.length === 0
  here.replaceChildren(
    ...found.map(({ service, name, reason, model }) =>
      el(
        'div',
        { class: 'notice', 'data-tone': 'info', role: 'note' },
        icon('brain'),
        el(
          'div',
          { class: 'row-wrap' },
          el('span', {}, `${name} is ready: ${reason} Model ${model}.`),
          el(
            'button',
            { type: 'button', class: 'button small', 'data-add-found': service, 'data-name': name },
            `Connect ${name}`,
          ),
        ),
      ),
    ),
  )
}
