// @ts-check
/** @import {Body} from '../types.js' */
/** @import {Breakpoint} from './breakpoint-words.js' */
/** @import {Settings} from './settings.js' */
import { announce, el, find, icon, on } from '../../core/dom.js'
import { can } from '../../core/permissions.js'
import { makeReadOnly } from '../../core/read-only.js'
import { participantsOf } from '../flow/participants.js'
import {
  MESSAGE_TYPES,
  MOMENTS,
  breakpointFrom,
  breakpointText,
  toolsOf,
  withBreakpoint,
} from './breakpoint-words.js'

/**
 * The list of breakpoints, and the form that adds one.
 * @param {HTMLElement} root
 * @param {Settings} settings
 * @param {Body} component
 * @param {AbortSignal} signal
 */
export function breakpointList(root, settings, component, signal) {
  const list = find('[data-part="breakpoints"]', root)
  const form = /** @type {HTMLFormElement} */ (find('[data-part="breakpoint-form"]', root))
  const error = find('[data-part="breakpoint-error"]', root)
  const names = {
    agent: participantsOf(component).map((one) => one.name),
    text: participantsOf(component).map((one) => one.name),
    tool: toolsOf(component),
    message: MESSAGE_TYPES,
  }
  /** @type {{[id: string]: number}} */
  let hits = {}
  let hitId = ''

  function fit() {
    const moment = MOMENTS.find((each) => each.on === value('on')) ?? MOMENTS[0]
    for (const field of /** @type {NodeListOf<HTMLElement>} */ (
      form.querySelectorAll('[data-field]')
    )) {
      field.hidden = !(
        /** @type {readonly string[]} */ (moment.fields).includes(field.dataset.field ?? '')
      )
    }
    const known = /** @type {{[on: string]: string[]}} */ (names)[moment.on] ?? []
    find('datalist', form).replaceChildren(...known.map((name) => el('option', { value: name })))
    find('[data-field="limit"] span', form).textContent =
      { tokens: 'Tokens', cost: 'Dollars', progress: 'Percent' }[String(moment.on)] ?? 'Limit'
    find('[data-field="name"] span', form).textContent =
      { agent: 'Agent', tool: 'Tool', message: 'Type', text: 'Said by' }[String(moment.on)] ??
      'Name'
  }

  /** @param {string} name */
  const value = (name) => String(new FormData(form).get(name) ?? '')

  form.addEventListener('change', fit, { signal })
  form.addEventListener(
    'submit',
    async (event) => {
      event.preventDefault()
      const made = breakpointFrom(Object.fromEntries(new FormData(form)), crypto.randomUUID())
      error.textContent = typeof made === 'string' ? made : ''
      if (typeof made === 'string') return
      if (await settings.changeBreakpoints((breakpoints) => withBreakpoint(breakpoints, made)))
        announce(`Breakpoint added: ${breakpointText(made)}.`)
      const kept = value('on')
      form.reset()
      const choice = /** @type {HTMLSelectElement} */ (form.elements.namedItem('on'))
      choice.value = kept
      fit()
    },
    { signal },
  )
  on(
    list,
    'change',
    'input[type="checkbox"]',
    (event, box) => {
      const enabled = event.target.checked
      void settings.changeBreakpoints((breakpoints) =>
        breakpoints.map((each) => (each.id === box.dataset.id ? { ...each, enabled } : each)),
      )
    },
    signal,
  )
  on(
    list,
    'click',
    '[data-remove]',
    async (_event, button) => {
      const place = settings.breakpoints.findIndex((each) => each.id === button.dataset.remove)
      await settings.changeBreakpoints((breakpoints) =>
        breakpoints.filter((each) => each.id !== button.dataset.remove),
      )
      const next =
        list.querySelectorAll('[data-remove]')[Math.min(place, settings.breakpoints.length - 1)] ??
        form.elements.namedItem('on')
      if (next instanceof HTMLElement) next.focus()
    },
    signal,
  )

  function draw() {
    const focused =
      document.activeElement instanceof HTMLElement ? document.activeElement.dataset.id : undefined
    list.replaceChildren(
      ...settings.breakpoints.map((point) => row(point, hits[point.id] ?? 0, point.id === hitId)),
    )
    if (!can('editor')) makeReadOnly(list)
    find('[data-part="no-breakpoints"]', root).hidden = settings.breakpoints.length > 0
    if (focused)
      /** @type {HTMLElement | null} */ (list.querySelector(`[data-id="${focused}"]`))?.focus()
  }
  fit()

  return {
    draw,
    /**
     * @param {{[id: string]: number}} counts
     * @param {string} waitsAt
     */
    count(counts, waitsAt) {
      hits = counts
      hitId = waitsAt
      // Not drawn anew: a box that is just being pressed would forget it.
      for (const item of /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll('li'))) {
        const id = item.dataset['breakpoint'] ?? ''
        mark(item, hits[id] ?? 0, id === hitId)
      }
    },
    focus: () => /** @type {HTMLElement} */ (form.elements.namedItem('on')).focus(),
  }
}

/**
 * @param {Breakpoint} point
 * @param {number} hits
 * @param {boolean} isHere
 */
function row(point, hits, isHere) {
  const words = breakpointText(point)
  const box = el('input', { type: 'checkbox', 'data-id': point.id, checked: point.enabled })
  const item = el(
    'li',
    { class: 'breakpoint', 'data-breakpoint': point.id, 'data-enabled': String(point.enabled) },
    el('label', { class: 'check grow' }, box, el('span', {}, words)),
    el('span', { class: 'badge plain numeric' }),
    el(
      'button',
      {
        type: 'button',
        class: 'button quiet small icon-only',
        'data-remove': point.id,
        'aria-label': `Remove breakpoint: ${words}`,
      },
      icon('x'),
    ),
  )
  mark(item, hits, isHere)
  return item
}

/**
 * What a run changes of a row.
 * @param {HTMLElement} item
 * @param {number} hits
 * @param {boolean} isHere
 */
function mark(item, hits, isHere) {
  item.toggleAttribute('data-here', isHere)
  const badge = find('.badge', item)
  badge.hidden = hits === 0
  badge.textContent = `${hits}×`
  badge.title = `Met ${hits} times in this run`
}
