// @ts-check
// What the canvas shows of one team, as plain data: cards, slots, edges and the sentence of its termination.
import { get, join } from '../../core/pointer.js'
import { isComponent, KIND_NAME, kindOfType, titleOf, typeLabel } from '../document/catalogue.js'
import { jointWord } from '../document/places.js'

/**
 * @typedef {import('../document/catalogue.js').Catalogue} Catalogue
 * @typedef {import('../document/catalogue.js').Component} Component
 * @typedef {import('../document/catalogue.js').Kind} Kind
 * @typedef {{ pointer: string, title: string, kind: Kind, type: string, inner: Chip[], innerSlot: string }} Chip
 * @typedef {{ pointer: string, field: string, kind: Kind, accepts: string[], many: boolean, isRequired: boolean, isOptional: boolean, chips: Chip[] }} SlotView
 * @typedef {{ pointer: string, component: Component, name: string, kind: Kind, type: string, text: string, order: number, slots: SlotView[], memberCount: number, isKnown: boolean }} CardView
 * @typedef {{ from: number, to: number, label: string, kind: 'next' | 'loop' | 'ask' | 'handoff' | 'graph' }} EdgeView  -1 is the hub
 * @typedef {{ pointer: string, word: 'and' | 'or' | '', text: string, parts: Condition[] }} Condition
 * @typedef {'order' | 'hub' | 'handoffs' | 'graph'} Flow
 * @typedef {{ pointer: string, team: Component, title: string, type: string, flow: Flow, condition: Condition | null, conditionSlot: string,
 *   hub: CardView | null, cards: CardView[], edges: EdgeView[], slots: SlotView[], memberSlot: string }} Scene
 */

/**
 * @param {Catalogue} catalogue @param {Component} root @param {string} pointer  the team to show
 * @param {(pointer: string) => string} [describe]  the server's words for a condition
 * @returns {Scene}
 */
export function makeScene(catalogue, root, pointer, describe = () => '') {
  const team = get(root, pointer)
  const slots = catalogue.slotsOf(team)
  const views = slots.map((slot) => slotView(catalogue, team, pointer, slot))
  const members = slots.find((slot) => slot.many && slot.accepts.some((type) => ['agent', 'team'].includes(type)))
  const cards = members ? catalogue.filling(team, pointer, members).map((each, index) => cardView(catalogue, each.component, each.pointer, index)) : []
  const condition = views.find((slot) => slot.kind === 'termination')
  const flow = flowOf(team, views, cards)
  return {
    pointer, team, title: titleOf(team), type: typeLabel(team.provider), flow, cards,
    condition: condition?.chips[0] ? conditionView(catalogue, get(root, condition.chips[0].pointer), condition.chips[0].pointer, describe) : null,
    conditionSlot: condition?.pointer ?? '',
    memberSlot: members ? join(pointer, 'config', members.field) : '',
    hub: flow === 'hub' ? hubView(team, pointer, views) : null,
    slots: views.filter((slot) => !['termination', 'agent', 'team'].includes(slot.kind) && !(flow === 'hub' && slot.kind === 'model')),
    edges: edgesOf(flow, team, cards),
  }
}

/** @param {Component} team @param {SlotView[]} slots @param {CardView[]} cards @returns {Flow} */
function flowOf(team, slots, cards) {
  if (isRecord(team.config?.['graph']) && isRecord(team.config['graph']['nodes'])) return 'graph'
  if (slots.some((slot) => slot.kind === 'model')) return 'hub'
  return cards.some((card) => handoffsOf(card.component).length > 0) ? 'handoffs' : 'order'
}

/** @param {Component} team @param {string} pointer @param {SlotView[]} slots @returns {CardView} */
function hubView(team, pointer, slots) {
  const prompt = team.config?.['selector_prompt']
  return {
    pointer, component: team, name: typeLabel(team.provider), kind: 'team', type: 'picks who speaks', order: 0, memberCount: 0, isKnown: true,
    text: typeof prompt === 'string' ? (prompt.trim().split('\n')[0] ?? '') : '', slots: slots.filter((slot) => slot.kind === 'model'),
  }
}

/** @param {Catalogue} catalogue @param {Component} component @param {string} pointer @param {number} index @returns {CardView} */
function cardView(catalogue, component, pointer, index) {
  const slots = withoutDoubles(catalogue.slotsOf(component).map((slot) => slotView(catalogue, component, pointer, slot)))
  const isTeam = catalogue.kindOf(component) === 'team'
  const members = slots.find((slot) => slot.kind === 'agent')
  const text = component.config?.['description'] ?? (isTeam ? component.description : '')
  return {
    pointer, component, name: titleOf(component), kind: catalogue.kindOf(component), type: typeLabel(component.provider),
    text: typeof text === 'string' ? text : '', order: index + 1, slots: isTeam ? [] : slots,
    memberCount: members ? members.chips.length : 0, isKnown: catalogue.entry(component) !== undefined,
  }
}

