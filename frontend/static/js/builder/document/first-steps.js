// @ts-check
// The four steps from nothing to a team that runs, and how far a document has come. Pure: no DOM.
import { get, join } from '../../core/pointer.js'
import { kindOfType } from './catalogue.js'
import { memberSlot } from './views.js'

/**
 * @typedef {import('./catalogue.js').Catalogue} Catalogue
 * @typedef {import('./catalogue.js').Component} Component
 * @typedef {'agent' | 'model' | 'stop' | 'run'} StepId
 * @typedef {{ id: StepId, label: string, isDone: boolean, where: string }} Step  `where`: the field
 *   that it is about, "" for the run
 */

/**
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {boolean} hasRun
 * @returns {Step[]}
 */
export function firstSteps(catalogue, root, hasRun) {
  const slot = memberSlot(catalogue, root)
  const members = slot ? catalogue.filling(root, '', slot) : []
  const models = modelPlaces(catalogue, root)
  const model = models.find((each) => !each.isFilled) ?? models[0]
  return [
    {
      id: 'agent',
      label: 'Add an agent',
      isDone: members.length > 0,
      where: slot ? join('', 'config', slot.field) : '',
    },
    {
      id: 'model',
      label: 'Choose a model',
      isDone: models.length > 0 && models.every((each) => each.isFilled),
      where: model?.where ?? '',
    },
    {
      id: 'stop',
      label: 'Choose when it stops',
      isDone: hasStopCondition(catalogue, root),
      where: join('', 'config', 'termination_condition'),
    },
    { id: 'run', label: 'Run it', isDone: hasRun, where: '' },
  ]
}

/**
 * Whether it is so small that somebody has just begun it: no agents, or one that wants its model.
 * @param {Catalogue} catalogue
 * @param {Component} root
 */
export function isNearlyEmpty(catalogue, root) {
  const slot = memberSlot(catalogue, root)
  const count = slot ? catalogue.filling(root, '', slot).length : 0
  return count === 0 || (count === 1 && modelPlaces(catalogue, root).some((each) => !each.isFilled))
}

/**
 * Where agents and the team itself must have a model.
 * @param {Catalogue} catalogue
 * @param {Component} root
 */
function modelPlaces(catalogue, root) {
  return [...catalogue.walk(root)].flatMap(({ pointer, component }) =>
    catalogue
      .slotsOf(component)
      .filter((slot) => slot.required && slot.accepts.some((type) => kindOfType(type) === 'model'))
      .map((slot) => ({
        where: join(pointer, 'config', slot.field),
        isFilled: catalogue.filling(component, pointer, slot).length > 0,
      })),
  )
}

/**
 * A condition, a limit of turns, or a graph, which ends where its ways do.
 * @param {Catalogue} catalogue
 * @param {Component} root
 */
function hasStopCondition(catalogue, root) {
  const { termination_condition: condition, max_turns: turns } = root.config
  return (
    Boolean(condition) ||
    typeof turns === 'number' ||
    (catalogue.entry(root)?.drawn_as === 'graph' && get(root, '/config/graph') !== undefined)
  )
}
