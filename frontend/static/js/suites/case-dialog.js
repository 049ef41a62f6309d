// @ts-check
// Cases: the dialog that writes one, and deleting one.
import { ApiError } from '../core/api.js'
import { el, find, icon, on } from '../core/dom.js'
import { toast, toastError } from '../core/toast.js'
import { change } from '../deployments/changes.js'
import { changeShown, changeSuite, placeOf, readShown } from './document.js'
import { hideMistakes, showMistakes } from './mistakes.js'
import { entryWords, openScorer } from './scorer-dialog.js'

/** @import {Case, Entry} from './document.js' */

/**
 * @param {HTMLElement} page
 * @param {string} path
 */
export function caseDialog(page, path) {
  const dialog = /** @type {HTMLDialogElement} */ (find('#case-dialog'))
  const form = /** @type {HTMLFormElement} */ (find('form', dialog))
  /** @type {Entry[]} */
  let scorers = []
  /** @type {{ before: Case, place: number } | undefined} */
  let edited

  /**
   * @param {Case} [given]
   * @param {number} [place]
   */
  const open = (given, place = 0) => {
    edited = given && { before: given, place }
    scorers = [...(given?.scorers ?? [])]
    hideMistakes(form)
    find('#case-dialog-title').textContent = given ? 'Edit case' : 'New case'
    write(form, given)
    listScorers(form, scorers)
    dialog.showModal()
    control(form, 'task').focus()
  }

  on(page, 'click', '[data-add-case]', () => open())
  on(page, 'click', '[data-edit-case]', async (_event, button) => {
    const place = placeIn(button)
    try {
      const found = (await readShown(page, path)).cases?.[place]
      if (found) open(found, place)
      else location.reload()
    } catch (error) {
      toastError(error)
    }
  })
  on(page, 'click', '[data-delete-case]', (_event, button) => remove(page, path, button))
  on(form, 'click', '[data-add-case-scorer]', () =>
    openScorer({
      isOfCase: true,
      save: (entry) => {
        scorers.push(entry)
        listScorers(form, scorers)
      },
    }),
  )
  on(form, 'click', '[data-edit-case-scorer]', (_event, button) => {
    const at = Number(button.dataset['editCaseScorer'])
    openScorer({
      ...(scorers[at] === undefined ? {} : { entry: scorers[at] }),
      isOfCase: true,
      save: (entry) => {
        scorers[at] = entry
        listScorers(form, scorers)
      },
    })
  })
  on(form, 'click', '[data-delete-case-scorer]', (_event, button) => {
    scorers.splice(Number(button.dataset['deleteCaseScorer']), 1)
    listScorers(form, scorers)
    find('[data-add-case-scorer]', form).focus()
  })
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    hideMistakes(form)
    try {
      await changeSuite(path, (suite) => {
        const cases = suite.cases ?? []
        const made = read(form, scorers, edited?.before)
        if (!edited) return { ...suite, cases: [...cases, made] }
        return { ...suite, cases: cases.with(placeOf(cases, edited.before, edited.place), made) }
      })
      location.reload()
    } catch (error) {
      showMistakes(form, error)
    }
  })
}

/**
 * @param {HTMLElement} page
 * @param {string} path
 * @param {HTMLElement} button
 */
async function remove(page, path, button) {
  const row = /** @type {HTMLElement} */ (button.closest('[data-case]'))
  const place = placeIn(button)
  /** @type {Case | undefined} */
  let gone
  try {
    await changeShown(page, path, (suite) => {
      gone = suite.cases?.[place]
      return { ...suite, cases: (suite.cases ?? []).toSpliced(place, 1) }
    })
  } catch (error) {
    toastError(error)
    return
  }
  const next = row.nextElementSibling ?? row.previousElementSibling
  for (const each of /** @type {NodeListOf<HTMLElement>} */ (
    page.querySelectorAll('[data-case]')
  )) {
    const at = Number(each.dataset['case'])
    if (at > place) each.dataset['case'] = String(at - 1)
  }
  row.remove()
  const focus =
    next?.querySelector('[data-delete-case]') ?? document.querySelector('[data-add-case]')
  if (focus instanceof HTMLElement) focus.focus()
  const run = () =>
    void change(() =>
      changeSuite(path, (suite) => ({
        ...suite,
        cases: (suite.cases ?? []).toSpliced(place, 0, /** @type {Case} */ (gone)),
      })),
    )
  toast('The case is deleted.', { tone: 'success', action: { label: 'Undo', run } })
}

