// @ts-check
import { api, ApiError } from '../../../core/api.js'
import { el, find, prose } from '../../../core/dom.js'
import { Editor } from '../../editor.js'
import { formTab } from '../form/form-tab.js'

/** @typedef {{ name: string, description?: string, parameters?: Record<string, unknown> }} Tool */

/**
 * Choosing a tool and filling in its arguments.
 * @param {HTMLElement} root
 * @param {import('../../document/catalogue.js').Catalogue} catalogue
 * @param {AbortSignal} signal
 */
export function toolForm(root, catalogue, signal) {
  const choice = /** @type {HTMLSelectElement} */ (find('#try-tool', root))
  const place = find('[data-try-form]', root)
  /** @type {Tool[]} */
  let tools = []
  /** Where the tools stand. */
  let owner = ''
  /**
   * What was filled in, by owner and tool.
   * @type {Map<string, Editor>}
   */
  const filled = new Map()
  let life = new AbortController()
  signal.addEventListener('abort', () => life.abort())
  choice.addEventListener('change', show, { signal })
  // it is not the form of the selection
  place.addEventListener('form:shown', (event) => event.stopPropagation(), { signal })

  const argumentsOf = (/** @type {Tool} */ tool) => {
    const key = `${owner} ${tool.name}`
    const editor = filled.get(key) ?? argumentsEditor(catalogue)
    filled.set(key, editor)
    return editor
  }
  const chosen = () => tools.find((each) => each.name === choice.value)

  function show() {
    const tool = chosen()
    life.abort()
    life = new AbortController()
    place.replaceChildren()
    find('[data-try-about]', root).replaceChildren(...prose(tool?.description ?? ''))
    find('[data-try-call]', root).hidden = tool === undefined
    if (!tool) return
    const editor = argumentsOf(tool)
    formTab(place, editor, life.signal, async (_editor, own) => {
      const body = { parameters: tool.parameters ?? {}, arguments: editor.root.config }
      try {
        return await api.html('/fragments/arguments', body, { signal: own })
      } catch (error) {
        if (error instanceof ApiError && error.status !== 0) return plainForm(error, editor)
        throw error
      }
    })
  }

  return {
    /**
     * @param {Tool[]} list
     * @param {string} pointer  of what offers them
     */
    offer(list, pointer) {
      const before = choice.value
      tools = list
      owner = pointer
      choice.replaceChildren(
        ...list.map(({ name }) => el('option', { value: name, selected: name === before }, name)),
      )
      find('[data-try-choice]', root).hidden = list.length < 2
      show()
    },
    /** The call as a tool is told it; '' when there is no tool. */
    call() {
      const tool = chosen()
      return tool
        ? JSON.stringify({ name: tool.name, arguments: argumentsOf(tool).root.config })
        : ''
    },
  }
}

/**
 * The arguments are edited like a config.
 * @param {import('../../document/catalogue.js').Catalogue} catalogue
 */
function argumentsEditor(catalogue) {
  return new Editor(
    { name: 'Arguments', component: { provider: '', config: {} }, layout: {} },
    catalogue,
  )
}

/**
 * Where no form can be made: all arguments as one JSON value.
 * @param {ApiError} error
 * @param {Editor} editor
 */
function plainForm(error, editor) {
  const text = JSON.stringify(editor.root.config, null, 2)
  const box = el(
    'div',
    {},
    el(
      'div',
      { class: 'field' },
      el('p', { class: 'field-help' }, `${error.message} ${error.fix}`.trim()),
      el(
        'textarea',
        {
          class: 'input mono',
          'data-pointer': '/config',
          'data-kind': 'json',
          'aria-label': 'Arguments as JSON',
          rows: 5,
        },
        text,
      ),
      el('p', { class: 'field-error', 'data-error-for': '/config', hidden: true }),
    ),
  )
  return box.innerHTML
}
