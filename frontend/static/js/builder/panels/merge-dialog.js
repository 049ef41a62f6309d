// @ts-check
// Both sides changed the same places: one question per place, yours or theirs.
import { ask } from '../../core/dialog.js'
import { el, find } from '../../core/dom.js'
import { isComponent, titleOf } from '../document/catalogue.js'

/**
 * @typedef {import('../autosave.js').Conflict} Conflict
 * @typedef {import('../autosave.js').Choices} Choices
 * @typedef {'mine' | 'theirs'} Which
 */

/** @type {Record<Which, string>} */
const NAMES = { mine: 'Yours', theirs: 'Theirs' }

/**
 * @param {Conflict[]} conflicts
 * @returns {Promise<Choices | null>} null when it is left for later
 */
export async function askToMerge(conflicts) {
  const count = conflicts.length === 1 ? 'one place' : `${conflicts.length} places`
  const form = el(
    'div',
    { class: 'merge' },
    el(
      'p',
      {},
      `This team was saved elsewhere after you opened it, and ${count} changed on both sides. All other changes are merged. The version history keeps both sides.`,
    ),
    conflicts.length > 1 && el('div', { class: 'merge-all' }, all('mine'), all('theirs')),
    ...conflicts.map(question),
  )
  const answer = ask({
    title: 'This team was changed elsewhere',
    body: form,
    choices: [
      { value: '', label: 'Decide later' },
      { value: 'ok', label: 'Merge', tone: 'primary' },
    ],
  })
  const dialog = /** @type {HTMLDialogElement} */ (form.closest('dialog'))
  dialog.classList.add('wide')
  const merge = /** @type {HTMLButtonElement} */ (find('button[value=ok]', dialog))
  const check = () => {
    merge.disabled = chosen(form).length < conflicts.length
  }
  form.addEventListener('change', check)
  form.addEventListener('click', (event) => {
    const which = event.target instanceof HTMLElement ? event.target.dataset['all'] : undefined
    if (!which) return
    for (const radio of /** @type {NodeListOf<HTMLInputElement>} */ (
      form.querySelectorAll(`input[value=${which}]`)
    ))
      radio.checked = true
    check()
  })
  check()
  find('input', form).focus()
  if ((await answer) !== 'ok') return null
  return Object.fromEntries(
    chosen(form).map((radio) => [
      conflicts[Number(radio.name.slice('conflict-'.length))]?.id ?? '',
      /** @type {Which} */ (radio.value),
    ]),
  )
}

/**
 * @param {HTMLElement} form
 * @returns {HTMLInputElement[]}
 */
function chosen(form) {
  return [.../** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll('input:checked'))]
}

/** @param {Which} which */
function all(which) {
  return el(
    'button',
    { type: 'button', class: 'button small', 'data-all': which },
    `All ${NAMES[which].toLowerCase()}`,
  )
}

/**
 * @param {Conflict} conflict
 * @param {number} index
 */
function question(conflict, index) {
  return el(
    'fieldset',
    { class: 'merge-question' },
    el('legend', {}, conflict.label),
    Object.hasOwn(conflict, 'base') &&
      !isComponent(conflict.base) &&
      el('p', { class: 'merge-base muted small' }, 'Before: ', shortOf(conflict.base)),
    el(
      'div',
      { class: 'merge-sides' },
      side(conflict, 'mine', index),
      side(conflict, 'theirs', index),
    ),
  )
}

/**
 * @param {Conflict} conflict
 * @param {Which} which
 * @param {number} index
 */
function side(conflict, which, index) {
  const changes = conflict.changes?.[which] ?? []
  const value = !Object.hasOwn(conflict, which)
    ? el('p', { class: 'merge-value muted' }, 'Removed')
    : changes.length > 0
      ? el('ul', { class: 'merge-value' }, ...changes.map((each) => el('li', {}, each)))
      : el('pre', { class: 'merge-value' }, textOf(conflict[which]))
  return el(
    'label',
    { class: 'merge-side' },
    el(
      'span',
      { class: 'merge-choice' },
      el('input', { type: 'radio', name: `conflict-${index}`, value: which }),
      NAMES[which],
    ),
    value,
  )
}

/**
 * @param {unknown} value
 * @returns {string}
 */
function textOf(value) {
  if (value === null || value === '') return value === null ? 'Nothing' : 'Empty'
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 'On' : 'Off'
  if (Array.isArray(value) && value.every((each) => typeof each === 'string'))
    return value.join(', ')
  return JSON.stringify(value, null, 2)
}

/** @param {unknown} value */
function shortOf(value) {
  const text = isComponent(value) ? titleOf(value) : textOf(value).replaceAll(/\s+/g, ' ')
  return text.length > 90 ? `${text.slice(0, 89)}…` : text
}
