// @ts-check
// What the canvas shows of one team, as plain data: cards, slots, edges and the sentence of its
// termination.
import { get, isRecord, join } from '../../../core/pointer.js'
import { KIND_NAME, kindOfType, titleOf, typeLabel } from '../../document/catalogue.js'
import { conditionText } from '../../document/conditions.js'
import { isGraph } from '../../document/graph.js'
import { handoffsIn } from '../../document/handoffs.js'
import { operatorWord } from '../../document/slot-targets.js'
import { memberCount, memberSlot, openingAt } from '../../document/views.js'
import { edgesOf, marksOf } from './edge-paths.js'

/**
 * @typedef {import('../../document/catalogue.js').Catalogue} Catalogue
 * @typedef {import('../../document/catalogue.js').Component} Component
 * @typedef {import('../../document/catalogue.js').Kind} Kind
 * @typedef {{ pointer: string, title: string, kind: Kind, type: string, inner: Chip[], innerSlot:
 *   string, opens: string }} Chip  `opens`: what it shows of itself, "" when nothing
 * @typedef {{ pointer: string, slot: string, title: string, count: number }} Opening
 * @typedef {{ pointer: string, field: string, kind: Kind, accepts: string[], many: boolean,
 *   isRequired: boolean, isOptional: boolean, chips: Chip[] }} SlotView
 * @typedef {{ pointer: string, component: Component, name: string, kind: Kind, type: string, text:
 *   string, order: number, slots: SlotView[], opening: Opening | null, isKnown: boolean }} CardView
 * @typedef {import('./edge-paths.js').EdgeView} EdgeView
 * @typedef {import('./edge-paths.js').Mark} Mark
 * @typedef {{ pointer: string, word: 'and' | 'or' | '', text: string, parts: Condition[] }}
 *   Condition
 * @typedef {'order' | 'hub' | 'handoffs' | 'graph'} Flow
 * @typedef {{ pointer: string, team: Component, title: string, type: string, kind: Kind,
 *   isNumbered: boolean, flow: Flow, condition: Condition | null, conditionSlot: string,
 * hub: CardView | null, cards: CardView[], edges: EdgeView[], marks: Mark[], slots: SlotView[],
 *   memberSlot: string }} Scene
 */

/**
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {string} pointer  the team to show
 * @param {(pointer: string) => string} [describe]  the server's words for a condition
 * @returns {Scene}
 */
export function makeScene(catalogue, root, pointer, describe = () => '') {
  const team = get(root, pointer)
  const views = catalogue
    .slotsOf(team)
    .map((slot) => slotView(catalogue, root, team, pointer, slot))
  const members = memberSlot(catalogue, team)
  const cards = members
    ? catalogue
        .filling(team, pointer, members)
        .map((each, index) => cardView(catalogue, root, each.component, each.pointer, index))
    : []
  const isCondition = catalogue.kindOf(team) === 'termination'
  const condition = views.find((slot) => slot.kind === 'termination')
  const stop = isCondition ? pointer : condition?.chips[0]?.pointer
  const flow = flowOf(catalogue, team, views, cards)
  return {
    pointer,
    team,
    title: titleOf(team),
    type: typeLabel(team.provider),
    kind: catalogue.kindOf(team),
    flow,
    cards,
    isNumbered:
      flow === 'order' && catalogue.slotsOf(team).some((slot) => slot === members && slot.many),
    condition:
      stop === undefined ? null : conditionView(catalogue, get(root, stop), stop, describe),
    conditionSlot: condition?.pointer ?? '',
    memberSlot: members ? join(pointer, 'config', members.field) : '',
    hub: flow === 'hub' ? hubView(catalogue, team, pointer, views) : null,
    slots: views.filter(
      (slot) =>
        !['termination', 'agent', 'team'].includes(slot.kind) &&
        !(flow === 'hub' && slot.kind === 'model'),
    ),
    edges: edgesOf(flow, team, pointer, cards),
    marks: marksOf(flow, team, pointer, cards),
  }
}

/**
 * As the catalogue has it; a team that is unknown shows by its config what it is like.
 * @param {Catalogue} catalogue
 * @param {Component} team
 * @param {SlotView[]} slots
 * @param {CardView[]} cards
 * @returns {Flow}
 */
function flowOf(catalogue, team, slots, cards) {
  const drawnAs = catalogue.entry(team)?.drawn_as
  if (isGraph(team.config?.['graph'])) return 'graph'
  if (drawnAs) return drawnAs === 'graph' ? 'order' : drawnAs
  if (catalogue.kindOf(team) === 'team' && slots.some((slot) => slot.kind === 'model')) return 'hub'
  return cards.some((card) => handoffsIn(card.component.config).length > 0) ? 'handoffs' : 'order'
}

/**
 * @param {Catalogue} catalogue
 * @param {Component} team
 * @param {string} pointer
 * @param {SlotView[]} slots
 * @returns {CardView}
 */
function hubView(catalogue, team, pointer, slots) {
  const prompt = team.config?.['selector_prompt']
  return {
    pointer,
    component: team,
    name: catalogue.entry(team)?.led_by || typeLabel(team.provider),
    kind: 'team',
    type: catalogue.entry(team)?.leader_does || 'picks who speaks',
    order: 0,
    opening: null,
    isKnown: true,
    text: typeof prompt === 'string' ? (prompt.trim().split('\n')[0] ?? '') : '',
    slots: slots.filter((slot) => slot.kind === 'model'),
  }
}

