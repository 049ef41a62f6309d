// @ts-check
// The dialog of one scorer, of the suite or of a case.
import { find } from '../core/dom.js'
import { hideMistakes, showMistakes } from './mistakes.js'

/** @import {Entry} from './document.js' */
/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Control */
/** @typedef {{ [name: string]: unknown }} Fields */

/**
 * @param {{ entry?: Entry, isInvariant?: boolean, isOfCase?: boolean, save: (entry: Entry,
 *   isInvariant: boolean) => Promise<void> | void }} options  `save` may throw what is then shown
 */
export function openScorer({ entry, isInvariant = false, isOfCase = false, save }) {
  const dialog = /** @type {HTMLDialogElement} */ (find('#scorer-dialog'))
  const form = /** @type {HTMLFormElement} */ (find('form', dialog))
  const name = /** @type {HTMLSelectElement} */ (find('[name="scorer"]', form))
  const not = /** @type {HTMLInputElement} */ (find('[name="not"]', form))
  const always = /** @type {HTMLInputElement} */ (find('[name="always"]', form))
  const given = readEntry(entry ?? 'includes')
  hideMistakes(form)
  name.value = given.name
  not.checked = given.isNot
  always.checked = isInvariant
  find('[data-invariant]', form).hidden = isOfCase
  name.onchange = () => fill(form, name.value, {})
  const initial = entry === undefined && !isOfCase ? { text: ['{target}'] } : given.fields
  fill(form, name.value, initial)
  form.onsubmit = async (event) => {
    event.preventDefault()
    hideMistakes(form)
    try {
      const fields = { [name.value]: read(form) }
      await save(not.checked ? { not: fields } : fields, always.checked)
      dialog.close()
    } catch (error) {
      showMistakes(form, error)
    }
  }
  dialog.showModal()
  name.focus()
}

/**
 * What a scorer is called and looks for, in a few words.
 * @param {Entry} entry
 */
export function entryWords(entry) {
  const { name, fields, isNot } = readEntry(entry)
  const label = template(name)?.dataset['label'] ?? name
  const values = Object.values(fields).map((each) =>
    typeof each === 'string' ? each : Array.isArray(each) ? each.map(word).join(', ') : word(each),
  )
  return `${isNot ? 'Not: ' : ''}${label}${values.length > 0 ? `: ${values.join('; ')}` : ''}`
}

/**
 * A text as it is; an expected call without arguments as the name of the tool.
 * @param {unknown} value
 */
function word(value) {
  if (typeof value === 'string') return value
  const isObject = typeof value === 'object' && value !== null
  const call = isObject ? /** @type {{ name?: unknown }} */ (value) : {}
  const isBareCall = typeof call.name === 'string' && Object.keys(call).length === 1
  return isBareCall ? String(call.name) : JSON.stringify(value)
}

/** @param {string} name */
function template(name) {
  const found = document.querySelector(`template[data-scorer="${name}"]`)
  return found instanceof HTMLTemplateElement ? found : undefined
}

/**
 * @param {Entry} entry
 * @returns {{ name: string, fields: Fields, isNot: boolean }}
 */
function readEntry(entry) {
  if (typeof entry === 'string') return { name: entry, fields: {}, isNot: false }
  const [name = '', value] = Object.entries(entry)[0] ?? []
  if (name === 'not') return { ...readEntry(/** @type {Entry} */ (value)), isNot: true }
  const isFields = typeof value === 'object' && value !== null && !Array.isArray(value)
  const shorthand = template(name)?.dataset['shorthand']
  const bare = value === true || value === null || !shorthand ? {} : { [shorthand]: value }
  return { name, fields: isFields ? /** @type {Fields} */ (value) : bare, isNot: false }
}

/**
 * @param {HTMLFormElement} form
 * @param {string} name
 * @param {Fields} values
 */
function fill(form, name, values) {
  const place = find('[data-scorer-fields]', form)
  const made = template(name)
  place.replaceChildren(...(made ? [made.content.cloneNode(true)] : []))
  for (const control of controls(form)) {
    const value = values[control.dataset['field'] ?? '']
    if (value === undefined) continue
    write(control, value)
    control.closest('details')?.setAttribute('open', '')
  }
}

/** @param {HTMLFormElement} form */
function controls(form) {
  return /** @type {NodeListOf<Control>} */ (form.querySelectorAll('[data-field]'))
}

/**
 * @param {Control} control
 * @param {unknown} value
 */
function write(control, value) {
  if (control instanceof HTMLInputElement && control.type === 'checkbox')
    control.checked = value === true
  else if (!Array.isArray(value) || control.dataset['kind'] === 'json') control.value = word(value)
  else {
    const lines = value.map(word)
    // A text of several lines can be told from several texts in JSON only.
    control.value = lines.some((each) => each.includes('\n'))
      ? JSON.stringify(value)
      : lines.join('\n')
  }
}

/** @param {HTMLFormElement} form */
function read(form) {
  /** @type {Fields} */
  const fields = {}
  for (const control of controls(form)) {
    const { field = '', kind } = control.dataset
    if (control instanceof HTMLInputElement && control.type === 'checkbox') {
      if (control.checked) fields[field] = true
    } else if (control.value.trim() !== '') fields[field] = readText(control.value, kind)
  }
  return fields
}

/**
 * @param {string} text
 * @param {string} [kind]
 */
function readText(text, kind) {
  const trimmed = text.trim()
  if (kind === 'number') return Number(trimmed)
  if (kind === 'json') return parsed(trimmed) ?? trimmed
  if (kind !== 'lines' && kind !== 'calls') return trimmed
  const whole = trimmed.startsWith('[') ? parsed(trimmed) : undefined
  if (Array.isArray(whole)) return whole
  const lines = trimmed.split('\n').map((line) => line.trim())
  const full = lines.filter((line) => line !== '')
  return kind === 'lines'
    ? full
    : full.map((line) => (line[0] === '{' ? (parsed(line) ?? line) : line))
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
