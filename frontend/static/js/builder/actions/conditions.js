// @ts-check
// How the conditions of a team are joined, by key, menu and drop.
import {
  groupWithNext,
  joinTo,
  operatorAround,
  toggleOperator,
  ungroup,
} from '../document/conditions.js'
import { isOperator, operatorWord } from '../document/slot-targets.js'
import { chooseFrom } from '../panels/component-picker.js'
import { notifyChanged } from '../actions.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../document/catalogue.js').Component} Component
 * @typedef {import('../../core/actions.js').Action} Action
 */

/**
 * @param {Editor} editor
 * @returns {Action[]}
 */
export function conditionActions(editor) {
  const around = () => operatorAround(editor.catalogue, editor.root, editor.selection)
  const joint = () =>
    isOperator(editor.catalogue, editor.at(editor.selection)) ? editor.selection : around()
  const commands = {
    change: () => toggleOperator(editor.catalogue, editor.root, joint()),
    group: () => groupWithNext(editor.catalogue, editor.root, editor.selection),
    dissolve: () => ungroup(editor.catalogue, editor.root, joint()),
  }
  const run = (/** @type {keyof typeof commands} */ name) => () => {
    const command = commands[name]()
    if (command) editor.run(command)
  }
  /** @type {Omit<Action, 'group' | 'scope'>[]} */
  const list = [
    {
      id: 'switch-joint',
      label: 'Switch between “and” and “or”',
      icon: 'refresh-cw',
      keys: ['x'],
      menu: true,
      when: () => (joint() ? true : 'Select conditions joined by “and” or “or”.'),
      run: run('change'),
    },
    {
      id: 'group-conditions',
      label: 'Group with the next condition',
      icon: 'braces',
      keys: ['g'],
      menu: true,
      when: () => (commands.group() ? true : 'Select one of three or more joined conditions.'),
      run: run('group'),
    },
    {
      id: 'dissolve-group',
      label: 'Ungroup conditions',
      icon: 'corner-left-up',
      keys: ['shift+g'],
      menu: true,
      when: () => (commands.dissolve() ? true : 'Select a nested group.'),
      run: run('dissolve'),
    },
  ]
  return list.map((each) => ({ ...each, needs: 'editor', group: 'Conditions', scope: 'canvas' }))
}

/**
 * Ask how a condition is joined to the one it was dropped on.
 * @param {Editor} editor
 * @param {{ from: string } | { component: Component }} what
 * @param {string} target
 * @param {{ x: number, y: number }} at
 */
export async function dropOnCondition(editor, what, target, at) {
  const component = editor.at(target)
  if (!component) return
  const text = editor.conditionAt(target)
  const own = editor.at(operatorAround(editor.catalogue, editor.root, target))
  const first =
    own && operatorWord(own.provider) === 'or'
      ? /** @type {const} */ (['and', 'or'])
      : /** @type {const} */ (['or', 'and'])
  const [targetOf, fromOf] = [
    editor.keepPlace(target),
    editor.keepPlace('from' in what ? what.from : ''),
  ]
  const word =
    first[
      await chooseFrom(
        'Which must be met?',
        first.map((each) => `${text} ${each} this`),
        at,
      )
    ]
  if (!word) return
  const [here, from] = [targetOf(), fromOf()]
  if (here === undefined || from === undefined) return notifyChanged()
  const command = joinTo(
    editor.catalogue,
    editor.root,
    here,
    word,
    'from' in what ? { from } : what,
  )
  if (command) editor.run(command)
}

/**
 * The menu of an "and" or "or" in the sentence.
 * @param {Editor} editor
 * @param {string} pointer
 * @param {{ x: number, y: number }} at
 */
export async function chooseOperator(editor, pointer, at) {
  const joint = editor.at(pointer)
  if (!joint) return
  const word = operatorWord(joint.provider)
  const choices = [
    {
      label: word === 'or' ? 'and: all must be met' : 'or: any one is enough',
      make: toggleOperator,
    },
    ...(ungroup(editor.catalogue, editor.root, pointer)
      ? [{ label: 'Ungroup', make: ungroup }]
      : []),
  ]
  const placeOf = editor.keepPlace(pointer)
  const chosen =
    choices[
      await chooseFrom(
        `Joined by “${word}”`,
        choices.map((each) => each.label),
        at,
      )
    ]
  if (!chosen) return
  const command = chosen.make(editor.catalogue, editor.root, placeOf() ?? '')
  if (command) editor.run(command)
  else notifyChanged()
}
