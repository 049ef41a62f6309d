// @ts-check
/** @import {Batch, Body, Run} from './types.js' */
import { find } from '../core/dom.js'
import { toast, toastError } from '../core/toast.js'
import { Chat } from './chat.js'
import { controls } from './controls.js'
import { createFeed } from './feed.js'
import { gauges } from './gauges.js'
import { Flow } from './flow.js'
import { colourBook, participantsOf } from './participants.js'
import { hasEnded } from './run-words.js'
import { createSelection } from './selection.js'
import { entriesBefore, pastOf, server } from './server.js'
import { openStream } from './stream.js'
import { followTail } from './tail.js'
import { Timeline } from './timeline.js'

/**
 * The picture of a team before anything runs.
 * @param {HTMLElement} page
 * @param {Body} component
 * @param {AbortSignal} signal
 */
export function previewTeam(page, component, signal) {
  const { flow, timeline } = pictures(page, component, createSelection(), signal)
  flow.draw()
  timeline.draw()
}

/**
 * Shows one run, its past first and then what happens, until the signal ends it. Its controls work at once.
 *
 * @param {HTMLElement} page
 * @param {Run} run
 * @param {AbortSignal} signal
 */
export function showRun(page, run, signal) {
  const selection = createSelection()
  const { flow, timeline, colours } = pictures(page, run.component, selection, signal)
  const part = partsIn(page)
  part('chat').replaceChildren()
  const tail = followTail(part('chat-scroll'), /** @type {HTMLButtonElement} */ (part('to-live')), signal)
  const toolbar = controls(part('controls'), run, (command) => server.command(run.id, command), signal)
  const chat = new Chat({
    list: part('chat'),
    earlier: /** @type {HTMLButtonElement} */ (part('earlier')),
    tail,
    selection,
    context: { colours, answer },
    entriesBefore: (before) => entriesBefore(run.id, before, 400, signal),
  }, signal)
  const gauge = gauges(part('gauges'))
  const feed = createFeed({
    chat: (batch) => chat.apply(batch),
    controls: (batch) => toolbar.apply(batch),
    flow: (batch) => flow.apply(batch),
    timeline: (batch) => timeline.apply(batch),
    gauges: (batch) => gauge.apply(batch),
  }, (name, error) => {
    console.error(error)
    toast(`The ${name} view stopped: reload the page to see it again.`, { tone: 'danger' })
  })

  /** @param {string} requestId @param {string} text */
  async function answer(requestId, text) {
    try {
      toolbar.take(await server.command(run.id, 'answer', { request_id: requestId, text }))
    } catch (error) {
      toastError(error)
      throw error
    }
  }

  async function readAndFollow() {
    for await (const entries of pastOf(run.id, signal)) feed.push({ ...nothing(false), entries })
    feed.push({ ...nothing(true), state: toolbar.state })
    tail.toEnd()
    timeline.draw()
    revealLinked(chat, selection)
    window.addEventListener('hashchange', () => revealLinked(chat, selection), { signal })
    if (!hasEnded(run.state)) follow(page, run, feed, toolbar.take, signal)
  }

  return { toolbar, step: /** @param {1 | -1} way */ (way) => selectNeighbour(chat, selection, way), shown: readAndFollow() }
}

/**
 * @param {HTMLElement} page
 * @param {Run} run
 * @param {ReturnType<typeof createFeed>} feed
 * @param {(state: Run) => void} take
 * @param {AbortSignal} signal
 */
function follow(page, run, feed, take, signal) {
  const lost = partsIn(page)('connection')
  openStream({
    after: feed.lastSeq,
    url: (after) => server.streamUrl(run.id, Math.max(after, feed.lastSeq)),
    onBatch: (batch) => feed.push(batch),
    onStatus: (status) => {
      if (status === 'open' && !lost.hidden) page.dispatchEvent(new CustomEvent('run:connected'))
      lost.hidden = status === 'open'
    },
    onDone: async () => {
      lost.hidden = true
      take(await server.run(run.id))
    },
    isOver: async () => {
      const now = await server.run(run.id)
      if (hasEnded(now.state)) for await (const entries of pastOf(run.id, signal)) feed.push({ ...nothing(true), entries })
      return hasEnded(now.state)
    },
  }, signal)
}

/** @param {HTMLElement} page @param {Body} component @param {ReturnType<typeof createSelection>} selection @param {AbortSignal} signal */
function pictures(page, component, selection, signal) {
  const part = partsIn(page)
  const participants = participantsOf(component)
  const colours = colourBook(participants)
  const flow = new Flow({ stage: part('flow'), table: part('flow-table'), component, colours, selection }, signal)
  const timeline = new Timeline({
    root: part('timeline'),
    caption: part('timeline-caption'),
    axis: /** @type {HTMLButtonElement} */ (part('timeline-axis')),
    lanes: participants.map((participant) => participant.name),
    colours,
    selection,
  }, signal)
  return { flow, timeline, colours }
}

/** @param {HTMLElement} page */
function partsIn(page) {
  /** @param {string} name */
  return (name) => find(`[data-part="${name}"]`, page)
}

/** @param {boolean} live @returns {Batch} */
const nothing = (live) => ({ entries: [], chunks: [], state: null, live })

/** @param {Chat} chat @param {ReturnType<typeof createSelection>} selection */
async function revealLinked(chat, selection) {
  const seq = Number(/^#seq-(\d+)$/.exec(location.hash)?.[1])
  if (!seq) return
  await chat.reveal(seq)
  selection.select(seq, 'link')
}

/** @param {Chat} chat @param {ReturnType<typeof createSelection>} selection @param {1 | -1} way */
function selectNeighbour(chat, selection, way) {
  const seq = chat.neighbour(way)
  if (seq !== null) selection.select(seq, 'keys')
}
