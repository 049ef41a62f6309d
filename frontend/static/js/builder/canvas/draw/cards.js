// @ts-check
import { el, icon } from '../../../core/dom.js'
import { KIND_ICON } from '../../document/catalogue.js'
import { slotPrompt } from './scene.js'

/**
 * @typedef {import('./scene.js').CardView} CardView
 * @typedef {import('./scene.js').SlotView} SlotView
 * @typedef {import('./scene.js').Chip} Chip
 * @typedef {import('../../document/catalogue.js').Kind} Kind
 */

/** @param {Kind} kind */
export function kindIcon(kind) {
  const node = icon(KIND_ICON[kind])
  node.classList.add('kind-icon')
  return node
}

/**
 * One card: who it is, what it is for, what fills its slots.
 * @param {CardView} card
 * @param {{ isNumbered: boolean, isHub?: boolean }} options
 */
export function makeCard(card, { isNumbered, isHub = false }) {
  const isNested = card.opening !== null
  const node = el('div', {
    class: 'node',
    tabindex: '-1',
    role: 'group',
    'aria-roledescription': isHub ? 'selector' : card.kind,
    'data-kind': card.kind,
    'data-hub': isHub,
    'data-nested': isNested && card.kind === 'team',
    'data-unknown': !card.isKnown,
    'aria-label': [
      card.name,
      card.type,
      card.opening ? participantsInWords(card.opening.count) : '',
    ]
      .filter(Boolean)
      .join(', '),
    ...(isHub
      ? { 'data-component': card.pointer }
      : { 'data-component': card.pointer, 'data-drag': card.pointer, 'data-card': card.pointer }),
  })
  const head = el(
    'header',
    { class: 'node-head' },
    isNumbered && el('span', { class: 'node-order' }, card.order),
    kindIcon(isHub ? 'agent' : card.kind),
    el('span', { class: 'node-name truncate', title: card.name }, ...breakable(card.name)),
    el('span', { class: 'node-type truncate' }, card.type),
    !isHub &&
      el('span', {
        class: 'badge node-problems',
        'data-state': 'error',
        'data-problems-within': card.pointer,
        hidden: true,
      }),
    !isHub &&
      el('span', { class: 'import-mark', 'data-imported-within': card.pointer, hidden: true }),
  )
  node.append(head)
  if (card.text) node.append(el('p', { class: 'node-text' }, card.text))
  if (!card.isKnown)
    node.append(
      el(
        'p',
        { class: 'node-unknown' },
        icon('circle-help'),
        'Unknown component: kept, but cannot run',
      ),
    )
  if (card.opening) node.append(openingRow(card.opening))
  // Places that few need come up while something is dragged that fits there.
  const slots = card.slots.filter((slot) => !slot.isOptional).map(makeSlot)
  if (slots.length > 0) node.append(el('div', { class: 'node-slots' }, ...slots))
  return node
}

/**
 * Where only names are shown, a long one goes on in a second line behind a low line.
 * @param {string} name
 */
function breakable(name) {
  return name
    .split(/(?<=_)/)
    .flatMap((part, index) => (index > 0 ? [document.createElement('wbr'), part] : [part]))
}

/**
 * What opens in place: the members of a nested team, the team that an agent thinks with.
 * @param {import('./scene.js').Opening} opening
 */
function openingRow({ pointer, slot, title, count }) {
  return el(
    'button',
    {
      type: 'button',
      class: 'node-open',
      'data-open': pointer,
      'data-drop': slot,
      'data-kind': 'team',
      tabindex: '-1',
    },
    el(
      'span',
      { class: 'truncate' },
      title ? `${title} · ${participantsInWords(count)}` : participantsInWords(count),
    ),
    el('span', { class: 'node-open-go' }, 'Open', icon('arrow-right')),
  )
}

/** @param {number} count */
const participantsInWords = (count) => `${count} ${count === 1 ? 'participant' : 'participants'}`

/** @param {SlotView} slot */
export function makeSlot(slot) {
  const isEmpty = slot.chips.length === 0
  return el(
    'div',
    {
      class: 'slot',
      'data-drop': slot.pointer,
      'data-kind': slot.kind,
      'data-empty': isEmpty,
      'data-optional': slot.isOptional,
      'data-missing': isEmpty && slot.isRequired,
    },
    ...slot.chips.map(makeChip),
    isEmpty
      ? el(
          'button',
          { type: 'button', class: 'slot-add', 'data-fill': slot.pointer, tabindex: '-1' },
          icon('plus'),
          el('span', {}, slotPrompt(slot)),
        )
      : slot.many &&
          slot.chips.every((chip) => chip.innerSlot === '') &&
          oneMore(slot.pointer, slotPrompt(slot)),
  )
}

/**
 * The small button behind the last of several.
 * @param {string} slot
 * @param {string} prompt
 */
function oneMore(slot, prompt) {
  return el(
    'button',
    {
      type: 'button',
      class: 'slot-add slot-more',
      'data-fill': slot,
      tabindex: '-1',
      'aria-label': prompt,
      title: prompt,
    },
    icon('plus'),
  )
}

/**
 * @param {Chip} chip
 * @returns {HTMLElement}
 */
function makeChip(chip) {
  const button = el(
    'button',
    {
      type: 'button',
      class: 'chip',
      'data-kind': chip.kind,
      'data-component': chip.pointer,
      'data-drag': chip.pointer,
      tabindex: '-1',
      title: chip.type === chip.title || !chip.title ? chip.type : `${chip.title} · ${chip.type}`,
      'aria-label': chip.title ? null : chip.type,
    },
    icon(KIND_ICON[chip.kind]),
    chip.title && el('span', {}, chip.title),
    el('span', { class: 'chip-problem', 'data-problems-within': chip.pointer, hidden: true }),
  )
  if (chip.opens)
    return el(
      'span',
      { class: 'chip-pair' },
      button,
      el(
        'button',
        {
          type: 'button',
          class: 'chip-open',
          'data-open': chip.opens,
          tabindex: '-1',
          'aria-label': `Open ${chip.title}`,
          title: `Open ${chip.title}`,
        },
        icon('arrow-right'),
      ),
    )
  if (!chip.innerSlot) return button
  return el(
    'span',
    { class: 'chip-box', 'data-kind': chip.kind, 'data-drop': chip.innerSlot },
    button,
    ...chip.inner.map(makeChip),
    chip.inner.length === 0
      ? el(
          'button',
          { type: 'button', class: 'slot-add', 'data-fill': chip.innerSlot, tabindex: '-1' },
          icon('plus'),
          el('span', {}, 'Add tool'),
        )
      : oneMore(chip.innerSlot, 'Add tool'),
  )
}
