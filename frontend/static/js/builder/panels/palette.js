// @ts-check
import { api } from '../../core/api.js'
import { announce, el, on } from '../../core/dom.js'
import { toastError } from '../../core/toast.js'
import { placeNear } from '../actions.js'
import { titleOf, typeLabel } from '../document/catalogue.js'
import { addModelOffers } from './model-offers.js'
import { withTeamModel } from '../document/models.js'
import { isOperator } from '../document/slot-targets.js'
import { kindIcon } from '../canvas/draw/cards.js'
import {
  exactFirst,
  kindBeside,
  libraryLoaded,
  matches,
  nameOf,
  offers,
} from './component-picker.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('./component-picker.js').Offer} Offer
 */

const GROUPS = [
  ['agents', 'Agents'],
  ['models', 'Models'],
  ['tools', 'Tools'],
  ['workbenches', 'Workbenches'],
  ['terminations', 'Terminations'],
  ['teams', 'Teams'],
  ['memories', 'Memory'],
  ['contexts', 'Contexts'],
  ['executors', 'Code executors'],
  ['other', 'Other'],
]
/** Groups that few teams need start folded. */
const FOLDED = new Set(['workbenches', 'memories', 'contexts', 'executors', 'other'])
/** The group in which presets of the studio stand for their classes, which come last. */
const WITH_PRESETS = 'terminations'

/**
 * @param {HTMLElement} root  holds a search field and `[data-palette-list]`
 * @param {Editor} editor
 * @param {import('./model-offers.js').Models} models
 * @param {AbortSignal} signal
 */
export function palette(root, editor, models, signal) {
  const list = /** @type {HTMLElement} */ (root.querySelector('[data-palette-list]'))
  const input = /** @type {HTMLInputElement} */ (root.querySelector('input[type=search]'))
  const folded = new Set(FOLDED)
  const show = () => {
    list.replaceChildren(
      ...GROUPS.flatMap(([group = '', name = '']) =>
        section(editor, group, name, input.value.trim(), folded),
      ),
    )
    reachByTab(list, list.querySelector('summary'))
  }
  addModelOffers(editor.catalogue, models)
  show()
  list.setAttribute('aria-busy', 'true')
  void loadGalleries(editor).then(() => {
    list.removeAttribute('aria-busy')
    show()
    libraryLoaded()
  })
  input.addEventListener(
    'input',
    () => {
      show()
      const count = list.querySelectorAll('[data-offer]').length
      if (input.value.trim() !== '') announce(count === 0 ? 'Nothing found.' : `${count} found.`)
    },
    { signal },
  )
  list.addEventListener('focusin', (event) => reachByTab(list, event.target), { signal })
  input.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'ArrowDown' && event.key !== 'Enter') return
      event.preventDefault()
      const found = /** @type {HTMLElement[]} */ ([...list.querySelectorAll('[data-offer]')])
      if (event.key === 'Enter')
        found[
          exactFirst(
            found.map((each) => each.dataset['name'] ?? ''),
            input.value,
          )
        ]?.click()
      else found[0]?.focus()
    },
    { signal },
  )
  list.addEventListener(
    'toggle',
    (event) => {
      const details = event.target instanceof HTMLDetailsElement ? event.target : null
      if (!details || input.value) return
      folded[details.open ? 'delete' : 'add'](details.dataset['group'] ?? '')
      stops()
    },
    { capture: true, signal },
  )
  const stops = oneStop(list, signal)
  new MutationObserver(stops).observe(list, { childList: true })
  stops()
  on(list, 'click', '[data-offer]', (_event, button) => add(editor, button), signal)
  list.addEventListener('keydown', (event) => moveFocus(event, list, input), { signal })
}

/**
 * What the palette item stands for, as this team gets it.
 * @param {Editor} editor
 * @param {HTMLElement} button
 */
export function offerOf(editor, button) {
  const offer = offers[Number(button.dataset['offer'])]
  return offer && withTeamModel(editor.catalogue, editor.root, offer.component)
}

