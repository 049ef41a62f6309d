// @ts-check
import { el, icon } from '../../core/dom.js'
import { MAX_VALUE, filledIn, variableLabel } from './variables.js'

/**
 * Ask for the variables of a task before it runs.
 * @param {string} task
 * @param {string[]} names  of its variables
 * @param {(task: string) => void} run
 */
export function fillIn(task, names, run) {
  const boxes = names.map((name, index) => ({
    name,
    box: el('textarea', {
      class: 'input',
      id: `variable-${index}`,
      rows: '1',
      required: true,
      maxlength: MAX_VALUE,
    }),
  }))
  const form = el(
    'form',
    {},
    el(
      'div',
      { class: 'dialog-header' },
      el('h2', { id: 'fill-in-title' }, 'Fill in the task'),
      el(
        'button',
        {
          type: 'button',
          class: 'button quiet icon-only',
          'aria-label': 'Close',
          'data-closes': true,
        },
        icon('x'),
      ),
    ),
    el(
      'div',
      { class: 'dialog-body stack' },
      el('p', { class: 'muted fill-in-task' }, task),
      ...boxes.map(({ name, box }) =>
        el('div', { class: 'field' }, el('label', { for: box.id }, variableLabel(name)), box),
      ),
    ),
    el(
      'div',
      { class: 'dialog-footer' },
      el('button', { type: 'button', class: 'button', 'data-closes': true }, 'Cancel'),
      el('button', { class: 'button primary' }, icon('play'), 'Run'),
    ),
  )
  const dialog = el(
    'dialog',
    { class: 'dialog', 'aria-labelledby': 'fill-in-title', on: { close: () => dialog.remove() } },
    form,
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    dialog.close()
    run(filledIn(task, new Map(boxes.map(({ name, box }) => [name, box.value]))))
  })
  form.addEventListener('keydown', (event) => {
    if (
      event.key !== 'Enter' ||
      event.shiftKey ||
      event.isComposing ||
      !(event.target instanceof HTMLTextAreaElement)
    )
      return
    event.preventDefault()
    form.requestSubmit()
  })
  document.body.append(dialog)
  dialog.showModal()
  boxes[0]?.box.focus()
}
