// @ts-check
import { api } from '../../core/api.js'
import { el, icon } from '../../core/dom.js'
import { toast, toastError } from '../../core/toast.js'

const MAX_EXAMPLES = 12
const MAX_LENGTH = 4_000

/** @param {string} teamId */
const address = (teamId) => `/api/teams/${encodeURIComponent(teamId)}/examples`

/**
 * @param {string} teamId
 * @param {AbortSignal} [signal]
 * @returns {Promise<string[]>}
 */
export async function examplesOf(teamId, signal) {
  return (await api.get(address(teamId), signal ? { signal } : {})).examples
}

/**
 * @param {string} teamId
 * @returns {import('../../core/actions.js').Action}
 */
export function exampleAction(teamId) {
  return {
    id: 'example-tasks',
    label: 'Example tasks…',
    icon: 'message-square',
    group: 'Team',
    scope: 'page',
    needs: 'editor',
    run: () => void editExamples(teamId),
  }
}

/**
 * Edit the example tasks that are kept with a team.
 * @param {string} teamId
 * @param {(examples: string[]) => void} [saved]
 */
export async function editExamples(teamId, saved = () => {}) {
  const list = el('ul', { role: 'list', class: 'stack example-rows' })
  const add = el('button', { type: 'button', class: 'button small' }, icon('plus'), 'Add example')
  const save = el('button', { class: 'button primary' }, 'Save')
  const form = el(
    'form',
    {},
    el(
      'div',
      { class: 'dialog-header' },
      el('h2', { id: 'examples-title' }, 'Example tasks'),
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
      el(
        'p',
        { class: 'muted' },
        'The playground offers these before the first run. Use ',
        el('code', {}, '{{topic}}'),
        ' for a value to fill in.',
      ),
      list,
      el('div', {}, add),
    ),
    el(
      'div',
      { class: 'dialog-footer' },
      el('button', { type: 'button', class: 'button', 'data-closes': true }, 'Cancel'),
      save,
    ),
  )
  const dialog = el(
    'dialog',
    { class: 'dialog', 'aria-labelledby': 'examples-title', on: { close: () => dialog.remove() } },
    form,
  )
  const boxes = () => /** @type {HTMLTextAreaElement[]} */ ([...list.querySelectorAll('textarea')])

  function count() {
    boxes().forEach((box, index) => {
      box.ariaLabel = `Example ${index + 1}`
      box.nextElementSibling?.setAttribute('aria-label', `Remove example ${index + 1}`)
    })
    add.disabled = boxes().length >= MAX_EXAMPLES
  }

  /** @param {string} text */
  function row(text) {
    const box = el('textarea', { class: 'input', rows: '2', maxlength: MAX_LENGTH })
    box.value = text
    const remove = el('button', { type: 'button', class: 'button quiet icon-only' }, icon('x'))
    const item = el('li', { class: 'example-row' }, box, remove)
    remove.addEventListener('click', () => {
      const next = item.nextElementSibling ?? item.previousElementSibling
      item.remove()
      count()
      ;(next?.querySelector('textarea') ?? add).focus()
    })
    list.append(item)
    count()
    return box
  }

  add.addEventListener('click', () => row('').focus())
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    save.disabled = true
    try {
      const { examples } = await api.put(address(teamId), {
        examples: boxes()
          .map((box) => box.value.trim())
          .filter(Boolean),
      })
      dialog.close()
      toast('Example tasks saved.', { tone: 'success' })
      saved(examples)
    } catch (error) {
      toastError(error)
    }
    save.disabled = false
  })
  try {
    for (const text of await examplesOf(teamId)) row(text)
  } catch (error) {
    return toastError(error)
  }
  const first = boxes()[0] ?? row('')
  document.body.append(dialog)
  dialog.showModal()
  first.focus()
}
