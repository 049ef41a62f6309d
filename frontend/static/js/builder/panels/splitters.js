// @ts-check
// The panels beside the canvas: made wider and narrower, folded, and over the canvas where code
// wants the room. Each tells `panel:fold`.
import { find, on } from '../../core/dom.js'
import { clampWidth, savePanelSizes, loadPanelSizes } from '../../core/panel-sizes.js'

/** @typedef {import('../../core/actions.js').Action} Action */
/**
 * @typedef {{ name: string, panel: HTMLElement, handle: HTMLElement, grows: 1 | -1, bounds:
 *   import('../../core/panel-sizes.js').Bounds }} Side  `grows`: 1 when it gets wider to the right
 */

const KEY = 'studio-builder-panels'
const STEP_PX = 16
const LARGE_STEP_PX = 64
/** Dragged to less than this part of its least width, a panel folds. */
const FOLDS_AT = 0.5
/** A sheet below the canvas instead of a panel beside it. */
const SHEET = 'sheet'

/**
 * @param {HTMLElement} root  of the builder
 * @param {import('../editor.js').Editor} editor
 * @param {AbortSignal} signal
 * @returns {{ actions: Action[], fold: (name: string) => void, unfold: (name: string) => void }}
 */
export function splitters(root, editor, signal) {
  const kept = loadPanelSizes(KEY)
  const narrow = matchMedia('(max-width: 720px)')
  if (!localStorage.getItem(KEY)) kept.folded.push(SHEET)
  if (!kept.folded.includes('run')) kept.folded.push('run') // it opens for a run
  /** @type {Side[]} */
  const sides = [
    {
      name: 'side',
      panel: find('[data-side]', root),
      handle: find('[data-splitter=side]', root),
      grows: 1,
      bounds: { least: 170, most: 420 },
    },
    {
      name: 'run',
      panel: find('[data-run-panel]', root),
      handle: find('[data-splitter=run]', root),
      grows: -1,
      bounds: { least: 280, most: 700 },
    },
    {
      name: 'inspector',
      panel: find('[data-inspector]', root),
      handle: find('[data-splitter=inspector]', root),
      grows: -1,
      bounds: { least: 280, most: 760 },
    },
  ]
  const folding = (/** @type {string} */ name) =>
    name === 'inspector' && narrow.matches ? SHEET : name
  const show = () => {
    root.dataset['folded'] = kept.folded.join(' ')
    for (const { name, panel, handle } of sides) {
      const width = kept.widths[name]
      if (width === undefined) root.style.removeProperty(`--${name}-width`)
      else root.style.setProperty(`--${name}-width`, `${width}px`)
      const isFolded = kept.folded.includes(folding(name))
      const button = find(`[data-fold=${name}]`, root)
      const label = `${isFolded ? 'Expand' : 'Collapse'} ${panel.getAttribute('aria-label')?.toLowerCase()}`
      button.setAttribute('aria-expanded', String(!isFolded))
      button.setAttribute('aria-label', label)
      button.title = label
      handle.hidden = isFolded
    }
    tellWidths()
  }
  const tellWidths = () => {
    for (const { panel, handle, bounds } of sides) {
      for (const [name, value] of [
        ['min', bounds.least],
        ['max', bounds.most],
        ['now', panel.offsetWidth],
      ])
        handle.setAttribute(`aria-value${name}`, String(value))
      handle.setAttribute('aria-valuetext', `${panel.offsetWidth} pixels`)
    }
  }
  /**
   * @param {Side} side
   * @param {number} width
   */
  const resize = (side, width) => {
    kept.widths[side.name] = clampWidth(
      width,
      side.bounds,
      side.panel.offsetWidth + find('[data-canvas]', root).offsetWidth,
    )
    show()
  }
  const keep = () => savePanelSizes(KEY, kept)
  /**
   * @param {string} name
   * @param {boolean} isFolded
   */
  const fold = (name, isFolded) => {
    const what = folding(name)
    if (kept.folded.includes(what) === isFolded) return
    kept.folded = isFolded ? [...kept.folded, what] : kept.folded.filter((each) => each !== what)
    const side = sides.find((each) => each.name === name)
    const hadFocus =
      isFolded &&
      side &&
      [side.panel, side.handle].some((each) => each.contains(document.activeElement))
    show()
    keep()
    if (hadFocus) find(`[data-fold=${name}]`, root).focus()
    side?.panel.dispatchEvent(new CustomEvent('panel:fold', { detail: isFolded }))
  }
  const toggle = (/** @type {string} */ name) => fold(name, !kept.folded.includes(folding(name)))
  for (const side of sides) {
    bindDrag(
      side,
      (width) => resize(side, width),
      keep,
      () => fold(side.name, true),
      signal,
    )
    bindKeys(
      side,
      (width) => {
        resize(side, width)
        keep()
      },
      signal,
    )
    side.handle.addEventListener(
      'dblclick',
      () => {
        delete kept.widths[side.name]
        show()
        keep()
      },
      { signal },
    )
  }
  on(root, 'click', '[data-fold]', (_event, button) => toggle(button.dataset['fold'] ?? ''), signal)
  on(root, 'click', '[data-inspector] [role=tab]', () => fold('inspector', false), signal)
  editor.addEventListener(
    'select',
    (event) => {
      if (/** @type {CustomEvent} */ (event).detail.reveal) fold('inspector', false)
    },
    { signal },
  )
  for (const media of [narrow, window])
    media.addEventListener(media === narrow ? 'change' : 'resize', show, { signal })
  show()
  const widen = bindWide(root, signal)
  /** @type {Action[]} */
  const actions = [
    {
      id: 'fold-side',
      label: 'Collapse or expand left panel',
      icon: 'panel-left',
      keys: ['mod+b'],
      group: 'View',
      scope: 'page',
      run: () => toggle('side'),
    },
    {
      id: 'fold-inspector',
      label: 'Collapse or expand inspector',
      icon: 'panel-right',
      keys: ['mod+alt+b'],
      group: 'View',
      scope: 'page',
      run: () => toggle('inspector'),
    },
    {
      id: 'widen-code',
      label: 'Expand JSON or Python',
      icon: 'maximize',
      group: 'View',
      scope: 'page',
      when: () =>
        root.querySelector('[data-widen]:not([hidden])') !== null ||
        'Only the JSON and Python tabs can be expanded.',
      run: widen,
    },
  ]
  return { actions, fold: (name) => fold(name, true), unfold: (name) => fold(name, false) }
}

