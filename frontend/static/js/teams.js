// @ts-check
// The page Teams: make, import and duplicate teams, and keep them in order.
import { ApiError, api } from './core/api.js'
import { announce, find, on } from './core/dom.js'
import { areFirstStepsHidden, beginFirstSteps, hideFirstSteps } from './core/first-steps-memory.js'
import { list } from './core/lists.js'
import { toastError } from './core/toast.js'
import './found-models.js'
import { given, showError, sources } from './gallery/source.js'

sources(document)
list('team', (id, name) => api.patch(`/api/teams/${id}`, { name }))

on(document, 'click', '[data-hide-first-steps]', () => {
  hideFirstSteps()
  find('[data-first-steps]').hidden = true
  find('.starter-button').focus()
  announce('First steps are hidden.')
})

on(document, 'click', '[data-create-team]', async (_event, button) => {
  const { gallery, group, index } = button.dataset
  const body = gallery ? { from_gallery: { gallery_id: gallery, group, index: Number(index) } } : {}
  await openNew(async () => {
    const team = await api.post('/api/teams', body)
    // one that has the default model is led to its run
    if (!gallery && !areFirstStepsHidden()) beginFirstSteps(team.id)
    return team
  })
})

on(document, 'click', '[data-duplicate-team]', async (_event, button) => {
  const { team, name } = row(button).dataset
  await openNew(async () => {
    const { component } = await api.get(`/api/teams/${team}`)
    return api.post('/api/teams', { name: `${name} copy`, component })
  })
})

on(document, 'submit', '[data-import-team]', async (event, form) => {
  event.preventDefault()
  const source = find('[data-source]', form)
  showError(source)
  const offer = find('[data-open-as-gallery]', form)
  offer.hidden = true
  let text = ''
  try {
    const what = given(source)
    text = 'file' in what ? await what.file.text() : 'text' in what ? what.text : ''
    const team = await api.post('/api/teams', { text })
    location.assign(`/teams/${team.id}`)
  } catch (error) {
    showError(source, error)
    offer.hidden = !(error instanceof ApiError && error.code === 'not_one_team')
    offer.onclick = () => void openAsGallery(text)
  }
})

/** @param {string} text */
async function openAsGallery(text) {
  try {
    const { id } = await api.post('/api/galleries', { text })
    location.assign(`/galleries/${id}`)
  } catch (error) {
    toastError(error)
  }
}

/** @param {() => Promise<{ id: string }>} make */
async function openNew(make) {
  try {
    const team = await make()
    location.assign(`/teams/${team.id}`)
  } catch (error) {
    toastError(error)
  }
}

/** @param {HTMLElement} button */
function row(button) {
  return /** @type {HTMLElement} */ (button.closest('[data-team]'))
}
