// @ts-check
/** @import {Call, Item} from '../types.js' */
import { el, icon } from '../../core/dom.js'
import { teamOfPage } from '../../core/team-of-page.js'
import { callSummary, clip, duration, prettyJson } from '../format.js'

/** How the error of a tool begins that the sandbox kept from the network (studio/tools/function_tool.py). */
const NO_NETWORK = 'This code has no network access.'

/** The calls of one request, each folded. @param {Item} item */
export function renderCalls(item) {
  return el('div', { class: 'tool-calls' }, ...item.calls.map(renderCall))
}

/** Show results that came in; what the reader unfolded stays so. @param {HTMLElement} root @param {Item} item */
export function updateCalls(root, item) {
  item.calls.forEach((call, index) => {
    const old = root.children[index]
    const fresh = renderCall(call)
    if (old instanceof HTMLDetailsElement) fresh.open = old.open
    if (old) old.replaceWith(fresh)
    else root.append(fresh)
  })
}

/** @param {Call} call */
function renderCall(call) {
  const state = call.result === null ? (call.lost ? 'lost' : 'open') : call.isError ? 'error' : 'ok'
  const node = el('details', { class: 'tool-call', 'data-state': state },
    el('summary', {},
      icon('wrench'),
      el('span', { class: 'tool-name' }, call.name),
      el('span', { class: 'tool-args truncate' }, call.args ? `(${callSummary(call.args)})` : ''),
      outcome(call, state)),
    el('div', { class: 'tool-detail' },
      call.args !== '' && block('Arguments', prettyJson(call.args)),
      call.result === null ? el('p', { class: 'muted small' }, call.lost ? 'The run ended before there was a result.' : 'No result yet.') : block(call.isError ? 'Error' : 'Result', prettyJson(call.result)),
      call.isError && call.result?.startsWith(NO_NETWORK) && networkGrant()))
  return node
}

/** To the page on which an approver gives code a network; back to this run afterwards. */
function networkGrant() {
  const team = teamOfPage()
  const back = new URLSearchParams({ back: location.pathname })
  return team && el('p', {}, el('a', { class: 'button small', href: `/teams/${encodeURIComponent(team)}/review?${back}` }, icon('globe'), 'Allow hosts'))
}

/** @param {Call} call @param {'open' | 'lost' | 'error' | 'ok'} state */
function outcome(call, state) {
  const words = { open: 'working', lost: call.lost, error: 'failed', ok: 'done' }
  return el('span', { class: 'tool-outcome' },
    call.durationMs !== null && el('span', { class: 'numeric' }, duration(call.durationMs)),
    icon({ open: 'loader-circle', lost: 'circle-stop', error: 'circle-alert', ok: 'circle-check' }[state]),
    el('span', { class: state === 'lost' ? '' : 'visually-hidden' }, words[state]))
}

/** @param {string} label @param {string} text */
function block(label, text) {
  return el('div', {}, el('div', { class: 'tool-label' }, label), el('pre', { class: 'code-block', tabindex: '0' }, clip(text)))
}
