// @ts-check
import { choose } from '../../core/chooser.js'
import { el } from '../../core/dom.js'
import { placeMenu } from '../../core/menu.js'
import { ranked } from '../../core/ranking.js'
import { KIND_ICON, KIND_NAME, titleOf, typeLabel } from '../document/catalogue.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../document/catalogue.js').Component} Component
 * @typedef {{ group: string, source: string, component: Component }} Offer
 */

const RECENT = 'studio-recent-components'
const MOST_RECENT = 6
/** What a team is mostly made of comes before the rest. */
const KINDS = ['agent', 'model', 'tool', 'termination', 'team', 'workbench', 'memory', 'context', 'executor', 'other']

/** What palette and picker offer; filled once the galleries have come. @type {Offer[]} */
export const offers = []

/** @param {Editor} editor @param {Offer} offer @param {string} query */
export function matches(editor, offer, query) {
  const text = `${titleOf(offer.component)} ${offer.component.provider} ${offer.component.description ?? ''} ${editor.catalogue.kindOf(offer.component)}`.toLowerCase()
  return query.toLowerCase().split(/\s+/).every((word) => text.includes(word))
}

/** Which of the names found is meant: the very one that was typed, else the first. @param {string[]} names @param {string} query */
export function exactFirst(names, query) {
  const exact = names.findIndex((name) => name.toLowerCase() === query.trim().toLowerCase())
  return Math.max(0, exact)
}

/** @param {Component} component */
function keyOf(component) {
  return `${component.provider} ${titleOf(component)}`
}

/** @returns {string[]} newest first */
function recent() {
  try {
    const kept = JSON.parse(localStorage.getItem(RECENT) ?? '[]')
    return Array.isArray(kept) ? kept.filter((each) => typeof each === 'string') : []
  } catch {
    return []
  }
}

/** The next search shows it first. @param {Component} component */
export function remember(component) {
  const key = keyOf(component)
  localStorage.setItem(RECENT, JSON.stringify([key, ...recent().filter((each) => each !== key)].slice(0, MOST_RECENT)))
}

/**
 * Ask for one of all components that `fits`: those used last come first, then what a team is mostly made of.
 * @param {Editor} editor @param {(component: Component) => boolean} fits @param {string} title
 * @param {{ at?: { x: number, y: number }, takesPaste?: (text: string) => boolean }} [options]  `at`: where the search appears;
 *   `takesPaste`: what to do with JSON that is pasted in place of a name
 * @returns {Promise<Component | undefined>}
 */
export async function pickComponent(editor, fits, title, { at, takesPaste } = {}) {
  const fitting = offers.map((offer, index) => ({ offer, index })).filter(({ offer }) => fits(offer.component))
  const last = recent()
  const place = (/** @type {Offer} */ offer) => {
    const used = last.indexOf(keyOf(offer.component))
    const kind = KINDS.indexOf(editor.catalogue.kindOf(offer.component))
    return used >= 0 ? used - MOST_RECENT : kind * 2 + Number(offer.source !== 'New')
  }
  const options = fitting.toSorted((a, b) => place(a.offer) - place(b.offer)).map(({ offer, index }) => optionOf(editor, offer, index, place(offer) < 0))
  const chosen = await choose({
    title, placeholder: title, ...(at ? { at } : {}), ...(takesPaste ? { takesPaste, hints: [el('span', {}, 'Or paste the JSON of a component.')] } : {}),
    find: (query) => (query === '' ? options : ranked(query, options, (each) => ({ label: each.label, aside: each.aside })).map((each) => ({ ...each, group: '' }))),
    none: () => (fitting.length === 0 ? 'Nothing in the palette fits here.' : 'Nothing found.'),
  })
  const component = chosen && offers[Number(chosen.id)]?.component
  if (component) remember(component)
  return component
}

/** @param {Editor} editor @param {Offer} offer @param {number} index @param {boolean} isRecent */
function optionOf(editor, offer, index, isRecent) {
  const kind = editor.catalogue.kindOf(offer.component)
  const type = typeLabel(offer.component.provider)
  const label = offer.source === 'New' ? type : titleOf(offer.component)
  const group = KIND_NAME[kind]
  return {
    id: String(index), label, detail: offer.source === 'New' ? '' : offer.source, icon: KIND_ICON[kind], kind,
    group: isRecent ? 'Used last' : `${group[0]?.toUpperCase()}${group.slice(1)}${group.endsWith('memory') ? '' : 's'}`,
    aside: `${kind} ${type} ${offer.component.provider} ${offer.component.description ?? ''}`,
  }
}

/**
 * One question with a few answers, at a place of the window.
 * @param {string} question @param {string[]} labels @param {{ x: number, y: number }} [at]
 * @returns {Promise<number>} -1 when it was left
 */
export async function chooseFrom(question, labels, at = { x: innerWidth / 2 - 110, y: innerHeight / 3 }) {
  let chosen = -1
  const menu = el('div', { class: 'menu', popover: 'auto', role: 'menu', 'aria-label': question }, el('div', { class: 'menu-label' }, question))
  labels.forEach((label, index) => menu.append(el('button', { class: 'menu-item', type: 'button', role: 'menuitem', on: { click: () => { chosen = index } } }, label)))
  document.body.append(menu)
  // A popover that opens while the button goes up would be taken for one that was clicked away.
  await new Promise((resolve) => setTimeout(resolve))
  menu.showPopover()
  placeMenu(menu, { left: at.x, right: at.x, top: at.y, bottom: at.y })
  return new Promise((resolve) => menu.addEventListener('toggle', (event) => {
    if (event.newState === 'open') return
    menu.remove()
    resolve(chosen)
  }))
}
