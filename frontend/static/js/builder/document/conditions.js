// @ts-check
// Changing how conditions are joined: "a or (b and c)". Each change is one step.
import { get, join, last, parent, set } from '../../core/pointer.js'
import { isComponent, typeLabel } from './catalogue.js'
import { addComponent, combine, moveTo, ownerOf, reorder, shifted } from './commands.js'
import { removeMany } from './bulk.js'
import { isOperator, operators, operatorWord } from './slot-targets.js'

/**
 * @typedef {import('./catalogue.js').Catalogue} Catalogue
 * @typedef {import('./catalogue.js').Component} Component
 * @typedef {import('./commands.js').Command} Command
 * @typedef {'and' | 'or'} Word
 */

/**
 * A condition in words made of its values, until the server's own are there.
 * @param {Component} component
 */
export function conditionText(component) {
  const values = Object.values(component.config ?? {})
    .map((value) => {
      if (typeof value === 'string') return `“${value}”`
      if (typeof value === 'number') return String(value)
      return Array.isArray(value) && value.every((each) => typeof each === 'string')
        ? value.join(', ')
        : ''
    })
    .filter(Boolean)
  return [typeLabel(component.provider).toLowerCase(), ...values].join(' ')
}

/**
 * The joint that a condition is one of; "" when it stands alone.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {string} pointer
 */
export function operatorAround(catalogue, root, pointer) {
  const owner = ownerOf(pointer)
  return /\/\d+$/.test(pointer) && isOperator(catalogue, get(root, owner)) ? owner : ''
}

/**
 * @param {Catalogue} catalogue
 * @param {Word} word
 */
function template(catalogue, word) {
  return operators(catalogue).find((each) => each.word === word)?.template
}

/**
 * Put a condition with another: beside it where it is joined by that word already, else as a group
 * of the two.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {string} target
 * @param {Word} word
 * @param {{ from: string } | { component: Component }} what  one of the team, or a new one
 * @returns {Command | undefined}
 */
export function joinTo(catalogue, root, target, word, what) {
  const around = operatorAround(catalogue, root, target)
  const made = template(catalogue, word)
  if (!made) return undefined
  if (around !== '' && operatorWord(get(root, around).provider) === word) {
    const [list, index] = [parent(target), Number(last(target))]
    if ('component' in what) return addComponent(list, true, what.component, index + 1)
    if (parent(what.from) !== list) return moveTo(what.from, list, true)
    return reorder(what.from, Number(last(what.from)) < index ? index : index + 1)
  }
  return 'component' in what
    ? combine(target, made, what.component)
    : groupMoved(catalogue, target, made, what.from)
}

/**
 * @param {Catalogue} catalogue
 * @param {string} target
 * @param {Component} joint
 * @param {string} from
 * @returns {Command}
 */
function groupMoved(catalogue, target, joint, from) {
  return {
    label: `Group with ${operatorWord(joint.provider)}`,
    select: shifted(target, from),
    apply(doc) {
      const moved = get(doc.component, from)
      if (!isComponent(moved)) return doc
      const grouped = combine(target, joint, moved).apply(doc)
      return removeMany(catalogue, grouped.component, [from]).apply(grouped)
    },
  }
}

/**
 * Make an "and" an "or", and the other way round.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {string} pointer
 * @returns {Command | undefined}
 */
export function toggleOperator(catalogue, root, pointer) {
  const joint = get(root, pointer)
  if (!isOperator(catalogue, joint)) return undefined
  const word = operatorWord(joint.provider) === 'and' ? 'or' : 'and'
  const made = template(catalogue, word)
  if (!made) return undefined
  return {
    label: `Join by ${word}`,
    select: pointer,
    apply(doc) {
      const { label: _label, ...rest } = get(doc.component, pointer)
      return {
        ...doc,
        component: set(doc.component, pointer, {
          ...rest,
          provider: made.provider,
          ...(made.label ? { label: made.label } : {}),
        }),
      }
    },
  }
}

/**
 * Make one group of a condition and the next in its list, or the one before the last.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {string} pointer
 * @returns {Command | undefined}
 */
export function groupWithNext(catalogue, root, pointer) {
  const around = operatorAround(catalogue, root, pointer)
  if (around === '') return undefined
  const list = /** @type {Component[]} */ (get(root, parent(pointer)))
  if (list.length < 3) return undefined
  const index = Math.min(Number(last(pointer)), list.length - 2)
  const word = operatorWord(get(root, around).provider) === 'and' ? 'or' : 'and'
  const made = template(catalogue, word)
  if (!made) return undefined
  return {
    label: `Group with ${word}`,
    select: join(parent(pointer), index),
    apply(doc) {
      const here = /** @type {Component[]} */ (get(doc.component, parent(pointer)))
      const group = {
        ...made,
        config: { ...made.config, conditions: here.slice(index, index + 2) },
      }
      return {
        ...doc,
        component: set(doc.component, parent(pointer), here.toSpliced(index, 2, group)),
      }
    },
  }
}

/**
 * Put the conditions of a group into the list it stands in.
 * @param {Catalogue} catalogue
 * @param {Component} root
 * @param {string} pointer
 * @returns {Command | undefined}
 */
export function ungroup(catalogue, root, pointer) {
  const joint = get(root, pointer)
  if (!isOperator(catalogue, joint) || operatorAround(catalogue, root, pointer) === '')
    return undefined
  const [list, index] = [parent(pointer), Number(last(pointer))]
  return {
    label: 'Ungroup',
    select: pointer,
    apply(doc) {
      const inner = Object.values(get(doc.component, join(pointer, 'config', 'conditions')) ?? [])
      return {
        ...doc,
        component: set(doc.component, list, get(doc.component, list).toSpliced(index, 1, ...inner)),
      }
    },
  }
}
