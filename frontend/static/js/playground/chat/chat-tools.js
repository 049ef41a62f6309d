// @ts-check
/** @import {Call, Item} from '../types.js' */
import { el, icon } from '../../core/dom.js'
import { pageTeamId } from '../../core/page-team.js'
import { showHidden } from '../../core/hidden-characters.js'
import { callSummary, clip, duration, prettyJson, wholeSeconds } from '../format.js'

/** What is done sooner needs no clock. */
const WORTH_TELLING_MS = 1000

/**
 * How the result of code begins that the sandbox kept from the network (studio/sandbox/grants.py).
 */
const NO_NETWORK = 'This code has no network access.'

/**
 * The calls of one request, each folded.
 * @param {Item} item
 */
export function renderCalls(item) {
  return el('div', { class: 'tool-calls' }, ...item.calls.map(renderCall))
}

/**
 * Show results that came in; what the reader unfolded stays so.
 * @param {HTMLElement} root
 * @param {Item} item
 */
export function updateCalls(root, item) {
  item.calls.forEach((call, index) => {
    const old = root.children[index]
    const fresh = renderCall(call)
    const detail = detailsOf(fresh)
    const was = old && detailsOf(old)
    if (detail && was) detail.open = was.open
    if (old) old.replaceWith(fresh)
    else root.append(fresh)
  })
}

/**
 * @param {Element} node
 * @returns {HTMLDetailsElement | null}
 */
const detailsOf = (node) =>
  node instanceof HTMLDetailsElement ? node : node.querySelector('details')

/** @param {Call} call */
function renderCall(call) {
  const state =
    call.result === null
      ? call.lost
        ? 'lost'
        : call.asking
          ? 'asking'
          : 'open'
      : call.isError
        ? 'error'
        : 'ok'
  const args = call.changed || call.args
  const node = el(
    'details',
    { class: 'tool-call', 'data-state': state },
    el(
      'summary',
      {},
      icon('wrench'),
      el('span', { class: 'tool-name' }, call.name),
      el('span', { class: 'tool-args truncate' }, args ? `(${callSummary(args)})` : ''),
      outcome(call, state),
    ),
    el(
      'div',
      { class: 'tool-detail' },
      call.changed !== '' && block('Arguments, changed by a person', prettyJson(call.changed)),
      call.args !== '' &&
        block(
          call.changed === '' ? 'Arguments' : 'Arguments, as the model wrote them',
          prettyJson(call.args),
        ),
      call.result === null
        ? el(
            'p',
            { class: 'muted small' },
            call.lost ? 'The run ended before there was a result.' : 'No result yet.',
          )
        : block(call.isError ? 'Error' : 'Result', prettyJson(call.result)),
      networkGrant(call.result ?? ''),
    ),
  )
  if (state !== 'open' || !call.said) return node
  return el(
    'div',
    { class: 'tool-call-summary', 'data-state': state },
    node,
    el('p', { class: 'tool-output truncate', title: showHidden(call.said) }, showHidden(call.said)),
  )
}

/**
 * Count the seconds of the calls under way.
 * @param {ParentNode} root
 */
export function tickCalls(root) {
  for (const node of root.querySelectorAll('[data-call-since]')) {
    const ms = Date.now() - Date.parse(/** @type {HTMLElement} */ (node).dataset.callSince ?? '')
    node.textContent = ms >= WORTH_TELLING_MS ? wholeSeconds(ms) : ''
  }
}

/** To the page on which an approver gives code a network; back to this run afterwards. */
export function networkGrant(/** @type {string} */ text) {
  const team = text.startsWith(NO_NETWORK) && pageTeamId()
  const back = new URLSearchParams({ back: location.pathname })
  return (
    team &&
    el(
      'p',
      {},
      el(
        'a',
        { class: 'button small', href: `/teams/${encodeURIComponent(team)}/review?${back}` },
        icon('globe'),
        'Allow hosts',
      ),
    )
  )
}

/**
 * @param {Call} call
 * @param {'open' | 'asking' | 'lost' | 'error' | 'ok'} state
 */
function outcome(call, state) {
  const words = {
    open: 'working',
    asking: 'waits for a decision',
    lost: call.lost,
    error: 'failed',
    ok: 'done',
  }
  return el(
    'span',
    { class: 'tool-outcome' },
    state === 'open' && el('span', { class: 'numeric', 'data-call-since': call.since }),
    call.durationMs !== null && el('span', { class: 'numeric' }, duration(call.durationMs)),
    icon(
      {
        open: 'loader-circle',
        asking: 'pause',
        lost: 'circle-stop',
        error: 'circle-alert',
        ok: 'circle-check',
      }[state],
    ),
    el(
      'span',
      { class: state === 'lost' || state === 'asking' ? '' : 'visually-hidden' },
      words[state],
    ),
  )
}

/**
 * @param {string} label
 * @param {string} text
 */
function block(label, text) {
  return el(
    'div',
    {},
    el('div', { class: 'tool-label' }, label),
    el('pre', { class: 'code-block', tabindex: '0' }, clip(text)),
  )
}
