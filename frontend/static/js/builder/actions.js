// @ts-check
// What a person can do to the selection, from whichever part of the page: one meaning for key,
// button and menu.
import { api } from '../core/api.js'
import { explainDisabled } from '../core/keyboard.js'
import { choose } from '../core/chooser.js'
import { get, last, parent } from '../core/pointer.js'
import { toast, toastError } from '../core/toast.js'
import { ranked } from '../core/ranking.js'
import { inOneList, moveBlock, namesOf, removeMany } from './document/bulk.js'
import { isComponent, KIND_ICON, KIND_NAME, kindOfType, titleOf } from './document/catalogue.js'
import { duplicateCommand } from './document/clipboard.js'
import { addComponent, moveTo } from './document/commands.js'
import { endsOf } from './document/parts.js'
import { moveTargets } from './document/move-targets.js'
import { inDocumentOrder, nextAfter } from './document/selection.js'
import { chooseFrom, pickComponent } from './panels/component-picker.js'
import { targetsFor, targetsNear, refusal, slotAt } from './document/slot-targets.js'

/**
 * @typedef {import('./editor.js').Editor} Editor
 * @typedef {import('./document/catalogue.js').Component} Component
 */

/**
 * Put a component at a target; asks when there are several ways, says why when there is none.
 * @param {Editor} editor
 * @param {Component} component
 * @param {string} target
 * @param {{ x: number, y: number }} [at]  where the question appears
 */
export async function place(editor, component, target, at) {
  const fresh = structuredClone(component)
  const placeOf = editor.keepPlace(target)
  const places = () => {
    const here = placeOf()
    return here === undefined ? [] : targetsFor(editor.catalogue, editor.root, fresh, here)
  }
  if (places().length > 0) await insertInto(editor, fresh, places, at)
  else toast(refusal(editor.catalogue, editor.root, fresh, target), { tone: 'warning' })
}

/**
 * Put a component at the selection, or where the nearest agent or team around it takes it.
 * @param {Editor} editor
 * @param {Component} component
 * @param {{ target?: string, at?: { x: number, y: number } }} [options]
 */
export async function placeNear(editor, component, { target = editor.selection, at } = {}) {
  const fresh = structuredClone(component)
  const placeOf = editor.keepPlace(target)
  const places = () => targetsNear(editor.catalogue, editor.root, fresh, placeOf() ?? '')
  if (places().length > 0) await insertInto(editor, fresh, places, at)
  else toast(refusal(editor.catalogue, editor.root, fresh, ''), { tone: 'warning' })
}

/**
 * Ask where, if there are several ways.
 * @param {Editor} editor
 * @param {Component} fresh
 * @param {() => import('./document/slot-targets.js').SlotTarget[]} placesNow  asked again after waiting, for
 *   the team may be another by then
 * @param {{ x: number, y: number }} [at]
 */
async function insertInto(editor, fresh, placesNow, at) {
  const [only, ...others] = placesNow()
  if (only && others.length === 0) return void editor.run(only.command)
  const asked = placesNow()
  const labels = asked.map(
    ({ about, label }) => about?.says(editor.conditionAt(about.pointer)) ?? label,
  )
  const wanted = asked[await chooseFrom(`Where should ${titleOf(fresh)} go?`, labels, at)]
  if (wanted === undefined) return
  const chosen = placesNow().find((each) => each.label === wanted.label)
  if (chosen) editor.run(chosen.command)
  else notifyChanged()
}

/** Somebody else took away what was asked about. */
export function notifyChanged() {
  toast('The team was changed elsewhere, so nothing was done.', { tone: 'warning' })
}

/**
 * Move a component of the team elsewhere.
 * @param {Editor} editor
 * @param {string} from
 * @param {string} target  a slot, or a component
 */
export function move(editor, from, target) {
  const component = editor.at(from)
  if (!component || from === target) return
  const slots = targetsFor(editor.catalogue, editor.root, component, target)
  const chosen = slots.find((each) => each.slot === target) ?? slots[0]
  if (!chosen)
    return void toast(refusal(editor.catalogue, editor.root, component, target), {
      tone: 'warning',
    })
  if (chosen.slot === parent(from) || chosen.slot === from) return
  editor.run(moveTo(from, chosen.slot, chosen.many))
}

/**
 * Ask where in the whole team it should go instead, then move it there.
 * @param {Editor} editor
 */
export async function moveSomewhere(editor) {
  const from = editor.selection
  const placeOf = editor.keepPlace(from)
  const places = moveTargets(editor.catalogue, editor.root, from)
  const slotsOf = new Map(places.map((each) => [each.slot, editor.keepPlace(each.slot)]))
  const options = places.map((each) => {
    const kind = editor.catalogue.kindOf(editor.at(each.owner) ?? editor.root)
    return { id: each.slot, label: each.label, detail: each.detail, icon: KIND_ICON[kind], kind }
  })
  const title = `Move ${editor.titleAt(from)} to`
  const chosen = await choose({
    title,
    placeholder: `${title}…`,
    find: (query) => ranked(query, options, (each) => each),
  })
  if (!chosen) return
  const slot = slotsOf.get(chosen.id)?.()
  const place = moveTargets(editor.catalogue, editor.root, placeOf() ?? '').find(
    (each) => each.slot === slot,
  )
  if (place) editor.run(place.command)
  else notifyChanged()
}

