// @ts-check
// Search by meaning: which model makes the vectors of a knowledge base, and those that are missing.
import { api } from '../core/api.js'
import { ask } from '../core/dialog.js'
import { el } from '../core/dom.js'
import { change } from '../deployments/changes.js'

const LOCAL = 'local'
const ABOUT =
  'A model turns each passage into numbers, so that a question finds passages in other words. The texts of all documents are sent to its service; the one on this server keeps them here. Search by words always works.'

/**
 * @param {string} path  of the knowledge base in the API
 * @param {{connection?: string, model?: string, localModel?: string}} now  what is chosen, and the model on the server
 */
export async function chooseEmbeddings(path, { connection = '', model = '', localModel = '' }) {
  const { connections } = await api.get('/api/connections')
  const service = el(
    'select',
    { class: 'input' },
    el('option', { value: '' }, 'None: search by words alone'),
    localModel ? el('option', { value: LOCAL }, `${localModel}, on this server`) : '',
    ...connections.map((/** @type {{id: string, name: string}} */ { id, name }) =>
      el('option', { value: id }, name),
    ),
  )
  service.value = connection
  const name = el('input', {
    class: 'input',
    value: model,
    maxlength: 200,
    placeholder: 'nomic-embed-text',
  })
  const named = field('Embedding model', name)
  const showName = () => {
    named.hidden = service.value === '' || service.value === LOCAL
  }
  service.addEventListener('change', showName)
  showName()
  const chosen = await ask({
    title: 'Search by meaning',
    text: ABOUT,
    body: el('div', { class: 'stack' }, field('Model connection', service), named),
    choices: [
      { value: '', label: 'Cancel' },
      { value: 'save', label: 'Save', tone: 'primary' },
    ],
  })
  if (chosen !== 'save') return
  const wanted = { connection_id: service.value, model: name.value.trim() }
  await change(async () => {
    await api.put(`${path}/embeddings`, wanted)
    await makeVectors(path)
  })
}

/**
 * @param {string} label
 * @param {HTMLElement} control
 */
const field = (label, control) =>
  el('label', { class: 'field' }, el('span', { class: 'field-label' }, label), control)

/**
 * Some at a time, until none is missing or the service makes no more.
 * @param {string} path
 */
export async function makeVectors(path) {
  let before = Number.POSITIVE_INFINITY
  for (;;) {
    const { missing } = await api.post(`${path}/embeddings`, {})
    if (missing === 0 || missing >= before) return
    before = missing
  }
}
