// @ts-check
// Several runs beside each other: /runs/{id}/beside/{id}.
import { find, on } from './core/dom.js'
import { toastError } from './core/toast.js'
import { runColumn } from './playground/split-view.js'
import { saveLevel, loadLevel } from './playground/chat/detail-level.js'

const page = find('[data-split-view]')
const { signal } = new AbortController()

/** @type {Promise<import('./playground/chat/chat.js').Chat>[]} */
const columns = [...page.querySelectorAll('[data-run-id]')].map((root) =>
  runColumn(/** @type {HTMLElement} */ (root), signal),
)
for (const column of columns) column.catch(toastError)

for (const radio of /** @type {NodeListOf<HTMLInputElement>} */ (
  page.querySelectorAll('[name="detail"]')
))
  radio.checked = Number(radio.value) === loadLevel()
on(page, 'change', '[name="detail"]', async (event) => {
  const level = /** @type {import('./playground/chat/detail-level.js').Level} */ (
    Number(event.target.value)
  )
  saveLevel(level)
  for (const column of await Promise.all(columns)) column.show({ level })
})

/** The link of a message leads to its place in the page of its run. */
on(page, 'click', '.turn-time', (event, link) => {
  event.preventDefault()
  location.assign(
    `/runs/${link.closest('[data-run-id]')?.getAttribute('data-run-id')}${link.getAttribute('href')}`,
  )
})