/** @param {Catalogue} catalogue @param {Component} component @param {string} pointer @param {import('../document/catalogue.js').Slot} slot @returns {SlotView} */
function slotView(catalogue, component, pointer, slot) {
  const chips = catalogue.filling(component, pointer, slot).map((each) => chipView(catalogue, each.component, each.pointer))
  const kinds = slot.accepts.map(kindOfType)
  const kind = kinds.find((each) => each !== 'other') ?? 'other'
  const isMain = kind === 'model' || kind === 'tool'
  const isOptional = isMain ? false : !slot.required && chips.every(() => isPlain(component.config?.[slot.field]))
  return { pointer: join(pointer, 'config', slot.field), field: slot.field, kind, accepts: slot.accepts, many: slot.many, isRequired: slot.required, isOptional, chips }
}

/** Whether a component was left as it comes: nothing in its config to tell about. @param {any} value */
function isPlain(value) {
  return isRecord(value) && Object.keys(isRecord(value['config']) ? value['config'] : {}).length === 0
}

/** Tools that live in a workbench have no second, empty place beside it: agents take one or the other. @param {SlotView[]} slots @returns {SlotView[]} */
function withoutDoubles(slots) {
  const hasWorkbench = slots.some((slot) => slot.chips.some((chip) => chip.innerSlot !== ''))
  return slots.filter((slot) => !hasWorkbench || slot.kind !== 'tool' || slot.chips.length > 0)
}

/** @param {Catalogue} catalogue @param {Component} component @param {string} pointer @returns {Chip} */
function chipView(catalogue, component, pointer) {
  const kind = catalogue.kindOf(component)
  const innerSlot = kind === 'workbench' ? catalogue.slotsOf(component).find((slot) => slot.many) : undefined
  const inner = innerSlot ? catalogue.filling(component, pointer, innerSlot).map((each) => chipView(catalogue, each.component, each.pointer)) : []
  return { pointer, kind, title: innerSlot && titleOf(component) === typeLabel(component.provider) ? '' : titleOf(component), type: typeLabel(component.provider), inner, innerSlot: innerSlot ? join(pointer, 'config', innerSlot.field) : '' }
}

/** @param {Catalogue} catalogue @param {Component} component @param {string} pointer @param {(pointer: string) => string} describe @returns {Condition} */
function conditionView(catalogue, component, pointer, describe) {
  const slot = catalogue.slotsOf(component).find((each) => each.many)
  const parts = slot ? catalogue.filling(component, pointer, slot).map((each) => conditionView(catalogue, each.component, each.pointer, describe)) : []
  return { pointer, parts, word: slot ? jointWord(component.provider) : '', text: describe(pointer) || conditionText(component) }
}

/** A condition in words made of its values, until the server's own are there. @param {Component} component */
export function conditionText(component) {
  const values = Object.values(component.config ?? {}).map((value) => {
    if (typeof value === 'string') return `“${value}”`
    if (typeof value === 'number') return String(value)
    return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value.join(', ') : ''
  }).filter(Boolean)
  return [typeLabel(component.provider).toLowerCase(), ...values].join(' ')
}

/** @param {Flow} flow @param {Component} team @param {CardView[]} cards @returns {EdgeView[]} */
function edgesOf(flow, team, cards) {
  if (flow === 'hub') return cards.map((_card, index) => ({ from: -1, to: index, label: '', kind: 'ask' }))
  if (flow === 'graph') return graphEdges(team.config['graph']['nodes'], cards)
  const byName = new Map(cards.map((card, index) => [card.name, index]))
  if (flow === 'handoffs') {
    return cards.flatMap((card, from) => handoffsOf(card.component).map((target) => byName.get(target))
      .filter((to) => to !== undefined).map((to) => ({ from, to, label: '', kind: /** @type {const} */ ('handoff') })))
  }
  if (cards.length < 2) return []
  return cards.map((_card, index) => (index + 1 < cards.length
    ? { from: index, to: index + 1, label: '', kind: 'next' }
    : { from: index, to: 0, label: 'next round', kind: 'loop' }))
}

/** @param {Record<string, any>} nodes @param {CardView[]} cards @returns {EdgeView[]} */
function graphEdges(nodes, cards) {
  const byName = new Map(cards.map((card, index) => [card.name, index]))
  return Object.entries(nodes).flatMap(([name, node]) => (Array.isArray(node?.edges) ? node.edges : []).flatMap((/** @type {any} */ edge) => {
    const from = byName.get(name)
    const to = byName.get(edge?.target)
    return from === undefined || to === undefined ? [] : [{ from, to, label: typeof edge.condition === 'string' ? edge.condition : '', kind: /** @type {const} */ ('graph') }]
  }))
}

/** @param {Component} component @returns {string[]} */
function handoffsOf(component) {
  const handoffs = component.config?.['handoffs']
  return Array.isArray(handoffs) ? handoffs.map((each) => (typeof each === 'string' ? each : each?.target)).filter((each) => typeof each === 'string') : []
}

/** @param {unknown} value @returns {value is Record<string, any>} */
function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** "Add a model", said on an empty slot. @param {SlotView} slot */
export function slotPrompt(slot) {
  const name = slot.kind === 'other' ? slot.field.replaceAll('_', ' ') : KIND_NAME[slot.kind]
  return slot.many ? `Add ${name}` : `Choose ${name}`
}

export { isComponent }
