// @ts-check
/** @import {Body, Item} from '../types.js' */
import { el, icon } from '../../core/dom.js'
import { clip, prettyJson } from '../format.js'
import { shownName } from '../flow/participants.js'

let count = 0

/**
 * The button that opens why somebody got the word, and what it opens. Nothing for a turn without a
 * decision.
 * @param {Item} item
 * @returns {{button: HTMLElement, panel: HTMLElement} | null}
 */
export function renderWhy(item) {
  if (item.why.length === 0) return null
  count += 1
  const id = `why-${count}`
  const panel = el('div', { class: 'why', id, hidden: true })
  const button = el(
    'button',
    {
      type: 'button',
      class: 'why-button',
      'aria-expanded': 'false',
      'aria-controls': id,
      'aria-label': `Why ${shownName(item.source)} spoke`,
      title: item.why.at(-1)?.reason,
    },
    'why',
  )
  button.addEventListener('click', () => open(item, button, panel, panel.hidden === true))
  return { button, panel }
}

/**
 * What the reader opened stays open.
 * @param {HTMLElement} old
 * @param {HTMLElement} fresh
 * @param {Item} item
 */
export function keepWhyOpen(old, fresh, item) {
  const button = fresh.querySelector('.why-button')
  const panel = fresh.querySelector('.why')
  if (!(button instanceof HTMLElement) || !(panel instanceof HTMLElement)) return
  if (old.querySelector('.why:not([hidden])')) open(item, button, panel, true)
}

/**
 * @param {Item} item
 * @param {HTMLElement} button
 * @param {HTMLElement} panel
 * @param {boolean} isOpen
 */
function open(item, button, panel, isOpen) {
  if (isOpen && !panel.hasChildNodes())
    panel.append(...item.why.map((one) => renderDecision(one, item.why.length > 1)))
  panel.hidden = !isOpen
  button.ariaExpanded = String(isOpen)
}

/**
 * @param {Body} decision
 * @param {boolean} isOneOfSeveral
 */
function renderDecision(decision, isOneOfSeveral) {
  return el(
    'section',
    { class: 'why-decision' },
    el(
      'p',
      { class: 'why-reason' },
      isOneOfSeveral && el('strong', {}, `${decision.team}: `),
      decision.reason,
    ),
    row('Rule', el('span', {}, decision.rule)),
    decision.candidates.length > 0 &&
      row(
        'Candidates',
        el(
          'ul',
          { role: 'list', class: 'why-names' },
          ...decision.candidates.map((/** @type {string} */ name) =>
            renderName(name, decision.chosen),
          ),
        ),
      ),
    decision.edges.length > 0 &&
      row(
        'Edges',
        el('ul', { role: 'list', class: 'why-list' }, ...decision.edges.map(renderEdge)),
      ),
    decision.attempts.length > 0 &&
      row(
        decision.attempts.length > 1 ? 'Answers' : 'Answer',
        el('ol', { role: 'list', class: 'why-list' }, ...decision.attempts.map(renderAttempt)),
      ),
    decision.prompt !== '' &&
      el(
        'details',
        { class: 'why-prompt' },
        el('summary', {}, 'What the model was asked'),
        el('pre', { class: 'code-block', tabindex: '0' }, clip(decision.prompt)),
      ),
  )
}

/**
 * @param {string} label
 * @param {HTMLElement} content
 */
const row = (label, content) =>
  el('div', { class: 'why-row' }, el('span', { class: 'why-label' }, label), content)

/**
 * @param {string} name
 * @param {string[]} chosen
 */
function renderName(name, chosen) {
  const isChosen = chosen.includes(name)
  return el(
    'li',
    { 'data-chosen': isChosen },
    isChosen && icon('check'),
    shownName(name),
    isChosen && el('span', { class: 'visually-hidden' }, ' (chosen)'),
  )
}

/** @param {Body} edge */
function renderEdge(edge) {
  const conditions = [
    edge.condition && `“${edge.condition}” is said`,
    edge.context_condition && `${edge.context_condition}`,
    edge.is_function && 'chosen by its function',
    edge.otherwise && 'when no other edge is followed',
  ]
  const condition = conditions.some(Boolean) ? `if ${conditions.filter(Boolean).join(' and ')}` : ''
  return el(
    'li',
    { 'data-taken': edge.was_taken },
    icon(edge.was_taken ? 'check' : 'x'),
    `${edge.source} to ${edge.target} `,
    condition !== '' && el('span', { class: 'muted' }, condition),
    el('span', { class: 'visually-hidden' }, edge.was_taken ? ', taken' : ', not taken'),
  )
}

/** @param {Body} attempt */
function renderAttempt(attempt) {
  const text = prettyJson(attempt.answer)
  return el(
    'li',
    { 'data-taken': attempt.refused === '' },
    icon(attempt.refused === '' ? 'check' : 'x'),
    text.includes('\n')
      ? el('pre', { class: 'code-block', tabindex: '0' }, clip(text))
      : el('q', {}, text),
    attempt.refused !== '' && el('span', { class: 'muted' }, attempt.refused),
    attempt.refused === '' && el('span', { class: 'visually-hidden' }, 'taken'),
  )
}
