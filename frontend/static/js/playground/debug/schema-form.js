// @ts-check
/** @import {Body} from '../types.js' */
import { el } from '../../core/dom.js'

/**
 * A small form of a flat JSON schema: texts, numbers, yes or no, one of several.
 * @param {Body} schema
 * @param {string} id
 */
export function fieldsOf(schema, id) {
  return Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const label = field.title ?? name
    const isRequired = (schema.required ?? []).includes(name)
    const hint = field.description && el('span', { class: 'field-help' }, field.description)
    const control = controlOf(field, { name, id: `${id}-${name}`, required: isRequired })
    if (field.type === 'boolean')
      return el('div', { class: 'field' }, el('label', { class: 'check' }, control, label), hint)
    const mark = isRequired && el('span', { class: 'field-required', 'aria-hidden': 'true' }, ' *')
    return el(
      'div',
      { class: 'field' },
      el('label', { for: `${id}-${name}` }, label, mark),
      control,
      hint,
    )
  })
}

/**
 * @param {Body} field
 * @param {Record<string, unknown>} props
 */
function controlOf(field, props) {
  if (Array.isArray(field.enum)) {
    const choices = field.enum.map((/** @type {unknown} */ value) =>
      el(
        'option',
        { value: JSON.stringify(value), selected: value === field.default },
        String(value),
      ),
    )
    return el(
      'select',
      { class: 'input', 'data-kind': 'json', ...props },
      field.default === undefined && el('option', { value: '' }, 'Choose'),
      ...choices,
    )
  }
  if (field.type === 'boolean')
    return el('input', {
      type: 'checkbox',
      'data-kind': 'boolean',
      checked: field.default === true,
      ...props,
      required: false,
    })
  if (field.type === 'number' || field.type === 'integer') {
    const step = field.type === 'integer' ? 1 : 'any'
    return el('input', {
      class: 'input',
      type: 'number',
      'data-kind': 'number',
      step,
      min: field.minimum,
      max: field.maximum,
      value: field.default,
      ...props,
    })
  }
  if (field.type === 'string' || field.type === undefined) {
    const isLong = field['x-multiline'] || (field.maxLength ?? 0) > 200
    const type = { date: 'date', email: 'email', uri: 'url' }[String(field.format)] ?? 'text'
    if (!isLong)
      return el('input', {
        class: 'input',
        type,
        'data-kind': 'text',
        value: field.default,
        autocomplete: 'off',
        ...props,
      })
  }
  const area = el('textarea', {
    class: 'input',
    rows: '3',
    'data-kind': field.type === 'string' ? 'text' : 'json',
    placeholder: field.type === 'string' ? null : 'JSON',
    ...props,
  })
  if (field.default !== undefined)
    area.value = typeof field.default === 'string' ? field.default : JSON.stringify(field.default)
  return area
}

/**
 * What was filled in, and the titles of what is missing or wrong.
 * @param {HTMLFormElement} form
 * @param {Body} schema
 */
export function valuesOf(form, schema) {
  /** @type {Body} */
  const values = {}
  /** @type {string[]} */
  const missing = []
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const control = /** @type {HTMLInputElement | null} */ (form.elements.namedItem(name))
    if (!control) continue
    const value = filledIn(control)
    const isMissing = value === undefined && control.required
    if (value instanceof Error || isMissing || !control.checkValidity())
      missing.push(String(field.title ?? name))
    else if (value !== undefined) values[name] = value
  }
  return { values, missing }
}

/**
 * @param {HTMLInputElement} control
 * @returns {unknown} undefined when nothing was filled in
 */
function filledIn(control) {
  const { kind } = control.dataset
  if (kind === 'boolean') return control.checked
  if (control.value === '') return undefined
  if (kind === 'number') return Number(control.value)
  if (kind !== 'json') return control.value
  try {
    return JSON.parse(control.value)
  } catch (error) {
    return error
  }
}
