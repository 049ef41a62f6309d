// @ts-check
// The page Models of the settings: connections to model services.
import './found-models.js'
import { api } from './core/api.js'
import { ask } from './core/dialog.js'
import { el, find, on } from './core/dom.js'
import { toastError } from './core/toast.js'
import { withApproval } from './playground/approval.js'

/**
 * @typedef {{ provider: string, config: Record<string, unknown> }} Component
 * @typedef {{ id: string, name: string, about: string, needs: string, address: string, key: string,
 *   model: string, component: Component }} Service
 * @typedef {{ id: string, name: string, service_id: string, address: string, key: string, model:
 *   string, component: Component }} Connection
 * @typedef {{ name: string, input_price: number | null, output_price: number | null, vision:
 *   boolean, tools: boolean }} ListedModel
 */

const dialog = /** @type {HTMLDialogElement} */ (find('#connection-dialog'))
const form = /** @type {HTMLFormElement} */ (find('form', dialog))
/** @type {Promise<{ services: Service[], connections: Connection[] }>} */
const known = api.get('/api/connections')
/** The one that is edited; "" while one is added. */
let edited = ''

on(document, 'click', '[data-add-connection]', () => void open(undefined).catch(toastError))
on(
  document,
  'click',
  '[data-edit-connection]',
  (_event, button) => void connectionOf(button).then(open).catch(toastError),
)
on(document, 'change', '#connection-service', () => void fillService().catch(toastError))
on(document, 'click', '[data-list-models]', () => void listModels().catch(toastError))
on(
  document,
  'click',
  '[data-test-connection]',
  (_event, button) => void test(button).catch(toastError),
)
on(document, 'click', '[data-make-default]', (_event, button) =>
  change(() => api.put('/api/connections/default', { id: idOf(button) })),
)
on(document, 'submit', '[data-connection-form]', (event) => {
  event.preventDefault()
  change(save)
})
on(document, 'click', '[data-delete-connection]', async (_event, button) => {
  const { name, users } = row(button).dataset
  const text =
    users === '0'
      ? 'No team uses it.'
      : `${users === '1' ? 'One team uses' : `${users} teams use`} it. Their agents keep its address, key reference and model, and keep working.`
  const choices = [
    { value: '', label: 'Cancel' },
    { value: 'delete', label: 'Delete connection', tone: /** @type {const} */ ('danger') },
  ]
  if ((await ask({ title: `Delete the connection “${name}”?`, text, choices })) === 'delete')
    change(() => api.delete(`/api/connections/${encodeURIComponent(idOf(button))}`))
})

/** @param {Connection | undefined} connection */
async function open(connection) {
  form.reset()
  edited = connection?.id ?? ''
  find('[data-replace-model]', form).hidden = edited === ''
  find('#connection-dialog-title').textContent =
    edited === '' ? 'Add connection' : 'Edit connection'
  if (connection) field('service').value = connection.service_id
  await fillService()
  if (connection)
    for (const name of /** @type {const} */ (['name', 'address', 'key', 'model']))
      field(name).value = connection[name]
  dialog.showModal()
}

/** What is usual for the chosen service. */
async function fillService() {
  const service = await chosenService()
  find('[data-about-service]', form).textContent = `${service.about} Needs: ${service.needs}.`
  for (const name of /** @type {const} */ (['address', 'key', 'model']))
    field(name).value = service[name]
  field('address').placeholder =
    service.address === '' && !/URL|Endpoint/.test(service.needs) ? 'Default of the service' : ''
  if (edited === '') field('name').value = service.name
  find('#connection-models', form).replaceChildren()
  find('[data-models-status]', form).textContent = ''
}

async function listModels() {
  const component = componentOf(await chosenService())
  const models = /** @type {ListedModel[] | null} */ (
    await withApproval(() => api.post('/api/connections/models', { component }), {
      subject: 'list of models',
      action: 'list',
      component,
    })
  )
  if (!models) return
  find('#connection-models', form).replaceChildren(
    ...models.map((each) => el('option', { value: each.name }, inWords(each))),
  )
  find('[data-models-status]', form).textContent =
    `${models.length} model${models.length === 1 ? '' : 's'} found. Type to choose one.`
}

