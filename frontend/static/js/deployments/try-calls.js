// @ts-check
import { api } from '../core/api.js'
import { el, find } from '../core/dom.js'
import { readEvents } from '../core/event-stream.js'
import { toastError } from '../core/toast.js'

/**
 * A call as its caller sees it.
 * @typedef {{ id: string, thread: string, state: string, answer: string | null, question: Question |
 *   null, error: { code: string, message: string } | null }} Call
 * @typedef {{ to: 'caller' | 'operator', id: string, prompt: string }} Question
 */

const FINAL = ['finished', 'stopped', 'cancelled', 'failed']
const EARLY_MS = 60_000

/**
 * Send calls from the page, with a key of its own, through the address that programs use.
 * @param {HTMLFormElement} form
 * @param {string} name  of the deployment
 */
export function tryCalls(form, name) {
  const list = find('[data-calls]')
  const task = /** @type {HTMLTextAreaElement} */ (find('[name=task]', form))
  let thread = ''
  /** @type {{ key: string, expires_at: string } | undefined} */
  let token

  const key = async () => {
    if (!token || Date.parse(token.expires_at) - Date.now() < EARLY_MS)
      token = await api.post(`/api/deployments/${encodeURIComponent(name)}/tokens`, undefined)
    return /** @type {{ key: string }} */ (token).key
  }

  const send = async () => {
    const given = new FormData(form)
    const body = {
      task: String(given.get('task')),
      ...(given.has('continues') && thread && { thread }),
    }
    const shown = showCall(body.task)
    list.prepend(shown.root)
    try {
      const own = await key()
      const url = `/d/${encodeURIComponent(name)}/calls`
      const answers = await api.stream(url, body, { key: own })
      if (task.value === body.task) task.value = ''
      for await (const call of followed(answers, shown)) {
        thread = call.thread
        shown.show(call, async (text) => {
          const answered = { question_id: call.question?.id ?? '', text }
          await api.post(`${url}/${call.id}/answers`, answered, { key: own })
        })
        if (FINAL.includes(call.state)) break
      }
    } catch (error) {
      shown.fail(error instanceof Error ? error.message : String(error))
      toastError(error)
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send()
  })
  task.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    form.requestSubmit()
  })
}

/**
 * The states of a call; its messages are shown as they come.
 * @param {ReadableStream<Uint8Array>} body
 * @param {ReturnType<typeof showCall>} shown
 * @returns {AsyncGenerator<Call>}
 */
async function* followed(body, shown) {
  for await (const { name, data } of readEvents(body)) {
    if (name === 'message') shown.say(data.source, data.text)
    else yield data
  }
}

/** @param {string} task */
function showCall(task) {
  const badge = el('span', { class: 'badge', 'data-state': 'created' }, 'Sending')
  const link = el('a', { class: 'small', hidden: true }, 'Open in the playground')
  const said = el('div', { class: 'stack try-said' })
  const end = el('div', { class: 'stack', 'data-end': '' })
  const root = el(
    'article',
    { class: 'try-call', 'data-call': '' },
    el(
      'header',
      { class: 'row-wrap' },
      el('strong', { class: 'grow truncate' }, task),
      badge,
      link,
    ),
    said,
    end,
  )
  return {
    root,
    /**
     * @param {string} source
     * @param {string} text
     */
    say(source, text) {
      said.append(el('p', { class: 'try-text' }, el('strong', {}, `${source}: `), text))
    },
    /** @param {string} reason */
    fail(reason) {
      setBadge(badge, 'failed', 'Refused')
      end.replaceChildren(el('p', { class: 'field-error' }, reason))
    },
    /**
     * @param {Call} call
     * @param {(text: string) => Promise<void>} answer
     */
    show(call, answer) {
      setBadge(badge, call.state === 'waiting' ? 'paused' : call.state, call.state)
      link.hidden = false
      link.href = `/runs/${encodeURIComponent(call.id)}`
      end.replaceChildren(
        ...[
          call.answer === null ? null : answerOf(call.answer),
          call.error && el('p', { class: 'field-error' }, call.error.message),
          call.question && askedBy(call.question, answer),
        ].filter((each) => each instanceof Node),
      )
    },
  }
}

/**
 * @param {HTMLElement} badge
 * @param {string} state
 * @param {string} label
 */
function setBadge(badge, state, label) {
  badge.dataset['state'] = state
  badge.textContent = label.charAt(0).toUpperCase() + label.slice(1)
}

/** @param {string} text */
function answerOf(text) {
  if (text === '') return el('p', { class: 'muted' }, 'The answer is empty.')
  return el('p', { class: 'try-text', 'data-answer': '' }, text)
}

/**
 * @param {Question} question
 * @param {(text: string) => Promise<void>} answer
 */
function askedBy(question, answer) {
  if (question.to === 'operator')
    return el(
      'p',
      { class: 'muted' },
      'This call waits for an operator. ',
      el('a', { href: '/inbox' }, 'Open the inbox'),
    )
  const field = el('input', { class: 'input grow', 'aria-label': 'Your answer', required: true })
  const form = el(
    'form',
    { class: 'stack' },
    el('p', { class: 'try-text' }, question.prompt || 'The team asks for your input.'),
    el('div', { class: 'row' }, field, el('button', { class: 'button' }, 'Answer')),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    answer(field.value).catch(toastError)
  })
  return form
}
