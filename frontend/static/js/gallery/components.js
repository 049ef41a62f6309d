// @ts-check
import { api } from '../core/api.js'
import { ask } from '../core/dialog.js'
import { find, on } from '../core/dom.js'
import { toast, toastError } from '../core/toast.js'

/**
 * What can be done with each component of the shown gallery.
 * @param {HTMLElement} page
 */
export function galleryComponents(page) {
  const body = page.querySelector('[data-gallery]')
  if (!(body instanceof HTMLElement)) return
  const id = body.dataset.gallery ?? ''

  on(
    page,
    'click',
    '[data-use-team]',
    tried(async (row) => {
      const team = await api.post('/api/teams', { from_gallery: place(id, row) })
      location.assign(`/teams/${team.id}`)
    }),
  )
  on(
    page,
    'click',
    '[data-add-to-library]',
    tried(async (row) => {
      const component = await api.get(componentUrl(id, row))
      await api.post('/api/galleries/library/components', { component })
      toast('Added to your library.', { tone: 'success' })
    }),
  )
  on(
    page,
    'click',
    '[data-view-json]',
    tried(async (row) => {
      const component = await api.get(componentUrl(id, row))
      find('#component-json-title').textContent = find('[data-title]', row).textContent
      find('#component-json-text').textContent = JSON.stringify(component, null, 2)
      showDialog('#component-json')
    }),
  )
  on(
    page,
    'click',
    '[data-remove-component]',
    tried(async (row) => {
      await api.delete(componentUrl(id, row))
      location.reload()
    }),
  )
  on(
    page,
    'click',
    '[data-add-to-team]',
    tried(async (row) => {
      find('[data-places]').innerHTML = await api.html('/fragments/places', place(id, row))
      find('[data-place-component]').dataset.component = JSON.stringify(place(id, row))
      showDialog('#add-to-team')
    }),
  )
  on(
    page,
    'submit',
    '[data-place-component]',
    tried(async (_row, event) => {
      event.preventDefault()
      const form = /** @type {HTMLFormElement} */ (event.target)
      const [team, pointer] = String(new FormData(form).get('place') ?? '').split(' ')
      if (!team) return form.closest('dialog')?.close()
      await api.post(`/api/teams/${team}/components`, {
        pointer,
        from_gallery: JSON.parse(form.dataset.component ?? '{}'),
      })
      form.closest('dialog')?.close()
      toast('Added.', {
        tone: 'success',
        action: { label: 'Open the team', run: () => location.assign(`/teams/${team}`) },
      })
    }),
  )
  on(
    page,
    'click',
    '[data-delete-gallery]',
    tried(async () => {
      const title = `Delete “${body.dataset.name}”?`
      const text = 'Teams created from it are kept. Deleting the gallery cannot be undone.'
      const choices = [
        { value: '', label: 'Cancel' },
        { value: 'delete', label: 'Delete gallery', tone: /** @type {const} */ ('danger') },
      ]
      if ((await ask({ title, text, choices })) !== 'delete') return
      await api.delete(`/api/galleries/${id}`)
      location.assign('/galleries')
    }),
  )
}

/**
 * @param {string} id
 * @param {HTMLElement} row
 */
function place(id, row) {
  return { gallery_id: id, group: row.dataset.group ?? '', index: Number(row.dataset.index) }
}

/**
 * @param {string} id
 * @param {HTMLElement} row
 */
function componentUrl(id, row) {
  return `/api/galleries/${id}/components/${row.dataset.group}/${row.dataset.index}`
}

/** @param {string} selector */
function showDialog(selector) {
  const dialog = /** @type {HTMLDialogElement} */ (find(selector))
  dialog.showModal()
}

/**
 * @param {(row: HTMLElement, event: Event) => Promise<void>} work
 * @returns {(event: Event, target: HTMLElement) => Promise<void>}
 */
function tried(work) {
  return async (event, target) => {
    if (event.type === 'submit') event.preventDefault()
    try {
      await work(target.closest('.component-row') ?? target, event)
    } catch (error) {
      toastError(error)
    }
  }
}