/**
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {Component} component
 * @param {string} pointer
 * @param {number} index
 * @returns {CardView}
 */
function cardView(catalogue, root, component, pointer, index) {
  const slots = withoutDoubles(
    catalogue.slotsOf(component).map((slot) => slotView(catalogue, root, component, pointer, slot)),
  )
  const isTeam = catalogue.kindOf(component) === 'team'
  const text = component.config?.['description'] ?? (isTeam ? component.description : '')
  const opening = openingOf(catalogue, root, component, pointer)
  return {
    pointer,
    component,
    name: titleOf(component),
    kind: catalogue.kindOf(component),
    type: typeLabel(component.provider),
    text: typeof text === 'string' ? text : '',
    order: index + 1,
    slots: isTeam ? [] : slots.filter((slot) => slot.pointer !== opening?.slot),
    opening,
    isKnown: catalogue.entry(component) !== undefined,
  }
}

/**
 * The row on a card that opens what is inside.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {Component} component
 * @param {string} pointer
 * @returns {Opening | null}
 */
function openingOf(catalogue, root, component, pointer) {
  const opens = openingAt(catalogue, root, pointer)
  const slot = memberSlot(catalogue, component)
  if (opens === undefined || !slot) return null
  const isInner = opens !== pointer
  return {
    pointer: opens,
    slot: join(pointer, 'config', slot.field),
    title: isInner ? titleOf(get(root, opens)) : '',
    count: memberCount(catalogue, root, opens),
  }
}

/**
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {Component} component
 * @param {string} pointer
 * @param {import('../../document/catalogue.js').Slot} slot
 * @returns {SlotView}
 */
function slotView(catalogue, root, component, pointer, slot) {
  const chips = catalogue
    .filling(component, pointer, slot)
    .map((each) => chipView(catalogue, root, each.component, each.pointer))
  const kinds = slot.accepts.map(kindOfType)
  const kind = kinds.find((each) => each !== 'other') ?? 'other'
  const isMain = kind === 'model' || kind === 'tool'
  const isOptional = isMain
    ? false
    : !slot.required && chips.every(() => isPlain(component.config?.[slot.field]))
  return {
    pointer: join(pointer, 'config', slot.field),
    field: slot.field,
    kind,
    accepts: slot.accepts,
    many: slot.many,
    isRequired: slot.required,
    isOptional,
    chips,
  }
}

/**
 * Whether a component was left as it comes: nothing in its config to tell about.
 * @param {any} value
 */
function isPlain(value) {
  return (
    isRecord(value) && Object.keys(isRecord(value['config']) ? value['config'] : {}).length === 0
  )
}

/**
 * Tools that live in a workbench have no second, empty place beside it: agents take one or the
 * other.
 * @param {SlotView[]} slots
 * @returns {SlotView[]}
 */
function withoutDoubles(slots) {
  const hasWorkbench = slots.some((slot) => slot.chips.some((chip) => chip.innerSlot !== ''))
  return slots.filter((slot) => !hasWorkbench || slot.kind !== 'tool' || slot.chips.length > 0)
}

/**
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {Component} component
 * @param {string} pointer
 * @returns {Chip}
 */
function chipView(catalogue, root, component, pointer) {
  const kind = catalogue.kindOf(component)
  const innerSlot =
    kind === 'workbench' ? catalogue.slotsOf(component).find((slot) => slot.many) : undefined
  const inner = innerSlot
    ? catalogue
        .filling(component, pointer, innerSlot)
        .map((each) => chipView(catalogue, root, each.component, each.pointer))
    : []
  const opens = openingAt(catalogue, root, pointer) ?? ''
  const title =
    innerSlot && titleOf(component) === typeLabel(component.provider)
      ? ''
      : opens
        ? openedTitle(catalogue, component)
        : titleOf(component)
  return {
    pointer,
    kind,
    title,
    type: typeLabel(component.provider),
    inner,
    innerSlot: innerSlot ? join(pointer, 'config', innerSlot.field) : '',
    opens,
  }
}

/**
 * A tool without a name of its own is called as the agent that does its work.
 * @param {Catalogue} catalogue
 * @param {Component} component
 */
function openedTitle(catalogue, component) {
  const slot = memberSlot(catalogue, component)
  const [inner] = slot && !slot.many ? catalogue.filling(component, '', slot) : []
  return inner && titleOf(component) === typeLabel(component.provider)
    ? titleOf(inner.component)
    : titleOf(component)
}

/**
 * @param {Catalogue} catalogue
 * @param {Component} component
 * @param {string} pointer
 * @param {(pointer: string) => string} describe
 * @returns {Condition}
 */
function conditionView(catalogue, component, pointer, describe) {
  const slot = catalogue.slotsOf(component).find((each) => each.many)
  const parts = slot
    ? catalogue
        .filling(component, pointer, slot)
        .map((each) => conditionView(catalogue, each.component, each.pointer, describe))
    : []
  return {
    pointer,
    parts,
    word: slot ? operatorWord(component.provider) : '',
    text: describe(pointer) || conditionText(component),
  }
}

/**
 * "Add a model", said on an empty slot.
 * @param {SlotView} slot
 */
export function slotPrompt(slot) {
  const name = slot.kind === 'other' ? slot.field.replaceAll('_', ' ') : KIND_NAME[slot.kind]
  return slot.many ? `Add ${name}` : `Choose ${name}`
}
