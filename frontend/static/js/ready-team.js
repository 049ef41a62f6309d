// @ts-check
// The page of a ready team: its recorded run, which can be played, and the copy to use.
import { api } from './core/api.js'
import { saveDraft } from './core/drafts.js'
import { announce, find, on } from './core/dom.js'
import { toastError } from './core/toast.js'
import { draftOf } from './playground/approval.js'
import { renderMarkdown } from './playground/chat/markdown.js'

/** A reader takes so long for a word, within these bounds for an entry. */
const MS_PER_WORD = 90
const MIN_MS = 700
const MAX_MS = 6_000

for (const text of document.querySelectorAll('[data-markdown]')) {
  const place = /** @type {HTMLElement} */ (text)
  const source = place.textContent ?? ''
  place.replaceChildren()
  renderMarkdown(place, source)
  place.dataset['rendered'] = ''
}

on(document, 'submit', '[data-use-ready-team]', async (event, form) => {
  event.preventDefault()
  if (form.ariaBusy === 'true') return
  form.ariaBusy = 'true'
  const model = new FormData(/** @type {HTMLFormElement} */ (form)).get('model') ?? 'recording'
  try {
    const slug = encodeURIComponent(form.dataset['useReadyTeam'] ?? '')
    const used = await api.post(`/api/ready-teams/${slug}/teams`, { model })
    saveDraft(draftOf(used.id), { task: used.task, files: used.files })
    location.assign(`/teams/${used.id}/play`)
  } catch (error) {
    form.ariaBusy = 'false'
    toastError(error)
  }
})

player(find('[data-play-recording]'), find('[data-recording]'))

/**
 * Shows the entries one after the other, at the pace of a reader.
 * @param {HTMLElement} button
 * @param {HTMLElement} recording
 */
function player(button, recording) {
  const turns = /** @type {HTMLElement[]} */ ([...recording.children])
  const label = find('span:last-child', button)
  let timer = 0

  function stop() {
    clearTimeout(timer)
    timer = 0
    label.textContent = 'Play'
    for (const turn of turns) turn.hidden = false
  }

  /** @param {number} index */
  function show(index) {
    const turn = turns[index]
    if (turn === undefined) {
      stop()
      announce('The recording has ended.')
      return
    }
    turn.hidden = false
    turn.scrollIntoView({ block: 'nearest' })
    const words = (turn.textContent ?? '').split(/\s+/).length
    const pace = Math.min(MAX_MS, Math.max(MIN_MS, words * MS_PER_WORD))
    timer = setTimeout(() => show(index + 1), pace)
  }

  button.hidden = false
  button.addEventListener('click', () => {
    if (timer !== 0) return stop()
    for (const turn of turns) turn.hidden = true
    label.textContent = 'Show all'
    show(0)
  })
}
