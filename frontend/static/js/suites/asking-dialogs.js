// @ts-check
// The dialogs that say who answers the team, and by which questions a judge prefers an answer.
import { on } from '../core/dom.js'
import { changeSuite } from './document.js'
import { hideMistakes, showMistakes } from './mistakes.js'

/** @import {Preference, SuiteDocument} from './document.js' */

/**
 * @param {HTMLElement} page
 * @param {string} path  of the suite in the API
 */
export function askingDialogs(page, path) {
  on(page, 'submit', '[data-people-form]', (event, form) =>
    save(event, form, path, (suite, fields) => ({ ...suite, people: people(suite, fields) })),
  )
  on(page, 'submit', '[data-prefer-form]', (event, form) =>
    save(event, form, path, (suite, fields) => ({ ...suite, prefer: prefer(suite, fields) })),
  )
}

/** @typedef {Record<string, string>} Fields */

/**
 * @param {Event} event
 * @param {HTMLElement} form
 * @param {string} path
 * @param {(suite: SuiteDocument, fields: Fields) => SuiteDocument} edit
 */
async function save(event, form, path, edit) {
  event.preventDefault()
  hideMistakes(form)
  const entries = [...new FormData(/** @type {HTMLFormElement} */ (form))]
  const fields = Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
  try {
    await changeSuite(path, (suite) => edit(suite, fields))
    location.reload()
  } catch (error) {
    showMistakes(form, error)
  }
}

/**
 * @param {SuiteDocument} suite
 * @param {Fields} fields
 */
function people(suite, fields) {
  const { kind, answers = '', aim = '', knows = '', most, connection } = fields
  if (kind === 'answers') return lines(answers).map((each) => each.replaceAll('\\n', '\n'))
  if (kind !== 'aim') return null
  const before = Array.isArray(suite.people) ? null : suite.people
  const model = before?.model && !connection ? { model: before.model } : {}
  return { aim, knows, most: Number(most), ...(connection ? { connection } : {}), ...model }
}

/**
 * Questions that were there keep the model that they are asked of.
 * @param {SuiteDocument} suite
 * @param {Fields} fields
 */
function prefer(suite, { questions = '', connection }) {
  const before = suite.prefer ?? []
  return lines(questions).map(
    (question) =>
      before.find((each) => shown(each) === question) ??
      (connection ? { question, connection } : question),
  )
}

/** @param {Preference} each */
function shown(each) {
  return (typeof each === 'string' ? each : each.question).replaceAll('\n', ' ').trim()
}

/** @param {string} text */
function lines(text) {
  return text
    .split('\n')
    .map((each) => each.trim())
    .filter(Boolean)
}
