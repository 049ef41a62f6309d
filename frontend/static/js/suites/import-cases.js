// @ts-check
// Cases pasted or imported: what they would be, then into the suite.
import { ApiError, api } from '../core/api.js'
import { find, on } from '../core/dom.js'
import { change } from '../deployments/changes.js'
import { hideMistakes, showMistakes } from './mistakes.js'

const MAX_FILE_MB = 3

/**
 * @param {HTMLElement} page
 * @param {HTMLFormElement} form
 * @param {string} path
 */
export function importCases(page, form, path) {
  const shown = find('[data-import-preview]')
  const box = /** @type {HTMLTextAreaElement} */ (find('textarea', form))
  /** @type {Record<string, string>} */
  let files = {}
  const into = /** @type {HTMLSelectElement} */ (find('[name="into"]', form))
  const isNew = () => into.value === 'new'
  form.addEventListener('input', () => {
    shown.hidden = true // it is of what was there before
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    hideMistakes(form)
    shown.hidden = true
    const button = /** @type {HTMLButtonElement} */ (find('.button.primary', form))
    button.disabled = true
    try {
      files = await given(form)
      const suite = isNew() ? '/fragments/suites' : path.replace('/api/', '/fragments/')
      shown.innerHTML = await api.html(`${suite}/imports`, { files })
      shown.hidden = false
      shown.focus()
    } catch (error) {
      showMistakes(form, error, box.value ? box : undefined)
    } finally {
      button.disabled = false
    }
  })
  on(shown, 'click', '[data-add-imported]', () => (isNew() ? addSuite() : addCases()))

  const addCases = () => {
    const revision = Number(page.dataset['revision'])
    const home = `/suites/${page.dataset['suite']}`
    void change(() => api.post(`${path}/imports`, { files, revision }), home)
  }
  const addSuite = async () => {
    const team = encodeURIComponent(page.dataset['team'] ?? '')
    try {
      const { suite } = await api.post(`/api/teams/${team}/suites/imports`, { files })
      location.assign(`/suites/${suite.id}`)
    } catch (error) {
      showMistakes(form, error)
    }
  }
}

/**
 * The chosen files, else what was pasted, by their names.
 * @param {HTMLFormElement} form
 * @returns {Promise<Record<string, string>>}
 */
async function given(form) {
  const input = /** @type {HTMLInputElement} */ (find('[name="files"]', form))
  const chosen = [...(input.files ?? [])]
  const large = chosen.find((file) => file.size > MAX_FILE_MB * 1e6)
  if (large)
    throw new ApiError(0, {
      code: 'too_large',
      message: `${large.name} has more than ${MAX_FILE_MB} MB.`,
      fix: 'Import a part of it.',
    })
  if (chosen.length > 0)
    return Object.fromEntries(
      await Promise.all(chosen.map(async (file) => [file.name, await file.text()])),
    )
  const text = /** @type {HTMLTextAreaElement} */ (find('textarea', form)).value
  if (text.trim() === '')
    throw new ApiError(0, { code: 'empty', message: 'Paste rows, or choose files.' })
  return { '': text }
}
