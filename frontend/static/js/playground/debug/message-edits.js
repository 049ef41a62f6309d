// @ts-check
/** @import {Batch, Body, Run, RunState} from '../types.js' */
import { announce, el, find } from '../../core/dom.js'
import { participantsOf } from '../flow/participants.js'
import { hasEnded } from '../run-status.js'

/**
 * What a person changes in a run under way: the last message before the others hear it, and a
 * message of their own.
 * @param {HTMLElement} root
 * @param {Run} run
 * @param {(command: string, more: Body) => Promise<void>} send
 * @param {AbortSignal} signal
 */
export function messageEdits(root, run, send, signal) {
  const form = /** @type {HTMLFormElement} */ (find('[data-part="edit-message"]', root))
  const inject = /** @type {HTMLFormElement} */ (find('[data-part="inject"]', root))
  const text = /** @type {HTMLTextAreaElement} */ (form.elements.namedItem('text'))
  const said = /** @type {HTMLTextAreaElement} */ (inject.elements.namedItem('text'))
  const speakers = participantsOf(run.component).map((one) => one.name)
  find('select', inject).replaceChildren(
    el('option', { value: 'user' }, 'You'),
    ...speakers.map((name) => el('option', { value: name }, name)),
  )
  let last = { id: '', source: '', content: '' }
  let shown = ''

  form.addEventListener(
    'submit',
    async (event) => {
      event.preventDefault()
      await change({ text: text.value }, 'Message changed.')
    },
    { signal },
  )
  find('[data-drop]', form).addEventListener(
    'click',
    () => change({ text: null }, 'Message discarded.'),
    { signal },
  )
  inject.addEventListener(
    'submit',
    async (event) => {
      event.preventDefault()
      if (said.value.trim() === '') return said.focus()
      const source = String(new FormData(inject).get('source') ?? 'user')
      try {
        await send('inject', { data: { source, text: said.value } })
        said.value = ''
        announce('Message sent.')
      } catch {
        said.focus()
      }
    },
    { signal },
  )

  /**
   * @param {Body} data
   * @param {string} done
   */
  async function change(data, done) {
    try {
      await send('edit', { data: { message_id: last.id, ...data } })
      announce(done)
    } catch {
      text.focus()
    }
  }

  return {
    /** @param {Batch} batch */
    apply(batch) {
      const body = batch.entries.findLast((entry) => entry.kind === 'message')?.body
      if (body && typeof body.content === 'string')
        last = { id: String(body.id), source: String(body.source), content: body.content }
      else if (body) last = { id: '', source: '', content: '' }
    },
    /** @param {RunState} state */
    show(state) {
      const id = state.editable_id ?? ''
      form.hidden = hasEnded(state.state) || id === '' || id !== last.id
      find('[data-part="edit-none"]', root).hidden =
        !form.hidden || state.state !== 'paused' || last.id === ''
      if (form.hidden || shown === id) return
      shown = id
      text.value = last.content
      find('[data-part="edit-source"]', form).textContent = last.source
    },
  }
}