/** @param {HTMLElement} button */
function placeIn(button) {
  return Number(/** @type {HTMLElement} */ (button.closest('[data-case]')).dataset['case'])
}

/**
 * @param {HTMLFormElement} form
 * @param {string} name
 */
function control(form, name) {
  return /** @type {HTMLInputElement | HTMLTextAreaElement} */ (find(`[name="${name}"]`, form))
}

/**
 * @param {HTMLFormElement} form
 * @param {Case} [given]
 */
function write(form, given) {
  form.reset()
  if (!given) return
  control(form, 'task').value = given.task
  const { target } = given
  control(form, 'target').value =
    target === undefined || target === null
      ? ''
      : typeof target === 'string'
        ? target
        : JSON.stringify(target)
  control(form, 'id').value = given.id ?? ''
  control(form, 'tags').value = (given.tags ?? []).join(', ')
  control(form, 'cluster').value = given.cluster ?? ''
  control(form, 'notes').value = given.notes ?? ''
  control(form, 'fields').value = given.fields ? JSON.stringify(given.fields, null, 1) : ''
}

/**
 * @param {HTMLFormElement} form
 * @param {Entry[]} scorers
 * @param {Case} [before]  what it was; its origin is kept
 * @returns {Case}
 */
function read(form, scorers, before) {
  const text = (/** @type {string} */ name) => control(form, name).value
  const tags = text('tags')
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
  return {
    ...(text('id').trim() ? { id: text('id').trim() } : {}),
    task: text('task'),
    ...targetOf(text('target'), before?.target),
    ...(text('fields').trim() ? { fields: fieldsOf(text('fields')) } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    ...(text('cluster').trim() ? { cluster: text('cluster').trim() } : {}),
    ...(before?.origin ? { origin: before.origin } : {}),
    ...(text('notes').trim() ? { notes: text('notes') } : {}),
    ...(scorers.length > 0 ? { scorers } : {}),
  }
}

/**
 * A target that was a number or a list stays one.
 * @param {string} text
 * @param {unknown} before
 */
function targetOf(text, before) {
  if (text.trim() === '') return {}
  if (before === undefined || before === null || typeof before === 'string') return { target: text }
  try {
    return { target: JSON.parse(text) }
  } catch {
    return { target: text }
  }
}

/** @param {string} text */
function fieldsOf(text) {
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError(0, {
      code: 'not_json',
      message: 'The fields are not JSON.',
      fix: 'Write an object such as `{"wood": "oak"}`.',
    })
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {Entry[]} scorers
 */
function listScorers(form, scorers) {
  const items = scorers.map((entry, at) => {
    const words = entryWords(entry)
    const button = (
      /** @type {string} */ label,
      /** @type {string} */ glyph,
      /** @type {object} */ mark,
    ) =>
      el(
        'button',
        {
          type: 'button',
          class: 'button quiet small icon-only',
          'aria-label': `${label} ${words}`,
          title: label,
          ...mark,
        },
        icon(glyph),
      )
    return el(
      'li',
      { class: 'suite-scorer' },
      el('span', { class: 'grow' }, words),
      button('Edit', 'pencil', { 'data-edit-case-scorer': String(at) }),
      button('Delete', 'trash-2', { 'data-delete-case-scorer': String(at) }),
    )
  })
  find('[data-case-scorers]', form).replaceChildren(...items)
}
