// @ts-check
// What the service of a model says that it has, as suggestions for the name of the model.
import { api } from '../../../core/api.js'
import { el } from '../../../core/dom.js'
import { pageTeamId } from '../../../core/page-team.js'
import { toastError } from '../../../core/toast.js'
import { withApproval } from '../../../playground/approval.js'
import { ownerOf } from '../../document/commands.js'
import { at } from './entries.js'

/** @typedef {import('../../editor.js').Editor} Editor */

/**
 * By where and with which key they were asked for.
 * @type {Map<string, string[]>}
 */
const listed = new Map()
/** What of a client says which service it is. */
const OF_SERVICE = ['base_url', 'azure_endpoint', 'endpoint', 'host', 'api_key']

/**
 * Ask the service; nothing is asked of it before a person presses this.
 * @param {HTMLElement} root
 * @param {Editor} editor
 * @param {HTMLButtonElement} button
 */
export async function listModels(root, editor, button) {
  const owner = ownerOf(button.dataset['pointer'] ?? '')
  const found = editor.at(owner)
  if (!found) return
  const component = {
    ...found,
    config: { ...found.config, model: found.config['model'] || 'model' },
  } // it has none yet
  button.ariaBusy = 'true'
  try {
    const models = /** @type {{ name: string }[] | null} */ (
      await withApproval(
        () => api.post('/api/connections/models', { component, team_id: pageTeamId() }),
        { subject: 'list of models', action: 'list', component },
      )
    )
    if (models)
      listed.set(
        serviceOf(editor, owner),
        models.map(({ name }) => name),
      )
  } catch (error) {
    toastError(error)
  } finally {
    button.ariaBusy = null
  }
  suggestListedModels(root, editor)
}

/**
 * Offer what was listed, in fields that are drawn anew.
 * @param {HTMLElement} root
 * @param {Editor} editor
 */
export function suggestListedModels(root, editor) {
  for (const status of /** @type {NodeListOf<HTMLElement>} */ (
    root.querySelectorAll('[data-models-status]')
  )) {
    const pointer = status.dataset['modelsStatus'] ?? ''
    const names = listed.get(serviceOf(editor, ownerOf(pointer)))
    const input = root.querySelector(`input[list]${at('data-pointer', pointer)}`)
    if (!names || !(input instanceof HTMLInputElement) || !input.list) continue
    input.list.replaceChildren(...names.map((value) => el('option', { value })))
    status.textContent = `${names.length} ${names.length === 1 ? 'model' : 'models'} found. Type to choose one.`
  }
}

/**
 * @param {Editor} editor
 * @param {string} owner  pointer of the client
 */
function serviceOf(editor, owner) {
  const client = editor.at(owner)
  return JSON.stringify([
    client?.provider,
    ...OF_SERVICE.map((name) => client?.config[name] ?? null),
  ])
}
