// @ts-check
/** @import {Item, Run} from '../types.js' */
/** @import {ColourBook} from '../flow/participants.js' */
import { el, icon } from '../../core/dom.js'
import { clock } from '../format.js'
import { server, tailOf } from '../log/server.js'
import { hasEnded } from '../run-status.js'
import { renderItem } from './chat-items.js'
import { Thread } from './thread.js'

/** Further back the reader opens the run itself. */
const MAX_RUNS = 5
/** Entries of one run, from its end. */
const MAX_ENTRIES = 200
const SHOWN = ['message', 'handoff']

/**
 * What was said in the runs that this one continues, above a line.
 * @param {HTMLElement} root
 * @param {Run} run
 * @param {ColourBook} colours
 * @param {() => void} grown
 * @param {AbortSignal} signal
 */
export async function showEarlier(root, run, colours, grown, signal) {
  root.replaceChildren()
  signal.addEventListener('abort', () => root.replaceChildren())
  let before = run.continues
  for (let count = 0; before && count < MAX_RUNS; count += 1) {
    const [earlier, { entries, isWhole }] = await Promise.all([
      server.run(before),
      tailOf(before, MAX_ENTRIES, signal),
    ])
    if (signal.aborted) return
    root.prepend(renderRun(earlier, itemsOf(entries), isWhole, colours))
    grown()
    before = earlier.continues
  }
}

/**
 * @param {import('../types.js').Entry[]} entries
 * @returns {Item[]}
 */
function itemsOf(entries) {
  const thread = new Thread()
  thread.apply({ entries, chunks: [], state: null, live: false })
  return thread.takeChanges().items.filter(({ kind }) => SHOWN.includes(kind))
}

/**
 * @param {Run} run
 * @param {Item[]} items
 * @param {boolean} isWhole
 * @param {ColourBook} colours
 */
function renderRun(run, items, isWhole, colours) {
  const address = `/runs/${run.id}`
  const link = (/** @type {string} */ words) =>
    el('a', { href: address, 'data-run': run.id }, words)
  return el(
    'section',
    { class: 'earlier', 'aria-label': 'Earlier in this conversation' },
    !isWhole &&
      el('p', { class: 'muted small' }, 'Only the end is shown. ', link('Open the whole run')),
    ...items.map((item) => renderEarlierItem(item, colours, address)),
    el(
      'p',
      { class: 'marker' },
      el('span', {}, icon('history'), link('Earlier run'), hasEnded(run.state) ? '' : ' (active)'),
    ),
  )
}

/**
 * A message without what only the page of its own run can do.
 * @param {Item} item
 * @param {ColourBook} colours
 * @param {string} address
 */
function renderEarlierItem(item, colours, address) {
  const node = renderItem({ ...item, why: [] }, { colours, answer: async () => {} })
  node.removeAttribute('id')
  node.removeAttribute('data-seq')
  node.querySelector('.turn-more')?.remove()
  const time = node.querySelector('.turn-time')
  time?.setAttribute('href', `${address}#e${item.seq}`)
  time?.setAttribute('title', `Open this message, ${clock(item.at)}`)
  return node
}
