// @ts-check
/** @import {Batch, RunState} from './types.js' */
/** @import {Command} from './run-status.js' */
import { find, on } from '../core/dom.js'
import { toastError } from '../core/toast.js'
import { costText } from './cost/money.js'
import { duration, tokens, usageTotal, usageText } from './format.js'
import { allowed, badge, hasEnded, isOlder } from './run-status.js'
import { Totals } from './totals.js'

/**
 * The toolbar: what the run does, and the buttons that change it.
 *
 * @param {HTMLElement} root
 * @param {RunState & {parent_seq?: number}} first
 * @param {(command: Command) => Promise<RunState>} send
 * @param {import('./log/active-work.js').ActiveWork} work  told of each batch before
 * @param {AbortSignal} signal
 */
export function controls(root, first, send, work, signal) {
  const totals = new Totals(first.parent_seq)
  totals.tell(first.usage)
  let run = first
  let isStopping = false
  /** A press that is on its way to the server, which seldom refuses it. */
  let isPausing = false
  let worker = ''

  function show() {
    const shown = isPausing && run.state === 'running' ? { ...run, finishing: true } : run
    const { word, look, more } = badge(shown, { isStopping, worker })
    const mark = find('[data-part="state"]', root)
    mark.textContent = word
    mark.dataset.state = look
    const rest = find('[data-part="state-more"]', root)
    rest.textContent = more
    rest.title = more
    showMocks(find('[data-part="mocked"]', root), run.mocks ?? [])
    const can = allowed(run)
    const focused = buttons(root).find((button) => button === document.activeElement)
    for (const button of buttons(root))
      button.disabled = !can[/** @type {Command} */ (button.dataset.command)]
    root.dataset.state = hasEnded(run.state) ? 'ended' : 'open'
    if (focused?.disabled && !hasEnded(run.state)) passFocus(focused)
    showTotals()
  }

  /**
   * A button that means nothing any more gives the focus to its opposite, else to the messages.
   * @param {HTMLButtonElement} from
   */
  function passFocus(from) {
    const opposite = { pause: 'resume', resume: 'pause' }[from.dataset.command ?? '']
    const button = buttons(root).find((one) => one.dataset.command === opposite && !one.disabled)
    ;(button ?? find('[data-part="chat-scroll"]')).focus({ preventScroll: true })
  }

  function showTotals() {
    const node = find('[data-part="totals"]', root)
    const total = usageTotal(totals.usage)
    node.hidden = total === 0
    find('[data-part="tokens"]', node).textContent = tokens(total)
    find('[data-part="money"]', node).textContent = costText(totals.reported)
    const time = find('[data-part="time"]', node)
    time.hidden = totals.ms === 0
    time.textContent = duration(totals.ms)
    node.title = usageText(totals.usage)
  }

  /** @param {RunState} news */
  function showState(news) {
    if (isOlder(news, run)) return
    run = { ...run, ...news }
    totals.tell(news.usage)
    show()
    root.dispatchEvent(
      new CustomEvent('run:state', { bubbles: true, detail: { ...run, usage: totals.usage } }),
    )
  }

  /** @param {Command} command */
  async function press(command) {
    if (!allowed(run)[command]) return
    const button = buttons(root).find((one) => one.dataset.command === command)
    button?.setAttribute('aria-busy', 'true')
    isPausing = command === 'pause'
    if (isPausing) show()
    try {
      showState(await send(command))
    } catch (error) {
      toastError(error)
    } finally {
      button?.removeAttribute('aria-busy')
      if (isPausing) {
        isPausing = false
        show()
      }
    }
  }

  on(
    root,
    'click',
    '[data-command]',
    (_, button) => press(/** @type {Command} */ (button.dataset.command)),
    signal,
  )
  show()

  return {
    press,
    /** Pause when it runs, go on when it is held. */
    toggle: () => press(allowed(run).pause ? 'pause' : 'resume'),
    /** @param {Batch} batch */
    apply(batch) {
      totals.apply(batch)
      isStopping ||= batch.entries.some(
        ({ kind, body }) => kind === 'command' && body.command === 'stop',
      )
      const before = worker
      worker = work.names.join(', ')
      if (batch.state) showState(batch.state)
      else if (worker !== before) show()
      else if (batch.entries.length > 0) showTotals()
    },
    get state() {
      return run
    },
    showState,
  }
}

/**
 * What the run replaced of its team: what it said of that is no answer of its own.
 * @param {HTMLElement} mark
 * @param {import('./types.js').Mocked[]} mocks
 */
function showMocks(mark, mocks) {
  mark.hidden = mocks.length === 0
  mark.textContent = `${mocks.length} ${mocks.length === 1 ? 'mock' : 'mocks'}`
  mark.title = `This run used ${mark.textContent}: ${mocks.map(({ name, kind }) => `${name} (${MOCKED[kind] ?? kind})`).join(', ')}.`
}

const MOCKED = /** @type {{[kind: string]: string}} */ ({
  disable: 'disabled',
  fixed: 'mocked',
  pin: 'pinned',
})

/**
 * Until a run is there, no button means anything.
 * @param {HTMLElement} root
 */
export function disableControls(root) {
  for (const button of buttons(root)) button.disabled = true
}

/** @param {HTMLElement} root */
const buttons = (root) =>
  /** @type {HTMLButtonElement[]} */ ([...root.querySelectorAll('[data-command]')])
