// @ts-check
/** @import {Cost} from './money.js' */
import { el } from '../../core/dom.js'
import { duration, tokens } from '../format.js'
import { costText, tokensOf } from './money.js'

const SHOWN = 5

/**
 * The messages that cost most; each leads to its place.
 * @param {(Cost & {seq: number, agent: string})[]} messages
 * @param {(seq: number) => void} show
 */
export function expensiveMessages(messages, show) {
  const dearest = messages
    .filter((each) => tokensOf(each) > 0)
    .sort((a, b) => b.micro_usd - a.micro_usd || tokensOf(b) - tokensOf(a))
    .slice(0, SHOWN)
  if (dearest.length === 0) return el('span', { hidden: true })
  const rows = dearest.map((each) =>
    el(
      'tr',
      {},
      el(
        'th',
        { scope: 'row' },
        el(
          'button',
          { class: 'link-button', type: 'button', on: { click: () => show(each.seq) } },
          `${each.agent}, entry ${each.seq}`,
        ),
      ),
      el('td', { class: 'end numeric' }, tokens(tokensOf(each))),
      el('td', { class: 'end numeric' }, costText(each)),
      el('td', { class: 'end numeric' }, duration(each.ms)),
    ),
  )
  const heads = ['Tokens', 'Cost', 'Time'].map((head) =>
    el('th', { scope: 'col', class: 'end' }, head),
  )
  return el(
    'table',
    { class: 'table cost-table' },
    el('caption', {}, 'Most expensive messages'),
    el(
      'thead',
      {},
      el(
        'tr',
        {},
        el('th', { scope: 'col' }, el('span', { class: 'visually-hidden' }, 'Message')),
        ...heads,
      ),
    ),
    el('tbody', {}, ...rows),
  )
}
