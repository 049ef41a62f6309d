// @ts-check
import { choose } from '../../core/chooser.js'
import { el } from '../../core/dom.js'
import { openMenu } from '../../core/menu.js'
import { ranked } from '../../core/ranking.js'
import { recent, remember } from '../../core/recent.js'
import { KIND_ICON, KIND_NAME, titleOf, typeLabel } from '../document/catalogue.js'
import { modelsInTeam, withTeamModel } from '../document/models.js'
import { isOperator } from '../document/slot-targets.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../document/catalogue.js').Component} Component
 * @typedef {{ group: string, source: string, component: Component, name?: string, about?: string,
 *   section?: Section, isShipped?: boolean }} Offer
 * `isShipped`: a preset that comes with the studio; `name`: where the component does not say it;
 *   `about`: a second line; `section`: under which heading of its kind
 * @typedef {'In this team' | 'Connections' | 'Services' | 'From galleries' | 'Advanced'} Section
 */

const RECENT = 'studio-recent-components'
const MAX_RECENT = 6
/** What a team is mostly made of comes before the rest. */
const KINDS = [
  'agent',
  'model',
  'tool',
  'termination',
  'team',
  'workbench',
  'memory',
  'context',
  'executor',
  'other',
]

/**
 * The headings of a kind that has several, in their order.
 * @type {Section[]}
 */
const SECTIONS = ['In this team', 'Connections', 'Services', 'From galleries', 'Advanced']

/**
 * What palette and picker offer; filled once the galleries have come.
 * @type {Offer[]}
 */
export const offers = []

/** Fires `change` once the galleries have come. */
export const library = Object.assign(new EventTarget(), { isHere: false })

/** Nothing more will come. */
export function libraryLoaded() {
  library.isHere = true
  library.dispatchEvent(new Event('change'))
}

/**
 * What an offer is found by beside its name.
 * @param {Editor} editor
 * @param {Offer} offer
 */
function wordsOf(editor, { component, about }) {
  return [
    editor.catalogue.kindOf(component),
    typeLabel(component.provider),
    about,
    component.provider,
    component.description,
    editor.catalogue.entry(component)?.keywords,
  ]
    .filter(Boolean)
    .join(' ')
}

/**
 * @param {Editor} editor
 * @param {Offer} offer
 * @param {string} query
 */
