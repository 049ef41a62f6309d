// @ts-check
// The page Suites: make one.
import { api } from './core/api.js'
import { choose } from './core/chooser.js'
import { ask } from './core/dialog.js'
import { el, on } from './core/dom.js'
import { toastError } from './core/toast.js'

on(document, 'click', '[data-new-suite]', (_event, button) =>
  newSuite(button.dataset['team'] ?? '').catch(toastError),
)

/** @param {string} team  "": it is asked for */
async function newSuite(team) {
  const id = team || (await chosenTeam())
  if (!id) return
  const input = el('input', { class: 'input', 'aria-label': 'Name', maxlength: 200 })
  const asked = ask({
    title: 'New suite',
    text: 'What does the suite test?',
    body: input,
    choices: [
      { value: '', label: 'Cancel' },
      { value: 'add', label: 'Add suite', tone: 'primary' },
    ],
  })
  input.focus()
  if ((await asked) !== 'add') return
  const document = { suite: input.value.trim() || 'New suite' }
  const made = await api.post(`/api/teams/${encodeURIComponent(id)}/suites`, { document })
  location.assign(`/suites/${made.id}`)
}

async function chosenTeam() {
  /** @type {{ id: string, name: string, summary: string }[]} */
  const teams = await api.get('/api/teams')
  const chosen = await choose({
    title: 'Suite of which team?',
    placeholder: 'Search teams',
    find: (query) =>
      teams
        .filter((each) => each.name.toLowerCase().includes(query.toLowerCase()))
        .map((each) => ({ id: each.id, label: each.name, detail: each.summary })),
    none: () => (teams.length > 0 ? 'No team matches.' : 'There are no teams yet.'),
  })
  return chosen?.id
}
