// @ts-check
/** @import {ActiveWork, Work} from '../log/active-work.js' */
/** @import {ColourBook} from '../flow/participants.js' */
import { el } from '../../core/dom.js'
import { wholeSeconds } from '../format.js'
import { httpStatusText } from '../run-status.js'
import { tickCalls } from './chat-tools.js'

/** What comes sooner needs no word. */
const AT_ONCE_MS = 400
/** Between two messages a team may need a moment of its own. */
const BETWEEN_MS = 1000
const STILL_MS = 15_000
const TICK_MS = 250

/** The rows below the conversation that say who works, on which model, and for how long. */
export class ActivityRows {
  #work
  #colours
  #models
  #list
  /** @type {Map<string, HTMLElement>} by path */
  #rows = new Map()
  #shown = ''
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer

  /**
   * @param {ActiveWork} work
   * @param {ColourBook} colours
   * @param {Map<string, string>} models  by agent
   * @param {{redraw: () => void, list: HTMLElement}} where
   * @param {AbortSignal} signal
   */
  constructor(work, colours, models, { redraw, list }, signal) {
    this.#list = list
    this.#work = work
    this.#colours = colours
    this.#models = models
    this.redraw = redraw
    signal.addEventListener('abort', () => clearInterval(this.#timer))
  }

  /** After news: from now on the seconds are counted, or no more. */
  follow() {
    const isBusy = this.#work.now.length > 0
    if (isBusy && this.#timer === undefined) this.#timer = setInterval(() => this.#tick(), TICK_MS)
    if (isBusy || this.#timer === undefined) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** @returns {HTMLElement[]} */
  nodes() {
    const works = this.#visible()
    this.#shown = keys(works)
    for (const key of this.#rows.keys())
      if (!works.some((work) => keyOf(work) === key)) this.#rows.delete(key)
    return works.map((work) => this.#row(work))
  }

  #tick() {
    tickCalls(this.#list)
    const works = this.#visible()
    if (keys(works) !== this.#shown) return this.redraw()
    for (const work of works) this.#fill(this.#row(work), work)
  }

  #visible() {
    return this.#work.now.filter(
      (work) => work.phase === 'model' && age(work) >= (work.name === '' ? BETWEEN_MS : AT_ONCE_MS),
    )
  }

  /** @param {Work} work */
  #row(work) {
    const key = keyOf(work)
    let row = this.#rows.get(key)
    if (row) return row
    const name = work.name === '' ? 'Choosing who speaks next' : work.name
    row = el(
      'div',
      {
        class: 'turn turn-activity',
        'data-hue': work.name === '' ? 'user' : this.#colours.hueOf(work.name),
      },
      el(
        'span',
        { class: 'avatar', 'aria-hidden': 'true' },
        work.name.charAt(0).toUpperCase() || '·',
      ),
      el(
        'header',
        { class: 'turn-head' },
        el('span', { class: 'turn-source' }, name),
        el('span', { class: 'turn-meta numeric', 'data-age': true }),
      ),
      el(
        'div',
        { class: 'turn-body muted small' },
        el('span', { class: 'dots', 'aria-hidden': 'true' }, el('i'), el('i'), el('i')),
        el('span', { 'data-words': true }),
      ),
    )
    this.#rows.set(key, row)
    this.#fill(row, work)
    return row
  }

  /**
   * @param {HTMLElement} row
   * @param {Work} work
   */
  #fill(row, work) {
    setText(row, '[data-age]', wholeSeconds(age(work)))
    setText(row, '[data-words]', activityText(work, this.#models.get(work.name) ?? '', age(work)))
  }
}

/**
 * @param {Work} work
 * @param {string} model
 * @param {number} ms  for how long
 */
export function activityText({ attempt, status }, model, ms) {
  const again = attempt > 1 ? `, attempt ${attempt} after ${httpStatusText(status)}` : ''
  if (!model) return ms >= STILL_MS ? 'Still working' : 'Working'
  return `${ms >= STILL_MS ? 'Still waiting' : 'Waiting'} for ${model}${again}`
}

/** @param {Work} work */
const keyOf = ({ path }) => path.join('\n')

/** @param {Work[]} works */
const keys = (works) => works.map(keyOf).join('\n\n')

/**
 * Clocks of server and browser may differ.
 * @param {Work} work
 */
const age = ({ since }) => Math.max(0, Date.now() - since)

/**
 * @param {HTMLElement} row
 * @param {string} selector
 * @param {string} text
 */
function setText(row, selector, text) {
  const node = row.querySelector(selector)
  if (node && node.textContent !== text) node.textContent = text
}