/**
 * @param {Side} side
 * @param {(width: number) => void} resize
 * @param {() => void} keep
 * @param {() => void} fold
 * @param {AbortSignal} signal
 */
function bindDrag({ handle, panel, grows, bounds }, resize, keep, fold, signal) {
  handle.addEventListener(
    'pointerdown',
    (event) => {
      if (event.button !== 0) return
      const [from, width] = [event.clientX, panel.offsetWidth]
      let wanted = width
      const over = new AbortController()
      const own = { signal: AbortSignal.any([signal, over.signal]) }
      const end = () => {
        over.abort()
        handle.removeAttribute('data-dragged')
        if (wanted < bounds.least * FOLDS_AT) resize(width)
        keep()
        if (wanted < bounds.least * FOLDS_AT) fold()
      }
      handle.setPointerCapture(event.pointerId)
      handle.setAttribute('data-dragged', '')
      handle.addEventListener(
        'pointermove',
        (move) => {
          wanted = width + (move.clientX - from) * grows
          resize(wanted)
        },
        own,
      )
      for (const type of ['pointerup', 'pointercancel', 'lostpointercapture'])
        handle.addEventListener(type, end, own)
      document.addEventListener(
        'keydown',
        (key) => {
          if (key.key !== 'Escape') return
          wanted = width
          resize(width)
          end()
        },
        own,
      )
    },
    { signal },
  )
}

/**
 * @param {Side} side
 * @param {(width: number) => void} resize
 * @param {AbortSignal} signal
 */
function bindKeys({ handle, panel, grows, bounds }, resize, signal) {
  handle.addEventListener(
    'keydown',
    (event) => {
      const by = event.shiftKey ? LARGE_STEP_PX : STEP_PX
      /** @type {Record<string, number>} */
      const wanted = {
        ArrowLeft: panel.offsetWidth - by * grows,
        ArrowRight: panel.offsetWidth + by * grows,
        Home: bounds.least,
        End: bounds.most,
      }
      const width = wanted[event.key]
      if (width === undefined) return
      event.preventDefault()
      event.stopPropagation()
      resize(width)
    },
    { signal },
  )
}

/**
 * JSON and Python may lie over the canvas, which takes no focus meanwhile.
 * @param {HTMLElement} root
 * @param {AbortSignal} signal
 */
function bindWide(root, signal) {
  const button = find('[data-widen]', root)
  let isWanted = false
  const show = () => {
    const isCode =
      find('#panel-form', root).parentElement?.querySelector('[data-code-panel]:not([hidden])') !==
      null
    const isWide = isWanted && isCode
    button.hidden = !isCode
    root.toggleAttribute('data-wide', isWide)
    find('[data-canvas]', root).inert = isWide
    const label = isWide ? 'Dock panel' : 'Expand panel'
    button.setAttribute('aria-label', label)
    button.setAttribute('aria-pressed', String(isWide))
    button.title = label
  }
  const toggle = () => {
    isWanted = !isWanted
    show()
  }
  button.addEventListener('click', toggle, { signal })
  for (const panel of root.querySelectorAll('[data-inspector] [role=tabpanel]')) {
    panel.addEventListener('tab:show', () => queueMicrotask(show), { signal })
  }
  show()
  return toggle
}
