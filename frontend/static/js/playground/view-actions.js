// @ts-check
/** @import {Action} from '../core/actions.js' */
/** @import {Chat} from './chat/chat.js' */
/** @import {ChatBar} from './chat/chat-bar.js' */
/** @import {Row, RunIndex} from './log/run-index.js' */
/** @import {Selection} from './log/selection.js' */
/** @import {StickToBottom} from './chat/stick-to-bottom.js' */
import { announce } from '../core/dom.js'
import { copy } from '../core/copy.js'
import { NO_FILTER, isOn } from './log/filter.js'

/**
 * @typedef {{chat: Chat, index: RunIndex, selection: Selection, tail: StickToBottom, bar: ChatBar, runId:
 *   string}} RunView
 */

/**
 * What a reader of a run can do with keys.
 * @param {RunView} reading
 * @returns {Action[]}
 */
export function viewActions({ chat, index, selection, tail, bar, runId }) {
  /**
   * The next row that is asked for, from the selected one on.
   * @param {1 | -1} way
   * @param {(row: Row) => boolean} isWanted
   * @param {string} none
   */
  const go = (way, isWanted, none) => {
    const { rows } = chat.slots
    // back from the newest, which is in view
    const isAtEnd = selection.seq === null && tail.isFollowing && way === -1
    for (
      let place = (isAtEnd ? rows.length : chat.here) + way;
      place >= 0 && place < rows.length;
      place += way
    ) {
      const row = /** @type {Row} */ (rows[place])
      if (!isWanted(row)) continue
      selection.select(row.seq, 'keys')
      return
    }
    announce(none)
  }
  const isError = (/** @type {Row} */ row) => index.failed.has(row.seq)
  const isTool = (/** @type {Row} */ row) => row.item === 'tools' || row.item === 'code'
  const isItem = (/** @type {Row} */ row) =>
    row.item !== 'command' &&
    (row.item !== '' || chat.slots.level === 3 || chat.slots.filter.kind !== '')
  const whenSelected = () => (selection.seq !== null ? true : 'Nothing is selected.')
  const whenFound = () => (bar.isSearching() ? true : 'No search yet.')
  /** @type {Omit<Action, 'group' | 'scope'>[]} */
  const list = [
    {
      id: 'next-item',
      label: 'Next item',
      icon: 'chevron-down',
      keys: ['j'],
      run: () => go(1, isItem, 'This is the last one.'),
    },
    {
      id: 'item-before',
      label: 'Previous item',
      icon: 'chevron-up',
      keys: ['k'],
      run: () => go(-1, isItem, 'This is the first one.'),
    },
    {
      id: 'next-error',
      label: 'Next error',
      icon: 'circle-alert',
      keys: ['e'],
      run: () => go(1, isError, 'No later error.'),
    },
    {
      id: 'error-before',
      label: 'Previous error',
      icon: 'circle-alert',
      keys: ['shift+e'],
      run: () => go(-1, isError, 'No earlier error.'),
    },
    {
      id: 'next-tool',
      label: 'Next tool call',
      icon: 'wrench',
      keys: ['t'],
      run: () => go(1, isTool, 'No later tool call.'),
    },
    {
      id: 'tool-before',
      label: 'Previous tool call',
      icon: 'wrench',
      keys: ['shift+t'],
      run: () => go(-1, isTool, 'No earlier tool call.'),
    },
    {
      id: 'go-to-start',
      label: 'Go to the start',
      icon: 'arrow-up',
      keys: ['g'],
      run: () => {
        if (chat.slots.rows[0]) selection.select(chat.slots.rows[0].seq, 'keys')
      },
    },
    {
      id: 'go-to-end',
      label: 'Go to newest',
      icon: 'arrow-down',
      keys: ['shift+g'],
      run: () => {
        selection.select(null, 'keys')
        tail.toEnd()
      },
    },
    {
      id: 'search-run',
      label: 'Search this run',
      icon: 'search',
      keys: ['/'],
      run: () => bar.focus(),
    },
    {
      id: 'next-hit',
      label: 'Next result',
      icon: 'search',
      keys: ['n'],
      when: whenFound,
      run: () => void bar.walk(1),
    },
    {
      id: 'hit-before',
      label: 'Previous result',
      icon: 'search',
      keys: ['shift+n'],
      when: whenFound,
      run: () => void bar.walk(-1),
    },
    {
      id: 'more-detail',
      label: 'Show more detail',
      icon: 'plus',
      keys: ['d'],
      run: () => bar.detail(1),
    },
    {
      id: 'less-detail',
      label: 'Show less detail',
      icon: 'minus',
      keys: ['shift+d'],
      run: () => bar.detail(-1),
    },
    {
      id: 'only-errors',
      label: 'Show only errors',
      icon: 'circle-alert',
      run: () => bar.setFilter({ agent: '', kind: 'errors' }),
    },
    {
      id: 'no-filter',
      label: 'Show all again',
      icon: 'eye',
      when: () => (isOn(chat.slots.filter) ? true : 'Nothing is filtered.'),
      run: () => bar.setFilter(NO_FILTER),
    },
    {
      id: 'copy-link',
      label: 'Copy link to selection',
      icon: 'link',
      keys: ['l'],
      when: whenSelected,
      run: () => void copy(`${location.origin}/runs/${runId}#e${selection.seq}`, 'Link copied.'),
    },
    {
      id: 'select-none',
      label: 'Clear selection',
      icon: 'x',
      keys: ['escape'],
      run: () => (selection.seq === null ? false : void selection.select(null, 'keys')),
    },
  ]
  return list.map((each) => ({ ...each, group: 'Read', scope: 'page' }))
}
