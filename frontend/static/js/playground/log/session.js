// @ts-check
/** @import {Batch, Body, Panel, Run, RunContext} from '../types.js' */
import { find } from '../../core/dom.js'
import { toast, toastError } from '../../core/toast.js'
import { Chat } from '../chat/chat.js'
import { showEarlier } from '../chat/earlier-runs.js'
import { chatBar } from '../chat/chat-bar.js'
import { controls } from '../controls.js'
import { loadLevel } from '../chat/detail-level.js'
import { ActiveWork } from './active-work.js'
import { createFeed } from './feed.js'
import { gauges } from '../gauges.js'
import { Flow } from '../flow/flow.js'
import { panels } from '../panels.js'
import { colourBook, participantsOf } from '../flow/participants.js'
import { viewActions } from '../view-actions.js'
import { TOP_LEVEL, placesIn } from './nested-runs.js'
import { RunIndex } from './run-index.js'
import { RunItems } from './run-items.js'
import { requestRun, readRun } from './read-run.js'
import { createSelection } from './selection.js'
import { followRun } from './follow-run.js'
import { entriesBetween, server } from './server.js'
import { stickToBottom } from '../chat/stick-to-bottom.js'
import { Timeline } from '../timeline/timeline.js'

/**
 * @typedef {{actions: import('../../core/actions.js').Actions, showView: (name: string) => void}}
 *   Around  what the page gives each run
 */

/**
 * The picture of a team before anything runs.
 * @param {HTMLElement} page
 * @param {Body} component
 * @param {AbortSignal} signal
 */
export function previewTeam(page, component, signal) {
  const { flow, timeline } = pictures(
    page,
    component,
    { selection: createSelection(), index: new RunIndex(), work: new ActiveWork() },
    signal,
  )
  flow.draw()
  timeline.draw()
}

/**
 * Shows one run, its end first and then what happens, until the signal ends it. Its controls work
 * at once.
 *
 * @param {HTMLElement} page
 * @param {Run} run
 * @param {Around} around
 * @param {AbortSignal} signal
 */
export function showRun(page, run, around, signal) {
  const requested = requestRun(run, signal)
  const selection = createSelection()
  const index = new RunIndex(run.component)
  const work = new ActiveWork()
  const { flow, timeline, colours } = pictures(
    page,
    run.component,
    { selection, index, work },
    signal,
    async () => (await server.cost(run.id)).messages,
  )
  const part = partsIn(page)
  const read = (/** @type {number} */ after, /** @type {number} */ before) =>
    entriesBetween(run.id, after, before, signal)
  const items = new RunItems(index, read)
  const tail = stickToBottom(
    part('chat-scroll'),
    /** @type {HTMLButtonElement} */ (part('to-live')),
    () => chat.draw(),
    signal,
  )
  const toolbar = controls(
    part('controls'),
    run,
    (command) => server.command(run.id, command),
    work,
    signal,
  )
  const chat = new Chat(
    {
      scroller: part('chat-scroll'),
      list: part('chat'),
      none: part('chat-none'),
      tail,
      selection,
      index,
      items,
      context: { colours, answer },
      level: loadLevel(),
      work,
      component: run.component,
    },
    signal,
  )
  const bar = chatBar(part('chat-bar'), { runId: run.id, chat, index, selection, colours }, signal)
  const gauge = gauges(part('gauges'))
  const { actions, showView } = around
  actions.add([
    ...viewActions({ chat, index, selection, tail, bar, runId: run.id }),
    ...timeline.actions,
  ])
  actions.bind(timeline.surface, 'canvas', signal)
  const { tail: begun } = requested
  const context = { page, run, begun, selection, actions, entriesBetween: read, showView, signal }
  const pictured = {
    controls: (/** @type {Batch} */ batch) => toolbar.apply(batch),
    flow: (/** @type {Batch} */ batch) => flow.apply(batch),
    timeline: (/** @type {Batch} */ batch) => {
      timeline.isPriced = Boolean(toolbar.state.usage?.micro_usd)
      timeline.apply(batch)
    },
    ...opened(panels, context),
  }
  const feed = createFeed(
    {
      index: (batch) => index.takeEntries(batch.entries),
      chat: (batch) => chat.apply(batch),
      bar: () => bar.grown(),
      gauges: (batch) => gauge.apply(batch),
      ...pictured,
    },
    stopped,
  )

  /**
   * @param {string} requestId
   * @param {string} text
   * @param {import('../types.js').GivenFile[]} [files]
   */
  async function answer(requestId, text, files = []) {
    try {
      const given = { request_id: requestId, text, files }
      toolbar.showState(await server.command(run.id, 'answer', given))
    } catch (error) {
      toastError(error)
      throw error
    }
  }

  async function readAndFollow() {
    const back = () => tail.isFollowing && tail.toEnd()
    void showEarlier(part('earlier'), run, colours, back, signal).catch(
      (error) => signal.aborted || toastError(error),
    )
    const into = { index, items, push: feed.push, pictures: Object.keys(pictured), signal }
    const isWhole = await readRun(requested, into, () => {
      feed.push({ ...nothing(true), state: toolbar.state }, ['chat', 'bar'])
      tail.toEnd()
    })
    const views = isWhole ? ['gauges', ...Object.keys(pictured)] : undefined // the chat has all
    feed.push({ ...nothing(true), state: toolbar.state }, views)
    if (!isWhole && tail.isFollowing) tail.toEnd()
    revealLinked(chat, selection)
    window.addEventListener('hashchange', () => revealLinked(chat, selection), { signal })
    follow(page, run, feed, index, toolbar.showState, signal)
  }

  return { toolbar, shown: readAndFollow() }
}

