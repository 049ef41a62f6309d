// @ts-check
// The chat page of a deployment: one chat for each tab, which goes on after a reload or a lost connection.
import { connect } from './chat/connection.js'
import { chatLog } from './chat/log.js'
import { wordsOf } from './chat/words.js'
import { find } from './core/dom.js'

/** @import {Call, ChatEvent, Question} from './chat/connection.js' */

const page = find('[data-chat]')
const form = /** @type {HTMLFormElement} */ (find('[data-composer]'))
const field = /** @type {HTMLTextAreaElement} */ (find('textarea', form))
const label = find('label', form)
const sendButton = /** @type {HTMLButtonElement} */ (find('[data-send]', form))
const stopButton = /** @type {HTMLButtonElement} */ (find('[data-stop]', form))
const newButton = /** @type {HTMLButtonElement} */ (find('[data-new-chat]'))
const status = find('[data-status]')
const shown = find('[data-log]')

const connection = connect(location.pathname.replace(/\/$/, ''), location.hash.slice(1))
const log = chatLog(shown, {
  answerTo: connection.answerTo,
  choose: (text) => void answer(text),
})

/** @type {'closed' | 'ready' | 'working' | 'asking'} */
let state = 'closed'
let callId = ''
let isStopWanted = false // pressed before the server has told which call it is
/** @type {Question | null} */
let question = null

void begin()

async function begin() {
  try {
    const { title, greeting } = await connection.open()
    find('[data-title]').textContent = title
    document.title = title
    const words = find('[data-greeting]')
    words.textContent = greeting
    words.hidden = greeting === ''
    await showEarlier()
  } catch (error) {
    refuse(error)
  }
}

async function showEarlier() {
  shown.setAttribute('aria-busy', 'true')
  const messages = await connection.messages()
  for (const { text, call, events } of messages) {
    log.turn()
    log.own(text)
    for (const event of events) log.show(event)
    if (call.error && events.at(-1)?.name !== 'ended') log.show(endOf(call))
  }
  shown.scrollTop = shown.scrollHeight
  shown.removeAttribute('aria-busy')
  const last = messages.at(-1)
  turnTo('ready')
  if (!last || last.call.error || last.events.at(-1)?.name === 'ended') return
  const [newest] = last.events.slice(-1)
  if (newest) react(newest)
  else turnTo('working')
  void followAnswer(last.call.id, newest?.id ?? '')
}

/**
 * @param {Call} call
 * @returns {ChatEvent}
 */
function endOf(call) {
  return { id: '', name: 'ended', data: call }
}

/** @param {unknown} error */
function refuse(error) {
  turnTo('closed')
  const isClosed =
    error instanceof Error && 'status' in error && [401, 403].includes(Number(error.status))
  find(isClosed ? '[data-not-open]' : '[data-unreachable]').hidden = false
}

/** @param {typeof state} next */
function turnTo(next) {
  state = next
  const isBusy = next === 'working'
  sendButton.hidden = isBusy
  stopButton.hidden = next !== 'working' && next !== 'asking'
  field.disabled = sendButton.disabled = next === 'closed'
  label.textContent = next === 'asking' ? 'Your answer' : 'Message'
  field.placeholder = next === 'asking' ? 'Your answer' : 'Write a message'
  status.textContent = isBusy ? 'Working on an answer…' : ''
  page.dataset['state'] = next
  newButton.hidden = next === 'closed' || log.isEmpty
}

/** @param {ChatEvent} event */
function react({ name, data }) {
  if (name === 'ended') {
    question = null
    turnTo('ready')
  } else if (name === 'waiting' && data.question?.to === 'caller') {
    question = data.question
    turnTo('asking')
  } else {
    question = null
    turnTo('working')
    if (name === 'waiting') status.textContent = 'Waiting for a person on the other side…'
  }
}

/**
 * @param {string} id
 * @param {string | number} after
 */
async function followAnswer(id, after) {
  callId = id
  const isCurrent = () => callId === id
  try {
    await connection.follow(
      id,
      after,
      (event) => {
        if (!isCurrent()) return
        log.show(event)
        if (event.name !== 'message') react(event)
      },
      (isLost) => {
        if (isLost && isCurrent()) status.textContent = 'The connection was lost. Trying again…'
        else if (isCurrent()) turnTo(state)
      },
    )
  } catch (error) {
    if (isCurrent()) log.problem(wordsOf(error))
  }
  if (isCurrent()) turnTo('ready')
}

/** @param {string} text */
async function say(text) {
  log.turn()
  const message = log.own(text)
  turnTo('working')
  field.value = ''
  callId = ''
  isStopWanted = false
  try {
    const call = await connection.say(text, requestId())
    void followAnswer(call.id, '')
    if (isStopWanted) await stop()
  } catch (error) {
    message.remove()
    field.value = text
    log.problem(wordsOf(error))
    turnTo('ready')
  }
}

/** Of 128 random bits; `randomUUID` is only there with HTTPS. */
function requestId() {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((each) => each.toString(36)).join('-')
}

/** @param {string} text */
async function answer(text) {
  if (!question) return
  const { id } = question
  field.value = ''
  try {
    await connection.answer(callId, id, text)
  } catch (error) {
    field.value = text
    log.problem(wordsOf(error))
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  const text = field.value.trim()
  if (text === '' || state === 'closed' || state === 'working') return
  void (state === 'asking' ? answer(text) : say(text))
  field.focus()
})

field.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
  event.preventDefault()
  form.requestSubmit()
})

async function stop() {
  isStopWanted = true
  if (callId === '') return
  try {
    await connection.stop(callId)
  } catch (error) {
    log.problem(wordsOf(error))
  }
}

stopButton.addEventListener('click', () => {
  field.focus()
  void stop()
})

newButton.addEventListener('click', () => {
  callId = ''
  question = null
  connection.forget()
  log.clear()
  void begin().then(() => field.focus())
})