/** @param {ListedModel} model */
function inWords({ input_price, output_price, vision, tools }) {
  return [
    input_price !== null && `$${input_price} in, $${output_price} out per million tokens`,
    tools && 'calls tools',
    vision && 'reads images',
  ]
    .filter(Boolean)
    .join(' · ')
}

/** @param {HTMLElement} button */
async function test(button) {
  const { component } = await connectionOf(button)
  const status = find('[data-status]', row(button))
  status.textContent = 'Testing…'
  try {
    const result = await withApproval(() => api.post('/api/connections/test', { component }), {
      subject: 'connection',
      action: 'test',
      component,
    })
    status.textContent = result
      ? `Answered in ${result.ms} ms: “${result.text}” ${result.tools ? 'Calls tools.' : 'Calls no tools.'} ${result.vision ? 'Reads images.' : 'Reads no images.'}`
      : ''
  } catch (error) {
    status.textContent = error instanceof Error ? error.message : ''
    throw error
  }
}

async function save() {
  const values = Object.fromEntries(new FormData(form))
  const { name, service, address, model } = values
  const key = values['new_key']
    ? await stored(String(values['new_key']), String(name))
    : values['key']
  const body = { name, service, address, key, model }
  if (edited === '') return api.post('/api/connections', body)
  return api.put(`/api/connections/${encodeURIComponent(edited)}`, {
    ...body,
    replace_model: values['replace_model'] === 'on',
  })
}

/**
 * Store a key under a name that is free, or in place of the one that is named.
 * @param {string} value
 * @param {string} name
 * @returns {Promise<string>} its reference
 */
async function stored(value, name) {
  const taken = /** @type {{ reference: string }[]} */ (await api.get('/api/secrets')).map(
    (each) => each.reference,
  )
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  const base = `secret:${slug || 'model'}`
  let reference = field('key').value
  if (!reference.startsWith('secret:')) {
    reference = base
    for (let nth = 2; taken.includes(reference); nth += 1) reference = `${base}-${nth}`
  }
  await api.put(`/api/secrets/${encodeURIComponent(reference.slice('secret:'.length))}`, { value })
  return reference
}

/**
 * @param {Service} service
 * @returns {Component} as it is filled in
 */
function componentOf({ component }) {
  const address = 'azure_endpoint' in component.config ? 'azure_endpoint' : 'base_url'
  const { api_key: _key, [address]: _address, ...rest } = component.config
  const [at, key] = [field('address').value.trim(), field('key').value.trim()]
  return {
    ...component,
    config: {
      ...rest,
      model: field('model').value.trim() || 'model',
      ...(at && { [address]: at }),
      ...(key && { api_key: key }),
    },
  }
}

async function chosenService() {
  const { services } = await known
  const service = services.find((each) => each.id === field('service').value) ?? services[0]
  if (!service) throw new Error('There is no model service.')
  return service
}

/**
 * @param {HTMLElement} button
 * @returns {Promise<Connection>}
 */
async function connectionOf(button) {
  const found = (await known).connections.find((each) => each.id === idOf(button))
  if (!found) throw new Error('This connection no longer exists.')
  return found
}

/**
 * @param {string} name
 * @returns {HTMLInputElement}
 */
function field(name) {
  return /** @type {HTMLInputElement} */ (form.elements.namedItem(name))
}

/** @param {HTMLElement} button */
function row(button) {
  return /** @type {HTMLElement} */ (button.closest('[data-connection]'))
}

/** @param {HTMLElement} button */
function idOf(button) {
  return row(button).dataset['connection'] ?? ''
}

/**
 * The server owns the list: after a change the page is read again.
 * @param {() => Promise<unknown>} work
 */
async function change(work) {
  try {
    await work()
    location.reload()
  } catch (error) {
    toastError(error)
  }
}
