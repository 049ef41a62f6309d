// @ts-check
/** @import {Chat} from './chat.js' */
/** @import {Filter} from '../log/filter.js' */
/** @import {ColourBook} from '../flow/participants.js' */
/** @import {RunIndex} from '../log/run-index.js' */
/** @import {Selection} from '../log/selection.js' */
import { announce, debounce, el, find, on } from '../../core/dom.js'
import { toastError } from '../../core/toast.js'
import { LEVELS, saveLevel } from './detail-level.js'
import { NO_FILTER, isOn } from '../log/filter.js'
import { highlightMatches } from './search-highlights.js'
import { shownName } from '../flow/participants.js'
import { Search } from '../log/search.js'
import { searchIn } from '../log/server.js'

const TYPING_MS = 180

/**
 * The line above the conversation: how much is shown, of whom, and where a text is found.
 * @param {HTMLElement} root
 * @param {{runId: string, chat: Chat, index: RunIndex, selection: Selection, colours: ColourBook}}
 *   run
 * @param {AbortSignal} signal
 */
export function chatBar(root, { runId, chat, index, selection }, signal) {
  const input = /** @type {HTMLInputElement} */ (find('input[type=search]', root))
  const agents = /** @type {HTMLSelectElement} */ (find('[data-filter="agent"]', root))
  const kinds = /** @type {HTMLSelectElement} */ (find('[data-filter="kind"]', root))
  const status = find('[data-part="search-status"]', root)
  const search = new Search((text, after) => searchIn(runId, text, after, signal))
  let known = -1

  function showLevel() {
    for (const radio of /** @type {NodeListOf<HTMLInputElement>} */ (
      root.querySelectorAll('[name="detail"]')
    ))
      radio.checked = Number(radio.value) === chat.slots.level
  }

  function showFilter() {
    const { filter } = chat.slots
    agents.value = filter.agent
    kinds.value = filter.kind
    root.toggleAttribute('data-filtered', isOn(filter))
  }

  function showAgents() {
    if (known === index.sources.size) return
    known = index.sources.size
    const before = agents.value
    agents.replaceChildren(
      el('option', { value: '' }, 'Everyone'),
      ...[...index.sources.keys()].map((name) => el('option', { value: name }, shownName(name))),
    )
    agents.value = before
  }

  function showHits() {
    status.textContent = search.words(selection.seq)
    root.toggleAttribute('data-found', search.hits.length > 0)
    root.toggleAttribute('data-searching', search.text !== '')
    highlightMatches(search.text)
  }

  /** @param {number} level  out of bounds does nothing */
  function setLevel(level) {
    const chosen = LEVELS[level]
    if (!chosen) return
    chat.show({ level: /** @type {import('./detail-level.js').Level} */ (level) })
    saveLevel(chat.slots.level)
    showLevel()
    announce(`Shown: ${chosen.label.replace('+', 'and')}`)
  }

  /** @param {Filter} filter */
  function setFilter(filter) {
    chat.show({ filter })
    showFilter()
    const count = chat.slots.rows.length
    announce(count === 0 ? 'No matches.' : `${count} shown`)
  }

  /** @param {1 | -1} way */
  async function walk(way) {
    try {
      if (input.value.trim() !== search.text) await search.start(input.value.trim())
      const hit = await search.neighbour(
        selection.seq ?? (way === 1 ? 0 : Number.POSITIVE_INFINITY),
        way,
      )
      if (hit) {
        if (chat.slots.shownAt(hit.seq) < 0) chat.reveal(hit.seq, { isForced: true })
        showFilter()
        showLevel()
        selection.select(hit.seq, 'search')
      }
      showHits()
    } catch (error) {
      toastError(error)
    }
  }

  const look = debounce(async () => {
    try {
      if (await search.start(input.value.trim())) showHits()
    } catch (error) {
      toastError(error)
    }
  }, TYPING_MS)

  input.value = ''
  input.addEventListener('input', look, { signal })
  input.addEventListener(
    'keydown',
    (event) => {
      if (event.key === 'Enter' && !event.isComposing) {
        event.preventDefault()
        look.cancel()
        void walk(event.shiftKey ? -1 : 1)
      }
      if (event.key !== 'Escape') return
      input.value = ''
      look()
      find('[data-part="chat-scroll"]').focus({ preventScroll: true })
    },
    { signal },
  )
  on(
    root,
    'click',
    '[data-walk]',
    (_, button) => void walk(button.dataset.walk === 'next' ? 1 : -1),
    signal,
  )
  on(root, 'change', '[name="detail"]', (event) => setLevel(Number(event.target.value)), signal)
  on(
    root,
    'change',
    '[data-filter]',
    () => setFilter({ agent: agents.value, kind: /** @type {Filter['kind']} */ (kinds.value) }),
    signal,
  )
  on(
    find('[data-part="chat-none"]'),
    'click',
    '[data-clear-filter]',
    () => setFilter(NO_FILTER),
    signal,
  )
  selection.subscribe(() => showHits(), signal)
  signal.addEventListener('abort', () => highlightMatches(''))
  showLevel()
  showFilter()
  showHits()
  showAgents()

  return {
    /** More of the log is known. */
    grown() {
      showAgents()
      search.grown()
    },
    setFilter,
    walk,
    /** @param {1 | -1} by */
    detail: (by) => setLevel(chat.slots.level + by),
    isSearching: () => search.text !== '' || input.value.trim() !== '',
    focus() {
      input.focus()
      input.select()
    },
  }
}
/** @typedef {ReturnType<typeof chatBar>} ChatBar */
