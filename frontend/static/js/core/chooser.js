// @ts-check
import { el, icon } from './dom.js'
import { keysLabel } from './shortcuts.js'

/**
 * One thing to choose; `about` is a second line. With a `reason` it is greyed, and the reason is
 * said instead of doing it.
 * @typedef {{ id: string, label: string, about?: string, detail?: string, group?: string, icon?:
 *   string, kind?: string, keys?: string[], reason?: string }} Option
 */

/** More than these are never looked through; the query narrows them. */
const MAX_SHOWN = 100

/**
 * Ask for one of many: a field that narrows a list while typing. Arrow keys move, Enter takes,
 * Escape leaves.
 * @param {{ title: string, placeholder?: string, find: (query: string) => Option[], none?: (query:
 *   string) => string, hints?: Node[], query?: string, changes?: EventTarget,
 * at?: { x: number, y: number }, takesPaste?: (text: string) => boolean }} question  `at`: where in
 *   the window it appears, else at the top of it;
 * `takesPaste`: whether a pasted text answers the question already; `changes`: fires `change` when
 *   there is more to find
 * @returns {Promise<Option | undefined>}
 */
export function choose({
  title,
  placeholder = 'Search',
  find,
  none = () => 'Nothing found.',
  hints = [],
  query = '',
  changes,
  at,
  takesPaste = () => false,
}) {
  const list = el('div', {
    class: 'chooser-list',
    id: 'chooser-list',
    role: 'listbox',
    'aria-label': title,
    tabindex: '-1',
  })
  const said = el('p', { class: 'chooser-none muted small', role: 'status' })
  const input = el('input', {
    class: 'chooser-input',
    type: 'text',
    role: 'combobox',
    placeholder,
    value: query,
    'aria-label': title,
    'aria-controls': 'chooser-list',
    'aria-expanded': 'true',
    'aria-autocomplete': 'list',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const close = el(
    'button',
    {
      type: 'button',
      class: 'button quiet small icon-only',
      'aria-label': 'Close',
      'data-closes': true,
    },
    icon('x'),
  )
  const dialog = el(
    'dialog',
    { class: 'dialog chooser', 'aria-label': title },
    el('div', { class: 'chooser-head' }, icon('search'), input, close),
    list,
    said,
    hints.length > 0 && el('div', { class: 'chooser-hints' }, ...hints),
  )
  /** @type {Option[]} */
  let shown = []
  let active = 0
  /** @type {Option | undefined} */
  let chosen

  const mark = () => {
    const items = list.querySelectorAll('[role=option]')
    items.forEach((item, index) => item.setAttribute('aria-selected', String(index === active)))
    const item = items[active]
    // Not before it is open: to look where things are then works out the whole page once more.
    if (dialog.open) {
      item?.scrollIntoView({ block: 'nearest' })
      if (active === 0) list.scrollTop = 0
    }
    if (item) input.setAttribute('aria-activedescendant', item.id)
    else input.removeAttribute('aria-activedescendant')
  }
  const show = () => {
    shown = find(input.value.trim()).slice(0, MAX_SHOWN)
    active = Math.max(
      0,
      shown.findIndex((each) => !each.reason),
    )
    list.replaceChildren(...lines(shown))
    list.hidden = shown.length === 0
    said.textContent = shown.length === 0 ? none(input.value.trim()) : ''
    mark()
  }
  const choose = (/** @type {number} */ index) => {
    const option = shown[index]
    if (!option) return
    active = index
    mark()
    said.textContent = option.reason ?? ''
    if (option.reason) return
    chosen = option
    dialog.close()
  }
  const move = (/** @type {number} */ to) => {
    active = (to + shown.length) % Math.max(1, shown.length)
    said.textContent = shown[active]?.reason ?? ''
    mark()
  }
  input.addEventListener('input', show)
  const renew = () => {
    const before = shown[active]?.id
    show()
    // what comes later takes nobody's Enter
    const index = shown.findIndex((each) => each.id === before)
    if (index >= 0) move(index)
  }
  changes?.addEventListener('change', renew)
  dialog.addEventListener('keydown', (event) => {
    const page = 8
    const to = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: Math.min(active + page, shown.length - 1),
      PageUp: Math.max(active - page, 0),
    }[event.key]
    if (event.key === 'Enter' && event.target === input && !event.isComposing) choose(active)
    else if (to !== undefined) move(to)
    else return
    event.preventDefault()
  })
  list.addEventListener('click', (event) => {
    const item = event.target instanceof Element ? event.target.closest('[role=option]') : null
    if (item instanceof HTMLElement) choose(Number(item.dataset['index']))
    input.focus()
  })
  input.addEventListener('paste', (event) => {
    if (!takesPaste(event.clipboardData?.getData('text/plain') ?? '')) return
    event.preventDefault()
    dialog.close()
  })
  document.body.append(dialog)
  show()
  dialog.showModal()
  if (active > 0) mark()
  if (at) placeAt(dialog, at)
  input.focus()
  input.select()
  return new Promise((resolve) =>
    dialog.addEventListener(
      'close',
      () => {
        changes?.removeEventListener('change', renew)
        dialog.remove()
        resolve(chosen)
      },
      { once: true },
    ),
  )
}

/**
 * @param {HTMLElement} dialog
 * @param {{ x: number, y: number }} at
 */
function placeAt(dialog, at) {
  dialog.dataset['at'] = ''
  const { offsetWidth, offsetHeight } = dialog
  dialog.style.left = `${Math.max(8, Math.min(at.x, innerWidth - offsetWidth - 8))}px`
  dialog.style.top = `${Math.max(8, Math.min(at.y, innerHeight - offsetHeight - 8))}px`
}

/**
 * The options, with a heading where a group begins.
 * @param {Option[]} options
 */
function lines(options) {
  return options.flatMap((option, index) => {
    const isNew = option.group && option.group !== options[index - 1]?.group
    return [
      ...(isNew ? [el('div', { class: 'chooser-group', role: 'presentation' }, option.group)] : []),
      line(option, index),
    ]
  })
}

/**
 * @param {Option} option
 * @param {number} index
 */
function line(option, index) {
  const glyph = option.icon ? icon(option.icon) : el('span', { class: 'icon' })
  if (option.kind) glyph.classList.add('kind-icon')
  return el(
    'div',
    {
      class: 'chooser-option',
      role: 'option',
      id: `chooser-option-${index}`,
      'data-index': index,
      'data-id': option.id,
      'data-kind': option.kind,
      'aria-selected': 'false',
      'aria-disabled': option.reason ? 'true' : null,
    },
    glyph,
    option.about
      ? el(
          'span',
          { class: 'chooser-lines' },
          el('span', { class: 'chooser-label truncate' }, option.label),
          el('span', { class: 'chooser-about truncate' }, option.about),
        )
      : el('span', { class: 'chooser-label truncate' }, option.label),
    (option.reason || option.detail) &&
      el('span', { class: 'chooser-detail truncate' }, option.reason || option.detail),
    (option.keys ?? []).length > 0 &&
      el(
        'span',
        { class: 'chooser-keys' },
        ...(option.keys ?? []).slice(0, 1).map((keys) => el('kbd', {}, keysLabel(keys))),
      ),
  )
}
