// @ts-check
// The dialog that says what a version must fulfill.
import { on } from '../core/dom.js'
import { change } from '../deployments/changes.js'
import { changeSuite } from './document.js'

/** @import {SuiteDocument} from './document.js' */

/**
 * @param {HTMLElement} page
 * @param {string} path  of the suite in the API
 */
export function gateDialog(page, path) {
  /** @param {SuiteDocument['gate']} gate */
  const save = (gate) => change(() => changeSuite(path, (suite) => ({ ...suite, gate })))

  on(page, 'submit', '[data-gate-form]', (event, form) => {
    event.preventDefault()
    const { releases, worse, broken, at_least, unscored } = Object.fromEntries(
      new FormData(/** @type {HTMLFormElement} */ (form)),
    )
    void save({
      releases: releases !== undefined,
      worse: worse === undefined ? 'ignore' : 'proved',
      broken: broken === undefined ? 'ignore' : 'confirmed',
      at_least: at_least === '' ? null : Number(at_least),
      unscored: Number(unscored),
    })
  })
  on(page, 'click', '[data-remove-gate]', () => void save(null))
}
