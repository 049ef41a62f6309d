// @ts-check
// The page Knowledge: make a knowledge base.
import { api } from './core/api.js'
import { ask } from './core/dialog.js'
import { el, on } from './core/dom.js'
import { toastError } from './core/toast.js'

on(document, 'click', '[data-new-base]', () => newBase().catch(toastError))

async function newBase() {
  const name = el('input', { class: 'input', maxlength: 100, id: 'base-name' })
  const about = el('input', { class: 'input', maxlength: 1000, id: 'base-about' })
  const asked = ask({
    title: 'New knowledge base',
    body: el(
      'div',
      { class: 'stack' },
      el('div', { class: 'field' }, el('label', { for: 'base-name' }, 'Name'), name),
      el(
        'div',
        { class: 'field' },
        el('label', { for: 'base-about' }, 'What is in it (optional)'),
        about,
      ),
    ),
    choices: [
      { value: '', label: 'Cancel' },
      { value: 'add', label: 'Add knowledge base', tone: 'primary' },
    ],
  })
  name.focus()
  if ((await asked) !== 'add') return
  const made = await api.post('/api/knowledge', {
    name: name.value.trim() || 'New knowledge base',
    description: about.value.trim(),
  })
  location.assign(`/knowledge/${made.id}`)
}
