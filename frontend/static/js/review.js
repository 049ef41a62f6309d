// @ts-check
// The page Review: each thing that a team or gallery asks for is allowed or revoked in place.
import { api } from './core/api.js'
import { announce, find, on } from './core/dom.js'
import { revoke } from './core/revoke.js'
import { toastError } from './core/toast.js'

const page = find('[data-review]')
const body = find('[data-review-body]', page)
const subject = page.dataset['review'] === 'gallery' ? 'galleries' : 'teams'
const id = page.dataset['id'] ?? ''

on(page, 'click', '[data-allow]', (_event, button) => void allow([item(button)], button))
on(
  page,
  'click',
  '[data-allow-all]',
  (_event, button) =>
    void allow(
      [.../** @type {NodeListOf<HTMLElement>} */ (body.querySelectorAll('.review-item'))],
      button,
    ),
)
on(page, 'click', '[data-revoke]', (_event, button) => void change(button, () => revoke(button), 0))
on(page, 'click', '[data-add-host]', (_event, button) => addHost(button))
on(page, 'input', '[name^="hosts-"]', (_event, input) =>
  /** @type {HTMLInputElement} */ (input).setCustomValidity(''),
)
on(page, 'change', '[name^="network-"]', (_event, radio) => {
  if (/** @type {HTMLInputElement} */ (radio).value === 'named') hostsInput(item(radio)).focus()
})

/**
 * @param {Element} node
 * @returns {HTMLElement}
 */
function item(node) {
  return /** @type {HTMLElement} */ (node.closest('[data-hash]'))
}

/** @param {HTMLElement} row */
function hostsInput(row) {
  return /** @type {HTMLInputElement} */ (find('[name^="hosts-"]', row))
}

/**
 * Allow exactly what is shown.
 * @param {HTMLElement[]} rows
 * @param {HTMLElement} button
 */
async function allow(rows, button) {
  /** @type {Record<string, string[]>} */
  const hosts = {}
  for (const row of rows) {
    const chosen = networkOf(row)
    if (chosen === null) return
    if (chosen.length > 0) hosts[row.dataset['hash'] ?? ''] = chosen
  }
  const scope =
    button.dataset['scope'] ??
    /** @type {HTMLInputElement} */ (find('[name="scope"]:checked', page)).value
  const owner = subject === 'teams' ? { team_id: id } : { gallery_id: id }
  const place = rows.length === 1 && rows[0] ? placeOf(rows[0]) : 0
  await change(
    button,
    () =>
      api.post('/api/approvals', {
        hashes: rows.map((row) => row.dataset['hash']),
        scope,
        hosts,
        ...owner,
      }),
    place,
  )
}

/**
 * The hosts that were chosen for code; none for other things.
 * @param {HTMLElement} row
 * @returns {string[] | null} null when they are still to be named
 */
function networkOf(row) {
  const chosen = row.querySelector('[name^="network-"]:checked')
  if (!(chosen instanceof HTMLInputElement) || chosen.value === 'none') return []
  if (chosen.value === 'any') return ['*']
  const input = hostsInput(row)
  const named = input.value.split(/[\s,]+/).filter(Boolean)
  if (named.length > 0) return named
  input.setCustomValidity('Enter a host, or choose None.')
  input.reportValidity()
  return null
}

/** @param {HTMLElement} button */
function addHost(button) {
  const row = item(button)
  const input = hostsInput(row)
  const named = input.value.split(/[\s,]+/).filter(Boolean)
  const host = button.dataset['addHost'] ?? ''
  input.value = named.includes(host) ? input.value : [...named, host].join(' ')
  const radio = /** @type {HTMLInputElement} */ (find('[name^="network-"][value="named"]', row))
  radio.checked = true
}

/** @param {HTMLElement} row */
function placeOf(row) {
  return [...body.querySelectorAll('.review-item')].indexOf(row)
}

/**
 * The server owns the lists: after a change they are read again.
 * @param {HTMLElement} button
 * @param {() => Promise<unknown>} work  false: nothing was done
 * @param {number} place  of the item in the list of those that wait
 */
async function change(button, work, place) {
  if (button.ariaBusy === 'true') return
  button.ariaBusy = 'true'
  try {
    if ((await work()) !== false) await draw(place)
  } catch (error) {
    toastError(error)
    await draw(place).catch(() => undefined) // what is shown may be what has changed
  } finally {
    button.ariaBusy = null
  }
}

/** @param {number} place */
async function draw(place) {
  const back = new URLSearchParams({ back: page.dataset['back'] ?? '' })
  const html = await api.get(`/fragments/${subject}/${encodeURIComponent(id)}/review?${back}`, {
    as: 'text',
  })
  const kept = chosenNow()
  body.innerHTML = html
  restore(kept)
  const rows = /** @type {NodeListOf<HTMLElement>} */ (body.querySelectorAll('.review-item'))
  const next =
    rows[Math.min(place, rows.length - 1)] ??
    body.querySelector('[data-go-on]') ??
    find('#review-summary', body)
  if (next instanceof HTMLElement) next.focus()
  announce(
    rows.length === 0
      ? 'Approved. Nothing is pending.'
      : `${rows.length} ${rows.length === 1 ? 'item needs' : 'items need'} your decision.`,
  )
}

/** What was unfolded and chosen, by the thing it belongs to. */
function chosenNow() {
  const folds = [
    .../** @type {NodeListOf<HTMLDetailsElement>} */ (body.querySelectorAll('details[data-fold]')),
  ]
  const inputs = [
    .../** @type {NodeListOf<HTMLInputElement>} */ (
      body.querySelectorAll('.review-network input, [name="scope"]')
    ),
  ]
  return {
    open: new Map(
      folds.map((fold) => [`${item(fold).dataset['hash']} ${fold.dataset['fold']}`, fold.open]),
    ),
    checked: new Set(
      inputs.filter((input) => input.checked).map((input) => `${input.name} ${input.value}`),
    ),
    texts: new Map(
      inputs.filter((input) => input.type === 'text').map((input) => [input.name, input.value]),
    ),
  }
}

/** @param {ReturnType<typeof chosenNow>} kept */
function restore({ open, checked, texts }) {
  for (const fold of /** @type {NodeListOf<HTMLDetailsElement>} */ (
    body.querySelectorAll('details[data-fold]')
  )) {
    const was = open.get(`${item(fold).dataset['hash']} ${fold.dataset['fold']}`)
    if (was !== undefined) fold.open = was
  }
  for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (
    body.querySelectorAll('.review-network input, [name="scope"]')
  )) {
    if (input.type === 'text') input.value = texts.get(input.name) ?? ''
    else if (checked.has(`${input.name} ${input.value}`)) input.checked = true
  }
}
