// @ts-check
// The page of a knowledge base: add, read again and remove documents.
import { api } from './core/api.js'
import { ask } from './core/dialog.js'
import { el, find, on } from './core/dom.js'
import { toastError } from './core/toast.js'
import { change, isMeant } from './deployments/changes.js'
import { addDocuments } from './knowledge/add-documents.js'
import { droppedFiles } from './knowledge/dropped-files.js'
import { chooseEmbeddings, makeVectors } from './knowledge/embeddings.js'

const page = find('[data-base]')
const path = `/api/knowledge/${encodeURIComponent(page.dataset['base'] ?? '')}`
const zone = page.querySelector('[data-drop-documents]')
if (zone instanceof HTMLElement) takeFiles(zone)

/** @param {HTMLElement} place */
function takeFiles(place) {
  const add = addDocuments(page, path)
  on(page, 'change', 'input[type="file"]', (_event, input) => {
    const picked = /** @type {HTMLInputElement} */ (input)
    add([...(picked.files ?? [])])
    picked.value = ''
  })
  place.addEventListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    place.dataset['over'] = ''
  })
  place.addEventListener('dragleave', (event) => {
    if (!place.contains(/** @type {Node | null} */ (event.relatedTarget)))
      delete place.dataset['over']
  })
  place.addEventListener('drop', (event) => {
    delete place.dataset['over']
    if (!event.dataTransfer) return
    event.preventDefault()
    droppedFiles(event.dataTransfer).then(add, toastError)
  })
}

on(document, 'click', '[data-show-added]', () => location.reload())
on(document, 'click', '[data-add-page]', () => addPage().catch(toastError))

async function addPage() {
  const input = el('input', {
    class: 'input',
    type: 'url',
    'aria-label': 'Address',
    maxlength: 2000,
    placeholder: 'https://',
  })
  const asked = ask({
    title: 'Add web page',
    text: 'The studio fetches the page once and keeps its text. Read it again when it has changed.',
    body: input,
    choices: [
      { value: '', label: 'Cancel' },
      { value: 'add', label: 'Add page', tone: 'primary' },
    ],
  })
  input.focus()
  if ((await asked) !== 'add' || input.value.trim() === '') return
  await change(() => api.post(`${path}/pages`, { url: input.value.trim() }))
}

on(document, 'click', '[data-choose-embeddings]', () =>
  chooseEmbeddings(path, page.dataset).catch(toastError),
)
on(document, 'click', '[data-make-vectors]', () => change(() => makeVectors(path)))

on(document, 'click', '[data-delete-base]', async () => {
  const warning = 'Its documents are removed.'
  if (await isMeant(`Delete “${page.dataset['name']}”?`, warning, 'Delete knowledge base'))
    await change(() => api.delete(path), '/knowledge')
})

on(page, 'click', '[data-remove-document]', async (_event, button) => {
  const { address, name } = documentOf(button)
  const warning = 'What is in it is no longer found.'
  if (await isMeant(`Remove “${name}”?`, warning, 'Remove document'))
    await change(() => api.delete(address))
})

on(page, 'click', '[data-read-again]', (_event, button) =>
  change(() => api.post(`${documentOf(button).address}/read`, {})),
)

let chosen = Promise.resolve() // one choice after the other: the last one counts
on(page, 'change', '[data-refresh]', (_event, choice) => {
  const select = /** @type {HTMLSelectElement} */ (choice)
  chosen = chosen.then(() => chooseRefresh(select)).catch(toastError)
})

/**
 * The page stays, since arrow keys change the choice more than once.
 * @param {HTMLSelectElement} choice
 */
async function chooseRefresh(choice) {
  const { value } = choice
  await api.put(`${documentOf(choice).address}/refresh`, { refresh: value })
  const text = await api.get(location.pathname + location.search, { as: 'text' })
  if (choice.value !== value) return
  const row = choice.closest('[data-document]')?.getAttribute('data-document') ?? ''
  const place = `[data-document="${CSS.escape(row)}"] [data-next-refresh]`
  const fresh = new DOMParser().parseFromString(text, 'text/html').querySelector(place)
  if (fresh) find(place).replaceChildren(...fresh.childNodes)
}

/** @param {HTMLElement} place */
function documentOf(place) {
  const row = /** @type {HTMLElement} */ (place.closest('[data-document]'))
  return {
    address: `${path}/documents/${encodeURIComponent(row.dataset['document'] ?? '')}`,
    name: row.dataset['documentName'] ?? '',
  }
}
