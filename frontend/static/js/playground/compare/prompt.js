// @ts-check
/** @import {RunContext} from '../types.js' */
import { ApiError, api } from '../../core/api.js'
import { el, find, on } from '../../core/dom.js'

const HINT = 'Select a message to see the exact prompt of its model.'

/**
 * The prompt behind the selected entry, what fills the context window, and what is new in it. Asked
 * for only while shown: the server runs the engine over the log again for it.
 * @param {RunContext} context
 */
export function promptPanel({ run, selection, actions, showView, signal }) {
  const panel = find('[data-run-view=prompt]')
  const place = find('[data-part=prompt]', panel)
  let wanted = selection.seq
  let shown = /** @type {number | null} */ (null)
  /** @type {AbortController | undefined} */
  let asking

  const say = (/** @type {string} */ text) =>
    place.replaceChildren(el('p', { class: 'muted prompt-hint' }, text))

  async function show() {
    if (panel.hidden || wanted === shown) return
    asking?.abort()
    shown = wanted
    if (wanted === null) return say(HINT)
    const asked = (asking = new AbortController())
    place.ariaBusy = 'true'
    try {
      const html = await api.get(`/fragments/runs/${run.id}/prompts/${wanted}`, {
        as: 'text',
        signal: AbortSignal.any([signal, asked.signal]),
      })
      const template = document.createElement('template')
      template.innerHTML = html
      place.replaceChildren(template.content)
    } catch (error) {
      if (asked.signal.aborted || signal.aborted) return
      say(
        error instanceof ApiError
          ? `${error.message} ${error.fix}`.trim()
          : 'The prompt cannot be shown.',
      )
    }
    place.ariaBusy = 'false'
  }

  /** @param {number | null} seq */
  const want = (seq) => {
    wanted = seq
    void show()
  }
  say(HINT)
  selection.subscribe(want, signal)
  panel.addEventListener('tab:show', () => queueMicrotask(show), { signal })
  on(
    panel,
    'click',
    '[data-prompt-seq]',
    async (_, button) => {
      const label = button.getAttribute('aria-label') ?? ''
      wanted = Number(button.dataset['promptSeq'])
      await show()
      const again =
        place.querySelector(`[aria-label="${label}"]:not(:disabled)`) ??
        place.querySelector('[data-prompt-seq]')
      if (again instanceof HTMLElement) again.focus({ preventScroll: true })
    },
    signal,
  )
  actions.add([
    {
      id: 'show-prompt',
      label: 'Exact prompt of the selected message',
      icon: 'scroll-text',
      group: 'View',
      scope: 'page',
      run: () => showView('prompt'),
    },
  ])
}
