// @ts-check
// Who else has this team open, and where they are: in the header, and on the cards of the canvas.
import { api, ApiError } from '../core/api.js'
import { debounce, el, on } from '../core/dom.js'

/**
 * @typedef {import('./editor.js').Editor} Editor
 * @typedef {import('./autosave.js').Autosave} Saver
 * @typedef {import('./canvas/canvas.js').Canvas} Canvas
 * @typedef {{ name: string, tab: string, pointer: string, is_own: boolean }} Other
 */

/** The server forgets a window after two and a half of these. */
const EVERY_MS = 10_000
const SOON_MS = 500
const MAX_FACES = 4

/**
 * Tell the others where this window is, for as long as somebody sees it, and show where they are.
 * @param {HTMLElement} place  in the header
 * @param {{ editor: Editor, saver: Saver, canvas: Canvas }} builder
 * @param {string} teamId
 * @param {(pointer: string) => void} goTo
 * @param {AbortSignal} signal
 */
export function otherWindows(place, { editor, saver, canvas }, teamId, goTo, signal) {
  const url = `/api/teams/${encodeURIComponent(teamId)}/windows/${encodeURIComponent(saver.tab)}`
  /** @type {Other[]} */
  let others = []
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let next
  const mark = () => {
    if (others.length === 0 && canvas.root.querySelector('.node-others') === null) return
    canvas.scene?.cards.forEach((card, index) => {
      const node = canvas.nodeAt(index)
      const here = others.filter(({ pointer }) => canvas.cardOf(pointer) === card.pointer)
      if (node) markCard(node, here)
    })
  }
  const show = () => {
    drawFaces(place, editor, others)
    mark()
  }
  const report = async () => {
    clearTimeout(next)
    if (document.visibilityState !== 'visible') return
    try {
      const answer = await api.put(url, { pointer: editor.selection.slice(0, 1000) })
      if (signal.aborted) return
      if (JSON.stringify(answer.others) !== JSON.stringify(others)) {
        others = answer.others
        show()
      }
      if (answer.revision > saver.revision && saver.state === 'saved')
        void saver.refresh().catch(() => undefined)
    } catch (error) {
      if (error instanceof ApiError && [401, 403, 404].includes(error.status)) return
    }
    clearTimeout(next)
    next = setTimeout(report, EVERY_MS)
  }
  const soon = debounce(() => void report(), SOON_MS)
  editor.addEventListener('select', soon, { signal })
  for (const type of ['drawn', 'shown']) canvas.addEventListener(type, mark, { signal })
  document.addEventListener('visibilitychange', () => void report(), { signal })
  addEventListener('pageshow', (event) => event.persisted && void report(), { signal })
  addEventListener(
    'pagehide',
    () => void api.delete(url, { keepalive: true }).catch(() => undefined),
    { signal },
  )
  on(place, 'click', '[data-at]', (_event, face) => goTo(face.dataset['at'] ?? ''), signal)
  signal.addEventListener('abort', () => clearTimeout(next))
  void report()
}

/** @param {Other} other */
function nameOf(other) {
  return other.is_own ? 'You, in another window' : other.name
}

/**
 * @param {HTMLElement} place
 * @param {Editor} editor
 * @param {Other[]} others
 */
function drawFaces(place, editor, others) {
  const faces = others.slice(0, MAX_FACES).map((other) => {
    const at = other.pointer === '' ? 'the team' : editor.titleAt(other.pointer)
    const text = `${nameOf(other)}: at ${at}`
    return el(
      'li',
      {},
      el(
        'button',
        {
          type: 'button',
          class: 'face',
          'data-at': other.pointer,
          title: text,
          'aria-label': text,
        },
        initials(other.name),
      ),
    )
  })
  const more = others.length - faces.length
  place.replaceChildren(
    ...faces,
    ...(more > 0 ? [el('li', { class: 'muted small' }, `+${more}`)] : []),
  )
  place.hidden = others.length === 0
}

/**
 * @param {HTMLElement} node  a card
 * @param {Other[]} here
 */
function markCard(node, here) {
  const names = here.map(nameOf).join(', ')
  const before = node.querySelector('.node-others')
  if ((before?.getAttribute('title') ?? '') === names) return
  before?.remove()
  node.toggleAttribute('data-others', here.length > 0)
  if (here.length === 0) return
  node.append(
    el(
      'span',
      { class: 'node-others', title: names, role: 'img', 'aria-label': `Selected by ${names}` },
      ...here.slice(0, 3).map(({ name }) => el('span', { class: 'face' }, initials(name))),
    ),
  )
}

/**
 * "Ada Lovelace" is "AL", "vera" is "V".
 * @param {string} name
 */
export function initials(name) {
  const words = name.split(/[\s@._-]+/).filter(Boolean)
  const letters = [words[0], words.length > 1 ? words.at(-1) : ''].map(
    (word) => [...(word ?? '')][0] ?? '',
  )
  return letters.join('').toUpperCase() || '?'
}
