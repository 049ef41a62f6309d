// @ts-check
/** @import {Batch} from './types.js' */
/** @import {Gauge, Part, TeamGauges} from './termination.js' */
import { el } from '../core/dom.js'
import { Termination } from './termination.js'

/**
 * Progress of stop conditions, in one line above the conversation.
 * @param {HTMLElement} root
 */
export function gauges(root) {
  const termination = new Termination()
  let isStale = false
  let isBehind = false
  root.hidden = true
  root.replaceChildren()

  return {
    /** @param {Batch} batch */
    apply(batch) {
      for (const entry of batch.entries) isStale = termination.add(entry) || isStale
      if (batch.state && isBehind !== Boolean(batch.state.editable_id)) {
        isBehind = !isBehind
        isStale = true
      }
      if (!isStale || !batch.live) return
      isStale = false
      const teams = termination.gauges
      root.hidden = teams.length === 0
      root.replaceChildren(
        el('span', { class: 'gauges-label', 'aria-hidden': 'true' }, 'Stops at'),
        el('ul', { role: 'list' }, ...teams.flatMap(renderTeam)),
        ...(isBehind
          ? [
              el(
                'span',
                {
                  class: 'gauges-behind muted',
                  title:
                    'You can still edit the last message: conditions are checked when the run continues',
                },
                'before the last message',
              ),
            ]
          : []),
      )
    },
  }
}

/**
 * @param {TeamGauges} team
 * @returns {HTMLElement[]}
 */
function renderTeam({ name, parts }) {
  if (name === '') return renderParts(parts, 'or')
  return [
    el(
      'li',
      { class: 'gauge-group' },
      el('span', { class: 'gauge-name' }, name),
      el('ul', { role: 'list' }, ...renderParts(parts, 'or')),
    ),
  ]
}

/**
 * @param {Part[]} parts
 * @param {'and' | 'or'} join
 * @returns {HTMLElement[]}
 */
function renderParts(parts, join) {
  return parts.flatMap((part, place) =>
    place === 0
      ? [renderPart(part)]
      : [el('li', { class: 'gauge-join muted' }, join), renderPart(part)],
  )
}

/**
 * @param {Part} part
 * @returns {HTMLElement}
 */
function renderPart(part) {
  if (!('parts' in part)) return renderGauge(part)
  return el(
    'li',
    { class: 'gauge-group' },
    el('ul', { role: 'list' }, ...renderParts(part.parts, part.join)),
  )
}

/** @param {Gauge} gauge */
function renderGauge({ words, stopsWhen, share, look }) {
  const bar = share === null ? null : el('span', { class: 'gauge-fill' })
  if (bar) bar.style.inlineSize = `${(share ?? 0) * 100}%`
  const more = { '': '', near: ', nearly reached', fired: ', reached' }[look]
  return el(
    'li',
    { class: 'gauge', 'data-look': look, title: `Stops when ${stopsWhen}` },
    el('span', { class: bar ? 'gauge-bar' : 'gauge-dot', 'aria-hidden': 'true' }, bar),
    el('span', {}, words),
    more !== '' && el('span', { class: 'visually-hidden' }, more),
  )
}