/**
 * @param {string} name
 * @param {unknown} error
 */
function stopped(name, error) {
  console.error(error)
  toast(`The ${name} view stopped: reload the page to see it again.`, { tone: 'danger' })
}

/**
 * What the panels return, by their names.
 * @param {{[name: string]: Panel}} all
 * @param {RunContext} context
 */
function opened(all, context) {
  /** @type {{[name: string]: (batch: Batch) => void}} */
  const views = {}
  for (const [name, panel] of Object.entries(all)) {
    try {
      const view = panel(context)
      if (view) views[name] = view
    } catch (error) {
      stopped(name, error)
    }
  }
  return views
}

/**
 * @param {HTMLElement} page
 * @param {Run} run
 * @param {ReturnType<typeof createFeed>} feed
 * @param {RunIndex} index
 * @param {(state: Run) => void} onState
 * @param {AbortSignal} signal
 */
function follow(page, run, feed, index, onState, signal) {
  const lost = partsIn(page)('connection')
  const showLost = (/** @type {boolean} */ isLost) => {
    if (!isLost && !lost.hidden) page.dispatchEvent(new CustomEvent('run:connected'))
    lost.hidden = !isLost
  }
  followRun(run, { index, push: feed.push, onState, showLost }, signal)
}

/**
 * @param {HTMLElement} page
 * @param {Body} component
 * @param {{selection: ReturnType<typeof createSelection>, index: RunIndex, work: ActiveWork}} of
 * @param {AbortSignal} signal
 * @param {() => Promise<{seq: number, micro_usd: number}[]>} [costs]
 */
function pictures(page, component, { selection, index, work }, signal, costs = async () => []) {
  const part = partsIn(page)
  const participants = participantsOf(component)
  const places = placesIn(component)
  const colours = colourBook(participants)
  const flow = new Flow(
    {
      stage: part('flow'),
      table: part('flow-table'),
      chosen: part('flow-chosen'),
      design: part('flow-design'),
      component,
      colours,
      selection,
      work,
      itemOf: (seq) => index.itemOf(seq),
    },
    signal,
  )
  const timeline = new Timeline(
    {
      root: part('timeline-panel'),
      lanes: participants.map((participant) => participant.name),
      insideOf: (name) => places.get(name)?.[0] ?? TOP_LEVEL,
      colours,
      selection,
      costs,
    },
    signal,
  )
  return { flow, timeline, colours }
}

/** @param {HTMLElement} page */
function partsIn(page) {
  /** @param {string} name */
  return (name) => find(`[data-part="${name}"]`, page)
}

/**
 * @param {boolean} live
 * @returns {Batch}
 */
const nothing = (live) => ({ entries: [], chunks: [], state: null, live })

/**
 * `/runs/{id}#e123` opens there.
 * @param {Chat} chat
 * @param {ReturnType<typeof createSelection>} selection
 */
function revealLinked(chat, selection) {
  const seq = Number(/^#(?:e|seq-)(\d+)$/.exec(location.hash)?.[1])
  if (!seq) return
  chat.reveal(seq, { isForced: true })
  selection.select(seq, 'link')
}
