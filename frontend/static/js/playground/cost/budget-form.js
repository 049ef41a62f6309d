// @ts-check
/** @import {Budget, Limits, Measure} from './money.js' */
import { el, icon } from '../../core/dom.js'

const MICRO = 1_000_000
const MINUTE_S = 60
/** Typed as text, so that the browser drops nothing of what is typed. */
const WHOLE = '[0-9]+'
const DECIMAL = String.raw`[0-9]+(\.[0-9]*)?|\.[0-9]+`
/** @type {{measure: Measure, label: string, unit: number, pattern: string}[]} */
const COLUMNS = [
  { measure: 'micro_usd', label: 'US dollars', unit: MICRO, pattern: DECIMAL },
  { measure: 'tokens', label: 'Tokens', unit: 1, pattern: WHOLE },
  { measure: 'turns', label: 'Turns', unit: 1, pattern: WHOLE },
  { measure: 'seconds', label: 'Minutes', unit: MINUTE_S, pattern: DECIMAL },
]
const EACH = '*'

/**
 * The limits of a run, a team or the studio, in one table.
 * @param {object} options
 * @param {Budget} options.own  what is set here
 * @param {Budget | null} [options.general]  what holds where nothing is set here
 * @param {string[]} options.agents  names of agents that get a row of their own
 * @param {string} options.dayLabel  what the last row is for; '' leaves it out
 * @param {string} options.runLabel
 * @param {{label: string, look?: string, save: (budget: Budget) => Promise<unknown>}[]}
 *   options.buttons
 */
export function budgetForm({ own, general = null, agents, dayLabel, runLabel, buttons }) {
  const named = [
    ...new Set([...Object.keys(own.agents).filter((name) => name !== EACH), ...agents]),
  ]
  const rows = [
    row(runLabel, 'run', own.run, general?.run),
    row('Every agent', `agent:${EACH}`, own.agents[EACH], general?.agents[EACH]),
    ...named.map((name) => row(name, `agent:${name}`, own.agents[name], general?.agents[name])),
    ...(dayLabel === '' ? [] : [row(dayLabel, 'day', own.day, undefined, ['micro_usd', 'tokens'])]),
  ]
  const error = el('p', { class: 'field-error', role: 'alert' })
  const form = el(
    'form',
    { class: 'budget-form', novalidate: true },
    el(
      'div',
      { class: 'table-scroll' },
      el(
        'table',
        { class: 'table budget-table' },
        el('caption', { class: 'visually-hidden' }, 'Limits; an empty field is no limit'),
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            el('th', { scope: 'col' }, el('span', { class: 'visually-hidden' }, 'For')),
            ...COLUMNS.map(({ label }) => el('th', { scope: 'col' }, label)),
          ),
        ),
        el('tbody', {}, ...rows),
      ),
    ),
    error,
    el(
      'div',
      { class: 'row-wrap' },
      ...buttons.map(({ label, look = '' }, index) =>
        el(
          'button',
          { class: `button small ${look}`, type: 'submit', value: index },
          index === 0 && icon('check'),
          el('span', {}, label),
        ),
      ),
    ),
  )
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const pressed = /** @type {HTMLButtonElement | null} */ (event.submitter)
    const bad = [...form.querySelectorAll('input')].find((input) => !input.checkValidity())
    error.textContent = bad ? `${bad.getAttribute('aria-label')} takes a number of 0 or more.` : ''
    if (bad) return bad.focus()
    form.ariaBusy = 'true'
    try {
      await buttons[Number(pressed?.value ?? 0)].save(read(form, own))
    } finally {
      form.ariaBusy = 'false'
    }
  })
  return form
}

/**
 * @param {string} label
 * @param {string} place
 * @param {Limits} [limits]
 * @param {Limits} [general]
 * @param {Measure[]} [only]
 */
function row(
  label,
  place,
  limits = {},
  general = {},
  only = COLUMNS.map(({ measure }) => measure),
) {
  return el(
    'tr',
    {},
    el('th', { scope: 'row', class: 'truncate' }, label),
    ...COLUMNS.map(({ measure, label: unitLabel, unit, pattern }) => {
      if (!only.includes(measure)) return el('td', {})
      const input = el('input', {
        class: 'input numeric',
        pattern,
        autocomplete: 'off',
        inputmode: 'decimal',
        name: `${place}|${measure}`,
        'aria-label': `${label}, ${unitLabel.toLowerCase()}`,
        placeholder: shown(general[measure], unit) || '–',
      })
      input.value = shown(limits[measure], unit)
      return el('td', {}, input)
    }),
  )
}

/**
 * @param {number | null | undefined} value
 * @param {number} unit
 */
const shown = (value, unit) =>
  value === null || value === undefined ? '' : String(Number((value / unit).toFixed(6)))

/**
 * What the form holds; what it has no row for stays.
 * @param {HTMLFormElement} form
 * @param {Budget} before
 * @returns {Budget}
 */
function read(form, before) {
  /** @type {Budget} */
  const budget = { run: {}, agents: {}, day: { ...before.day } }
  for (const input of form.querySelectorAll('input')) {
    const [place, measure] = input.name.split('|')
    const unit = COLUMNS.find((column) => column.measure === measure)?.unit ?? 1
    const value = input.value === '' ? null : Math.round(Number(input.value) * unit)
    const limits =
      place === 'run'
        ? budget.run
        : place === 'day'
          ? budget.day
          : (budget.agents[place.slice('agent:'.length)] ??= {})
    limits[/** @type {Measure} */ (measure)] = value
  }
  budget.agents = Object.fromEntries(
    Object.entries(budget.agents).filter(([, limits]) =>
      Object.values(limits).some((value) => value !== null),
    ),
  )
  return budget
}
