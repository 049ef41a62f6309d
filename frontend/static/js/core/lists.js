// @ts-check
// Lists of teams and runs: select, star, rename, tag, archive, delete and undo. The server renders
// the list again.
import { api } from './api.js'
import { ask } from './dialog.js'
import { announce, el, find, on } from './dom.js'
import { can } from './permissions.js'
import { toast, toastError } from './toast.js'

/**
 * @typedef {'team' | 'run'} Kind
 * @typedef {'active' | 'archived' | 'trashed'} Listing
 */

const DONE = { active: 'restored', archived: 'archived', trashed: 'moved to the trash' }

/**
 * @param {Kind} kind
 * @param {number} count
 */
export function counted(kind, count) {
  return `${count} ${kind}${count === 1 ? '' : 's'}`
}

/**
 * Move teams or runs to another list; the notice that tells it can undo it.
 * @param {Kind} kind
 * @param {string[]} ids
 * @param {Listing} listing
 * @param {Listing} from
 * @param {() => unknown} changed  called after each change
 */
export async function move(kind, ids, listing, from, changed) {
  try {
    const { moved } = await api.post(`/api/${kind}s/bulk`, { ids, listing })
    await changed()
    const left = ids.length - moved.length
    if (moved.length > 0) {
      const undo = () => void move(kind, moved, from, listing, changed)
      toast(`${counted(kind, moved.length)} ${DONE[listing]}.`, {
        action: { label: 'Undo', run: undo },
      })
    }
    if (left > 0)
      toast(`${counted(kind, left)} not deleted: still running.`, {
        tone: 'warning',
        fix: 'Stop or cancel them first.',
      })
  } catch (error) {
    toastError(error)
  }
}

/**
 * Ask for the tags of some teams or runs, and save them.
 * @param {Kind} kind
 * @param {string[]} ids
 * @param {string[]} before  what all of them have
 * @returns {Promise<boolean>}
 */
export async function editTags(kind, ids, before) {
  try {
    const known = await api.get(`/api/tags?kind=${kind}`)
    const input = el('input', {
      class: 'input',
      'aria-label': 'Tags',
      value: before.join(', '),
      maxlength: 500,
      placeholder: 'billing, draft',
      autocomplete: 'off',
    })
    const offered = el(
      'div',
      { class: 'row-wrap' },
      ...known
        .slice(0, 20)
        .map((/** @type {{name: string}} */ { name }) =>
          el(
            'button',
            { class: 'chip plain tag', type: 'button', on: { click: () => add(name) } },
            name,
          ),
        ),
    )
    const add = (/** @type {string} */ name) => {
      if (!names(input.value).includes(name)) input.value = [...names(input.value), name].join(', ')
      input.focus()
    }
    const body = el(
      'div',
      { class: 'stack' },
      el(
        'label',
        { class: 'field' },
        el('span', { class: 'field-label' }, 'Tags, separated by commas'),
        input,
      ),
      offered,
    )
    const asked = ask({
      title: ids.length === 1 ? 'Tags' : `Tags of ${counted(kind, ids.length)}`,
      body,
      choices: [
        { value: '', label: 'Cancel' },
        { value: 'save', label: 'Save tags', tone: 'primary' },
      ],
    })
    input.focus()
    if ((await asked) !== 'save') return false
    const after = names(input.value)
    const change = {
      add_tags: after.filter((name) => !before.includes(name)),
      remove_tags: before.filter((name) => !after.includes(name)),
    }
    if (change.add_tags.length + change.remove_tags.length === 0) return false
    await api.post(`/api/${kind}s/bulk`, { ids, ...change })
    return true
  } catch (error) {
    toastError(error)
    return false
  }
}

/**
 * @param {string} text
 * @returns {string[]}
 */
function names(text) {
  return [
    ...new Set(
      text
        .split(',')
        .map((name) => name.trim().replace(/\s+/g, ' '))
        .filter(Boolean),
    ),
  ]
}

/**
 * @param {Kind} kind
 * @param {string[]} ids
 * @param {boolean} isStarred
 */
export function star(kind, ids, isStarred) {
  return api.put('/api/account/stars', { kind, ids, is_starred: isStarred })
}

/**
 * Put a field in the place of a name: Enter or leaving it saves, Escape does not.
 * @param {HTMLElement} place
 * @param {string} before
 * @param {(name: string) => Promise<unknown>} save  rejects when it fails
 */
export function renameInPlace(place, before, save) {
  const input = el('input', {
    class: 'input rename-input',
    value: before,
    maxlength: 200,
    'aria-label': 'Name',
  })
  let isDone = false
  const end = async (/** @type {boolean} */ isSaved) => {
    if (isDone) return
    isDone = true
    const hadFocus = document.activeElement === input
    const name = input.value.trim()
    try {
      if (isSaved && name !== before) await save(name)
    } catch (error) {
      toastError(error)
    }
    input.replaceWith(place)
    if (hadFocus) place.focus()
  }
  input.addEventListener('keydown', (event) => {
    event.stopPropagation()
    if (event.key !== 'Enter' && event.key !== 'Escape') return
    event.preventDefault()
    void end(event.key === 'Enter')
  })
  input.addEventListener('blur', () => void end(true))
  place.replaceWith(input)
  input.focus()
  input.select()
}