/**
 * @param {Editor} editor
 * @param {HTMLElement} button
 */
function add(editor, button) {
  const component = offerOf(editor, button)
  const rect = button.getBoundingClientRect()
  const before = editor.root
  if (component)
    void placeNear(editor, component, { at: { x: rect.right + 6, y: rect.top } }).then(() => {
      if (editor.root !== before)
        button
          .closest('[data-side]')
          ?.dispatchEvent(new CustomEvent('palette:added', { bubbles: true }))
    })
}

/**
 * @param {Editor} editor
 * @param {string} group
 * @param {string} name
 * @param {string} query
 * @param {Set<string>} folded
 */
function section(editor, group, name, query, folded) {
  const found = offers
    .map((offer, index) => ({ offer, index }))
    .filter(({ offer }) => offer.group === group && (!query || matches(editor, offer, query)))
  if (found.length === 0) return []
  const made = found.filter(({ offer }) => offer.source !== 'New')
  const fresh = found
    .filter(({ offer }) => offer.source === 'New')
    .toSorted(
      (a, b) =>
        Number(isOperator(editor.catalogue, a.offer.component)) -
        Number(isOperator(editor.catalogue, b.offer.component)),
    )
  const items = (/** @type {typeof found} */ some) =>
    some.map(({ offer, index }) => item(editor, offer, index))
  const heading =
    made.length > 0 &&
    fresh.length > 0 &&
    el(
      'p',
      { class: 'palette-new' },
      fresh.every(({ offer }) => offer.section === 'Advanced') ? 'Advanced' : 'New',
    )
  const summary = el(
    'summary',
    { class: 'palette-group', tabindex: '-1' },
    el('span', { class: 'overline' }, name),
    el('span', { class: 'count' }, found.length),
  )
  return [
    el(
      'details',
      { 'data-group': group, open: query !== '' || !folded.has(group) },
      summary,
      el('div', { class: 'palette-items' }, ...items(made), heading, ...items(fresh)),
    ),
  ]
}

/**
 * @param {Editor} editor
 * @param {Offer} offer
 * @param {number} index
 */
function item(editor, offer, index) {
  const type = typeLabel(offer.component.provider)
  const title = nameOf(offer)
  const isNew = offer.source === 'New' || offer.section === 'Services'
  const detail =
    offer.source === 'New' ? kindBeside(editor, offer) : offer.isShipped ? '' : offer.source
  const kind = editor.catalogue.kindOf(offer.component)
  return el(
    'button',
    {
      type: 'button',
      class: 'palette-item',
      tabindex: '-1',
      'data-offer': index,
      'data-kind': kind,
      'data-new': isNew,
      'data-name': title,
      title: [
        title,
        offer.about ?? offer.component.description?.trim().split('\n')[0],
        isNew ? offer.component.provider : `${type}, from ${offer.source}`,
      ]
        .filter(Boolean)
        .join('\n'),
    },
    kindIcon(kind),
    el('span', { class: 'truncate' }, title),
    detail && el('span', { class: 'palette-detail truncate' }, detail),
  )
}

/** @typedef {{ id: string, origin: string, counts: Record<string, number> }} Listed  a gallery */

/**
 * Whole teams for a job have a page of their own; they are no parts to build with.
 * @param {Listed} gallery
 */
function holdsReadyTeams({ origin, counts }) {
  return origin === 'shipped' && Object.keys(counts).every((group) => group === 'teams')
}

