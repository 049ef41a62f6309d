// @ts-check
import { el, icon } from '../../../core/dom.js'

/** @typedef {import('./scene.js').Condition} Condition */

/**
 * "Stops when DONE is mentioned or 10 messages": the termination of a team as a sentence of
 * buttons.
 * @param {Condition | null} condition
 * @param {string} slot
 * @param {boolean} isRequired
 */
export function conditionSentence(condition, slot, isRequired) {
  const sentence = el('div', {
    class: 'sentence',
    'data-drop': slot,
    'data-kind': 'termination',
    'data-empty': condition === null,
    'data-missing': condition === null && isRequired,
  })
  if (!condition) {
    sentence.append(
      el('span', { class: 'sentence-word' }, 'No stop condition'),
      el(
        'button',
        { type: 'button', class: 'slot-add', 'data-fill': slot, tabindex: '-1' },
        icon('plus'),
        el('span', {}, 'Add a condition'),
      ),
    )
    return sentence
  }
  sentence.append(
    el('span', { class: 'sentence-word' }, 'Stops when'),
    part(condition, true),
    ...(slot === ''
      ? []
      : [
          el(
            'button',
            {
              type: 'button',
              class: 'button quiet small icon-only sentence-add',
              'data-fill': slot,
              tabindex: '-1',
              'aria-label': 'Add a condition',
              title: 'Add a condition',
            },
            icon('plus'),
          ),
        ]),
  )
  return sentence
}

/**
 * @param {Condition} condition
 * @param {boolean} [isOutermost]
 * @returns {HTMLElement}
 */
function part(condition, isOutermost = false) {
  if (!condition.word) return leaf(condition)
  const inner = condition.parts.flatMap((each, index) => [
    index > 0 && joint(condition),
    part(each),
  ])
  return el(
    'span',
    { class: 'sentence-group', 'data-outermost': isOutermost, 'data-word': condition.word },
    ...inner,
    condition.parts.length < 2 && joint(condition),
  )
}

/** @param {Condition} condition */
function joint(condition) {
  return el(
    'button',
    {
      type: 'button',
      class: 'sentence-joint',
      'data-component': condition.pointer,
      'data-joint': condition.pointer,
      'data-drop': `${condition.pointer}/config/conditions`,
      tabindex: '-1',
      title: 'Operator',
    },
    condition.word,
  )
}

/** @param {Condition} condition */
function leaf(condition) {
  const isOneOfSeveral = /\/\d+$/.test(condition.pointer)
  return el(
    'button',
    {
      type: 'button',
      class: 'chip',
      'data-kind': 'termination',
      'data-component': condition.pointer,
      'data-drag': condition.pointer || null,
      'data-joins': isOneOfSeveral,
      'data-drop': isOneOfSeveral ? condition.pointer : null,
      tabindex: '-1',
    },
    el('span', {}, condition.text),
    el('span', { class: 'chip-problem', 'data-problems-within': condition.pointer, hidden: true }),
  )
}