/**
 * Remove what is selected, or one part; the selection goes on with its neighbour.
 * @param {Editor} editor
 * @param {string} [pointer]
 */
export function removeSelected(editor, pointer) {
  const gone = inDocumentOrder(pointer === undefined ? [...editor.selected] : [pointer]).filter(
    (each) => each !== '' && (editor.at(each) || endsOf(editor.root, each)),
  )
  if (gone.length === 0) return
  const command = removeMany(editor.catalogue, editor.root, gone)
  const parts = gone.filter((each) => editor.at(each))
  if (parts.length > 0) command.select = nextAfter(editor.root, parts)
  editor.run(command)
}

/**
 * @param {Editor} editor
 * @param {number} by  -1 is earlier, +1 later
 * @param {string} [pointer]  one part; else all that are selected, as a block
 */
export function shift(editor, by, pointer) {
  const moved = inDocumentOrder(pointer === undefined ? [...editor.selected] : [pointer])
  const list = get(editor.root, parent(moved[0] ?? ''))
  if (!inOneList(moved) || !Array.isArray(list))
    return explainDisabled(
      moved.length > 1
        ? 'The selected items are not in one list.'
        : 'This item cannot be reordered.',
    )
  const gap = by < 0 ? Number(last(moved[0] ?? '')) - 1 : Number(last(moved.at(-1) ?? '')) + 2
  if (gap < 0 || gap > list.length)
    return explainDisabled(by < 0 ? 'Already first.' : 'Already last.')
  const command = moveBlock(moved, gap)
  editor.run({
    ...command,
    label: command.label.replace(/^Move( \d+)?/, `Move ${namesOf(editor.root, moved)}`),
  })
}

/**
 * @param {Editor} editor
 * @param {string} [pointer]  one part; else all that are selected
 */
export function duplicateSelected(editor, pointer) {
  const originals = (pointer === undefined ? [...editor.selected] : [pointer]).filter(
    (each) => inOneList([each]) && editor.at(each),
  )
  if (originals.length === 0) return explainDisabled('Only items in a list can be duplicated.')
  editor.run(duplicateCommand(editor.catalogue, editor.doc, originals))
}

/**
 * Ask which component goes into a slot, then put it there.
 * @param {Editor} editor
 * @param {string} slotPointer
 */
export async function fillSlot(editor, slotPointer) {
  const slot = slotAt(editor.catalogue, editor.root, slotPointer)
  if (!slot) return
  const placeOf = editor.keepPlace(slotPointer)
  const component = await pickComponent(
    editor,
    (each) => editor.catalogue.accepts(slot, each),
    choiceTitle(slot),
  )
  if (!component) return
  const pointer = placeOf()
  if (pointer === undefined) return notifyChanged()
  const filled = get(editor.root, pointer)
  if (!slot.many && isComponent(filled) && editor.catalogue.kindOf(component) === 'termination')
    return void place(editor, component, pointer)
  editor.run(addComponent(pointer, slot.many, structuredClone(component)))
}

/**
 * "Choose a model" for a slot that holds one, "Add a tool" for one that holds many.
 * @param {import('./document/catalogue.js').Slot} slot
 */
function choiceTitle({ accepts, many }) {
  const kinds = new Set(accepts.map(kindOfType))
  const name = kinds.has('agent') ? 'agent' : KIND_NAME[[...kinds][0] ?? 'other']
  return `${many ? 'Add' : 'Choose'} ${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`
}

/**
 * Ask for any component that fits the selection.
 * @param {Editor} editor
 * @param {string} [target]
 */
export async function addToSelection(editor, target = editor.selection) {
  const fits = (/** @type {Component} */ each) =>
    targetsNear(editor.catalogue, editor.root, each, target).length > 0
  const placeOf = editor.keepPlace(target)
  const component = await pickComponent(editor, fits, `Add to ${editor.titleAt(target)}`)
  if (component) await placeNear(editor, component, { target: placeOf() ?? '' })
}

/**
 * Store the selection in the user's own gallery, where every palette offers it.
 * @param {Editor} editor
 */
export async function saveToLibrary(editor) {
  const component = editor.at(editor.selection)
  if (!component) return
  const title = editor.titleAt(editor.selection)
  try {
    await api.post('/api/galleries/library/components', { component })
    toast(`${title} is now in your library.`, { tone: 'success' })
  } catch (error) {
    toastError(error)
  }
}
