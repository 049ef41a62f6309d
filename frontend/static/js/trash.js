// @ts-check
// The page Trash: restore teams and runs, or delete all of it for good.
import { api } from './core/api.js'
import { ask } from './core/dialog.js'
import { on } from './core/dom.js'
import { counted, refresh } from './core/lists.js'
import { toast, toastError } from './core/toast.js'

on(document, 'click', '[data-restore]', async (_event, button) => {
  const kind = /** @type {import('./core/lists.js').Kind} */ (button.dataset.restore)
  const row = button.closest('[data-row]')
  try {
    await api.post(`/api/${kind}s/bulk`, {
      ids: [row instanceof HTMLElement ? row.dataset.row : ''],
      listing: 'active',
    })
    await refresh()
    toast(`${counted(kind, 1)} restored.`, { tone: 'success' })
  } catch (error) {
    toastError(error)
  }
})

on(document, 'click', '[data-empty-trash]', async (_event, button) => {
  const text =
    'Teams with their versions, and runs with their messages and recorded answers, are deleted permanently.'
  const choices = [
    { value: '', label: 'Cancel' },
    { value: 'empty', label: 'Empty trash', tone: /** @type {const} */ ('danger') },
  ]
  if ((await ask({ title: 'Empty the trash?', text, choices })) !== 'empty') return
  button.ariaBusy = 'true'
  try {
    let emptied = await api.delete('/api/trash')
    while (emptied.left > 0 && emptied.deleted > 0) emptied = await api.delete('/api/trash')
    await refresh()
    if (emptied.left > 0)
      toast('Some runs were kept: they are active, or other runs continue from them.', {
        tone: 'warning',
        fix: 'Delete those runs first.',
      })
    else toast('The trash is empty.', { tone: 'success' })
    if (emptied.left === 0) button.remove()
  } catch (error) {
    toastError(error)
  } finally {
    button.ariaBusy = null
  }
})
