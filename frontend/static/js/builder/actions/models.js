// @ts-check
// One model for many: for all agents, in the place of another, for those that are selected.
import { api } from '../../core/api.js'
import { toast, toastError } from '../../core/toast.js'
import { notifyChanged } from '../actions.js'
import { titleOf } from '../document/catalogue.js'
import { modelPlaces, putAt, replaceEverywhere, useForAll } from '../document/models.js'
import { pickComponent } from '../panels/component-picker.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../../core/actions.js').Action} Action
 */

/**
 * @param {Editor} editor
 * @returns {Action[]}
 */
export function modelActions(editor) {
  const model = () => {
    const component = editor.at(editor.selection)
    return component &&
      editor.selected.length === 1 &&
      modelPlaces(editor.catalogue, editor.root).some(({ slot }) => slot === editor.selection)
      ? component
      : undefined
  }
  const onModel = () => (model() ? true : 'Select the model of an agent.')
  const onSeveral = () =>
    editor.selected.length > 1 && selectedSlots(editor).length === editor.selected.length
      ? true
      : 'Select several models, or agents with a model.'
  /** @type {Omit<Action, 'group' | 'scope'>[]} */
  const list = [
    {
      id: 'use-for-all',
      label: 'Use for all agents',
      icon: 'users',
      menu: true,
      when: onModel,
      run: () => {
        const component = model()
        if (component) editor.run(useForAll(editor.catalogue, editor.root, component))
      },
    },
    {
      id: 'replace-everywhere',
      label: 'Replace everywhere…',
      icon: 'brain',
      menu: true,
      when: onModel,
      run: () => void replace(editor),
    },
    {
      id: 'choose-model',
      label: 'Choose a model for all…',
      icon: 'brain',
      menu: true,
      when: onSeveral,
      run: () => void chooseForSelected(editor),
    },
  ]
  list.push({
    id: 'save-connection',
    label: 'Save as connection',
    icon: 'plus',
    needs: 'admin',
    menu: true,
    when: onModel,
    run: () => void saveConnection(model()),
  })
  return list.map((each) => ({ needs: 'editor', ...each, group: 'Models', scope: 'canvas' }))
}

/**
 * The places for a model of what is selected: models themselves, and agents that need one.
 * @param {Editor} editor
 */
export function selectedSlots(editor) {
  const places = modelPlaces(editor.catalogue, editor.root)
  return [...editor.selected].flatMap((pointer) => {
    const place = places.find(
      ({ slot, owner }) =>
        slot === pointer || (owner === editor.at(pointer) && slot.startsWith(`${pointer}/config/`)),
    )
    return place ? [place.slot] : []
  })
}

/**
 * Offer a model everywhere, under its name; the key's reference goes along.
 * @param {import('../document/catalogue.js').Component | undefined} component
 */
async function saveConnection(component) {
  if (!component) return
  const name = titleOf(component)
  try {
    await api.post('/api/connections', { name, component })
    toast(`${name} is now a connection. Rename it under Settings, Models.`, { tone: 'success' })
  } catch (error) {
    toastError(error)
  }
}

/** @param {Editor} editor */
async function replace(editor) {
  const old = editor.at(editor.selection)
  const chosen =
    old &&
    (await pickComponent(
      editor,
      (each) => editor.catalogue.kindOf(each) === 'model',
      `Replace ${editor.titleAt(editor.selection)} everywhere with`,
    ))
  if (old && chosen) editor.run(replaceEverywhere(editor.catalogue, editor.root, old, chosen))
}

/** @param {Editor} editor */
async function chooseForSelected(editor) {
  const places = selectedSlots(editor).map((slot) => editor.keepPlace(slot))
  const chosen = await pickComponent(
    editor,
    (each) => editor.catalogue.kindOf(each) === 'model',
    `Choose a model for ${places.length} parts`,
  )
  if (!chosen) return
  const slots = places.flatMap((placeOf) => placeOf() ?? [])
  if (slots.length < places.length) return notifyChanged()
  editor.run(putAt(`Choose a model for ${slots.length} parts`, slots, chosen))
}