export function matches(editor, offer, query) {
  const text = `${nameOf(offer)} ${wordsOf(editor, offer)}`.toLowerCase()
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

/**
 * Which of the names found is meant: the very one that was typed, else the first.
 * @param {string[]} names
 * @param {string} query
 */
export function exactFirst(names, query) {
  const exact = names.findIndex((name) => name.toLowerCase() === query.trim().toLowerCase())
  return Math.max(0, exact)
}

/**
 * The kind of a new component whose name others have too, such as "agent" and "model" for OpenAI;
 * else "".
 * @param {Editor} editor
 * @param {Offer} offer
 */
export function kindBeside(editor, offer) {
  const name = typeLabel(offer.component.provider)
  const same = offers.filter(
    (each) => each.source === 'New' && typeLabel(each.component.provider) === name,
  )
  return same.length > 1 ? KIND_NAME[editor.catalogue.kindOf(offer.component)] : ''
}

/**
 * What an offer is called.
 * @param {Offer} offer
 */
export function nameOf(offer) {
  return (
    offer.name ??
    (offer.source === 'New' ? typeLabel(offer.component.provider) : titleOf(offer.component))
  )
}

/** @param {Component} component */
function keyOf(component) {
  return `${component.provider} ${titleOf(component)}`
}

/**
 * Ask for one of all components that `fits`: those used last come first, then what a team is mostly
 * made of.
 * @param {Editor} editor
 * @param {(component: Component) => boolean} fits
 * @param {string} title
 * @param {{ at?: { x: number, y: number }, takesPaste?: (text: string) => boolean }} [options]
 *   `at`: where the search appears;
 *   `takesPaste`: what to do with JSON that is pasted in place of a name
 * @returns {Promise<Component | undefined>}
 */
export async function pickComponent(editor, fits, title, { at, takesPaste } = {}) {
  const last = recent(RECENT)
  const place = (/** @type {Offer} */ offer) => {
    const used = offer.section ? -1 : last.indexOf(keyOf(offer.component))
    const kind = KINDS.indexOf(editor.catalogue.kindOf(offer.component))
    const within = offer.section
      ? SECTIONS.indexOf(offer.section) / SECTIONS.length
      : offer.source !== 'New'
        ? 0
        : isOperator(editor.catalogue, offer.component)
          ? 2
          : 1
    return used >= 0 ? used - MAX_RECENT : kind * 3 + within
  }
  const inTeam = modelsInTeam(editor.catalogue, editor.root).map(
    ({ component, users }) =>
      /** @type {Offer} */ ({
        group: 'models',
        source: '',
        component,
        section: 'In this team',
        about: `Used by ${users.join(', ')}`,
      }),
  )
  const fittingNow = () =>
    [...inTeam, ...offers]
      .filter((offer) => fits(offer.component))
      .toSorted((a, b) => place(a) - place(b))
  let [found, made] = [fittingNow(), offers.length]
  const optionsNow = () =>
    found.map((offer, index) =>
      optionOf(
        editor,
        offer,
        index,
        place(offer) < 0,
        found.every((each) => each.section),
      ),
    )
  let options = optionsNow()
  const fitting = () => {
    if (made === offers.length) return options
    ;[found, made] = [fittingNow(), offers.length]
    options = optionsNow()
    return options
  }
  const chosen = await choose({
    title,
    placeholder: title,
    changes: library,
    ...(at ? { at } : {}),
    ...(takesPaste
      ? { takesPaste, hints: [el('span', {}, 'Or paste the JSON of a component.')] }
      : {}),
    find: (query) =>
      query === ''
        ? fitting()
        : ranked(query, fitting(), (each) => ({ label: each.label, aside: each.aside })).map(
            (each) => ({ ...each, group: '' }),
          ),
    none: () =>
      !library.isHere
        ? 'Searching galleries…'
        : fitting().length === 0
          ? 'Nothing in the palette fits here.'
          : 'Nothing found.',
  })
  const component = chosen && found[Number(chosen.id)]?.component
  if (component) remember(RECENT, keyOf(component), MAX_RECENT)
  return component && withTeamModel(editor.catalogue, editor.root, component)
}

/**
 * @param {Editor} editor
 * @param {Offer} offer
 * @param {number} index
 * @param {boolean} isRecent
 * @param {boolean} hasSections  whether all that is offered stands under such headings
 */
function optionOf(editor, offer, index, isRecent, hasSections) {
  const kind = editor.catalogue.kindOf(offer.component)
  const group = KIND_NAME[kind]
  const isUnder = offer.section && (hasSections || offer.section === 'Advanced')
  return {
    id: String(index),
    label: nameOf(offer),
    about: offer.about ?? offer.component.description?.trim().split('\n')[0] ?? '',
    icon: KIND_ICON[kind],
    kind,
    detail:
      offer.section || offer.isShipped
        ? ''
        : offer.source === 'New'
          ? kindBeside(editor, offer)
          : offer.source,
    group: isRecent
      ? 'Recently used'
      : isUnder && offer.section
        ? offer.section
        : `${group[0]?.toUpperCase()}${group.slice(1)}${group.endsWith('memory') ? '' : 's'}`,
    aside: wordsOf(editor, offer),
  }
}

/**
 * One question with a few answers, at a place of the window.
 * @param {string} question
 * @param {string[]} labels
 * @param {{ x: number, y: number }} [at]
 * @returns {Promise<number>} -1 when it was left
 */
export async function chooseFrom(
  question,
  labels,
  at = { x: innerWidth / 2 - 110, y: innerHeight / 3 },
) {
  // A menu that opens while the button goes up would be taken for one that was clicked away.
  await new Promise((resolve) => setTimeout(resolve))
  return new Promise((resolve) =>
    openMenu(
      question,
      labels.map((label, index) => ({ label, run: () => resolve(index) })),
      at,
      { isTitled: true, left: () => resolve(-1) },
    ),
  )
}