/**
 * The list as the server shows it now, in the place of the one that is shown. Its focused row keeps
 * the focus.
 */
export async function refresh() {
  const here = document.activeElement?.closest('[data-row]')
  const id = here instanceof HTMLElement ? here.dataset.row : undefined
  const index = rows().findIndex((row) => row.dataset.row === id)
  const answer = await fetch(location.href, { headers: { Accept: 'text/html' } })
  const fresh = new DOMParser()
    .parseFromString(await answer.text(), 'text/html')
    .querySelector('[data-list]')
  if (!answer.ok || !fresh) return location.reload()
  find('[data-list]').replaceWith(document.adoptNode(fresh))
  if (index >= 0 || document.activeElement === document.body) {
    const row =
      rows().find((each) => each.dataset.row === id) ??
      rows()[Math.min(Math.max(index, 0), rows().length - 1)]
    const target = row?.querySelector('a') ?? document.querySelector('[data-list] a')
    if (target instanceof HTMLElement) target.focus()
  }
  showSelection()
}

/** @returns {HTMLElement[]} */
function rows() {
  return /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[data-list] [data-row]')])
}

/** @returns {HTMLInputElement[]} */
const boxes = () =>
  /** @type {HTMLInputElement[]} */ ([
    ...document.querySelectorAll('[data-list] input[data-select]'),
  ])
const chosen = () =>
  boxes()
    .filter((box) => box.checked)
    .map(rowOf)

/**
 * @param {Element} part
 * @returns {HTMLElement}
 */
function rowOf(part) {
  return /** @type {HTMLElement} */ (part.closest('[data-row]'))
}

function showSelection() {
  const count = chosen().length
  const all = document.querySelector('[data-select-all]')
  if (all instanceof HTMLInputElement) {
    all.checked = count > 0 && count === boxes().length
    all.indeterminate = count > 0 && !all.checked
    all.disabled = boxes().length === 0
  }
  const bar = document.querySelector('[data-bulk]')
  if (!(bar instanceof HTMLElement)) return
  bar.hidden = count === 0
  find('[data-part="selected"]', bar).textContent = `${count} selected`
}

/**
 * @param {HTMLElement} row
 * @returns {string[]}
 */
function tagsOf(row) {
  return (row.dataset.tags ?? '').split(',').filter(Boolean)
}

/**
 * The row that a press is about, or those selected.
 * @param {HTMLElement} part
 */
function targetRows(part) {
  return part.closest('[data-bulk]') ? chosen() : [rowOf(part)]
}

/**
 * Work a page with one list.
 * @param {Kind} kind
 * @param {(id: string, name: string) => Promise<unknown>} rename
 */
export function list(kind, rename) {
  const from = /** @type {Listing} */ (
    new URLSearchParams(location.search).get('listing') ?? 'active'
  )
  on(document, 'change', '[data-select-all]', (_event, all) => {
    for (const box of boxes()) box.checked = /** @type {HTMLInputElement} */ (all).checked
    showSelection()
  })
  on(document, 'change', 'input[data-select]', showSelection)
  on(
    document,
    'change',
    '[data-filter] select, [data-filter] input:is([type="date"], [type="checkbox"])',
    (_event, field) => field.closest('form')?.requestSubmit(),
  )
  on(document, 'click', '[data-star]', async (_event, button) => {
    const isStarred = button.ariaPressed !== 'true'
    button.ariaPressed = String(isStarred)
    await star(kind, [rowOf(button).dataset.row ?? ''], isStarred).catch((error) => {
      button.ariaPressed = String(!isStarred)
      toastError(error)
    })
  })
  on(document, 'click', '[data-move]', async (_event, button) => {
    const ids = targetRows(button).map((row) => row.dataset.row ?? '')
    await move(kind, ids, /** @type {Listing} */ (button.dataset.move), from, refresh)
  })
  on(document, 'click', '[data-edit-tags]', async (_event, button) => {
    const rows = targetRows(button)
    const common = tagsOf(/** @type {HTMLElement} */ (rows[0])).filter((tag) =>
      rows.every((row) => tagsOf(row).includes(tag)),
    )
    if (
      await editTags(
        kind,
        rows.map((row) => row.dataset.row ?? ''),
        common,
      )
    )
      await refresh()
  })
  const begin = (/** @type {HTMLElement} */ row) => {
    renameInPlace(find('[data-row-name]', row), row.dataset.name ?? '', async (name) => {
      await rename(row.dataset.row ?? '', name)
      await refresh()
      announce(`Renamed to ${name}.`)
    })
  }
  on(document, 'click', '[data-rename]', (_event, button) => begin(rowOf(button)))
  on(document, 'keydown', '[data-row-name]', (event, place) => {
    if (event.key === 'F2' && can('editor')) begin(rowOf(place))
  })
  showSelection()
}