/** @param {Editor} editor */
async function loadGalleries(editor) {
  try {
    const listed = /** @type {Listed[]} */ (await api.get('/api/galleries'))
    const galleries = listed
      .filter((gallery) => !holdsReadyTeams(gallery))
      .toSorted((a, b) => Number(b.origin === 'shipped') - Number(a.origin === 'shipped'))
    const full = await Promise.all(
      galleries.map(async ({ id, origin }) => ({
        ...(await api.get(`/api/galleries/${encodeURIComponent(id)}`)),
        isShipped: origin === 'shipped',
      })),
    )
    const seen = new Set(
      offers.filter(({ group }) => group !== WITH_PRESETS).map((offer) => keyOf(offer.component)),
    )
    for (const gallery of full)
      for (const component of Object.values(gallery.components ?? {}).flat())
        addOffer(editor, gallery, component, seen)
  } catch (error) {
    toastError(error)
  }
}

/**
 * The same thing under the same name is offered once.
 * @param {import('../document/catalogue.js').Component} component
 */
function keyOf(component) {
  return JSON.stringify([titleOf(component), component.provider, component.config])
}

/**
 * @param {Editor} editor
 * @param {{ name: string, isShipped: boolean }} gallery
 * @param {import('../document/catalogue.js').Component} component
 * @param {Set<string>} seen
 */
function addOffer(editor, { name: source, isShipped }, component, seen) {
  const key = keyOf(component)
  if (seen.has(key)) return
  seen.add(key)
  const kind = editor.catalogue.kindOf(component)
  const group =
    { memory: 'memories', workbench: 'workbenches', other: 'other' }[
      /** @type {string} */ (kind)
    ] ?? `${kind}s`
  for (const each of offers)
    if (
      isShipped &&
      group === WITH_PRESETS &&
      each.source === 'New' &&
      each.component.provider === component.provider
    )
      each.section = 'Advanced'
  offers.push({
    group,
    source,
    component,
    isShipped,
    ...(kind === 'model'
      ? {
          section: /** @type {const} */ ('From galleries'),
          about: [component.description?.trim().split('\n')[0], source].filter(Boolean).join(' · '),
        }
      : {}),
  })
}

/**
 * The list is one stop of the Tab key, at what was last focused in it; arrow keys move inside.
 * @param {HTMLElement} list
 * @param {EventTarget | null} chosen
 */
function reachByTab(list, chosen) {
  for (const each of /** @type {NodeListOf<HTMLElement>} */ (
    list.querySelectorAll('summary, [data-offer]')
  ))
    each.tabIndex = each === chosen ? 0 : -1
}

/**
 * The list is one stop of the Tab key, where one was last; the arrow keys move in it.
 * @param {HTMLElement} list
 * @param {AbortSignal} signal
 * @returns {() => void} to be called when there are others
 */
function oneStop(list, signal) {
  let last = ''
  const nameOf = (/** @type {HTMLElement} */ each) =>
    each.dataset['offer'] ?? each.parentElement?.dataset['group'] ?? ''
  const mark = () => {
    const all = /** @type {HTMLElement[]} */ ([...list.querySelectorAll('summary, [data-offer]')])
    const seen = all.filter((each) => each.matches('summary, details[open] *'))
    const stop = seen.find((each) => nameOf(each) === last) ?? seen[0]
    for (const each of all) each.tabIndex = each === stop ? 0 : -1
  }
  on(
    list,
    'focusin',
    'summary, [data-offer]',
    (_event, here) => {
      last = nameOf(here)
      mark()
    },
    signal,
  )
  return mark
}

/**
 * @param {KeyboardEvent} event
 * @param {HTMLElement} list
 * @param {HTMLInputElement} input
 */
function moveFocus(event, list, input) {
  const last = { Home: 0, End: -1 }[event.key]
  if (last === undefined && event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const items = /** @type {HTMLElement[]} */ ([
    ...list.querySelectorAll('summary, details[open] [data-offer]'),
  ])
  const here = items.indexOf(/** @type {HTMLElement} */ (document.activeElement))
  if (here < 0) return
  event.preventDefault()
  const next =
    last === undefined ? items[here + (event.key === 'ArrowDown' ? 1 : -1)] : items.at(last)
  if (next) next.focus()
  else if (event.key === 'ArrowUp') input.focus()
}
