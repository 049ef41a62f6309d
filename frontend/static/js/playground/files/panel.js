// @ts-check
/** @import {Panel, RunFile} from '../types.js' */
import { api } from '../../core/api.js'
import { debounce, el, find, icon, on } from '../../core/dom.js'
import { can } from '../../core/permissions.js'
import { toastError } from '../../core/toast.js'
import { listTime } from '../format.js'
import { changesView } from './changes-view.js'
import { size } from './file-words.js'
import { preview } from './preview.js'

const REFRESH_MS = 400

/**
 * The files of a run: those that were attached, and those that its code wrote.
 * @type {Panel}
 */
export function filesPanel({ page, run, showView, signal }) {
  const root = find('[data-part="files"]', page)
  const list = find('[data-part="file-list"]', root)
  const shown = find('[data-part="file-preview"]', root)
  const all = /** @type {HTMLAnchorElement} */ (find('[data-part="all-files"]', root))
  /** @type {RunFile[]} */
  let files = []
  let chosen = 0
  let opened = new AbortController()
  all.href = `/api/runs/${run.id}/files/archive`
  list.replaceChildren()
  shown.replaceChildren()
  signal.addEventListener('abort', () => opened.abort())

  const refresh = debounce(async () => {
    try {
      files = await api.get(`/api/runs/${run.id}/files`, { signal })
      if (!signal.aborted) draw()
    } catch (error) {
      if (!signal.aborted) toastError(error)
    }
  }, REFRESH_MS)

  function draw() {
    find('[data-part="no-files"]', root).hidden = files.length > 0
    all.hidden = files.length === 0
    const hadFocus = list.contains(document.activeElement)
    list.replaceChildren(...files.map(line))
    if (hadFocus) focusChosen()
  }

  function focusChosen() {
    const button = list.querySelector('[aria-pressed="true"]') ?? list.querySelector('button')
    if (button instanceof HTMLElement) button.focus()
  }

  /** @param {RunFile} file */
  function line(file) {
    const by = file.direction === 'in' ? 'Attached' : file.agent || 'Code'
    return el(
      'li',
      { class: 'file-line' },
      el(
        'button',
        {
          type: 'button',
          class: 'file-open',
          'aria-pressed': String(file.number === chosen),
          on: { click: () => void show(file) },
        },
        icon(file.media_type.startsWith('image/') ? 'image' : 'file-code'),
        el('span', { class: 'file-name' }, file.name),
        el(
          'span',
          { class: 'muted small numeric' },
          `${size(file.size)} · ${by} · ${listTime(file.at)}`,
        ),
      ),
      can('editor') &&
        el(
          'button',
          {
            type: 'button',
            class: 'button quiet small',
            'aria-label': `Use ${file.name} in the next task`,
            on: {
              click: () =>
                page.dispatchEvent(new CustomEvent('files:attach', { detail: { ...file } })),
            },
          },
          'Use in next task',
        ),
      el(
        'a',
        {
          class: 'button quiet small icon-only',
          href: `/api/runs/${run.id}/files/${file.number}`,
          download: file.name.split('/').at(-1),
          'aria-label': `Download ${file.name}`,
          title: 'Download',
        },
        icon('download'),
      ),
    )
  }

  /** @param {RunFile} file */
  async function show(file) {
    chosen = file.number
    opened.abort()
    opened = new AbortController()
    const { signal: open } = opened
    draw()
    shown.ariaBusy = 'true'
    try {
      const address = `/api/runs/${run.id}/files/${file.number}`
      const node = await preview(address, file, open)
      if (open.aborted) return
      shown.replaceChildren(el('h3', {}, file.name), ...changesOf(file, open), node)
    } catch (error) {
      if (!open.aborted) toastError(error)
    }
    if (!open.aborted) shown.ariaBusy = 'false'
  }

  /**
   * What code changed since it wrote the file before, to be unfolded.
   * @param {RunFile} file
   * @param {AbortSignal} open
   */
  function changesOf(file, open) {
    const former = files.findLast(({ name, number }) => name === file.name && number < file.number)
    if (!former) return []
    const details = el(
      'details',
      { class: 'file-former' },
      el('summary', {}, 'Changes since the version before'),
    )
    const read = async () => {
      const query = `to_number=${file.number}`
      const address = `/api/runs/${run.id}/files/${former.number}/changes?${query}`
      try {
        details.append(changesView(await api.get(address, { signal: open })))
      } catch (error) {
        if (!open.aborted) toastError(error)
      }
    }
    details.addEventListener('toggle', () => details.childElementCount === 1 && void read())
    return [details]
  }

  on(
    page,
    'click',
    'a[data-file]',
    async (event, link) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return
      event.preventDefault()
      showView('files')
      refresh.flush()
      files = await api.get(`/api/runs/${run.id}/files`, { signal })
      const { file: id, name } = link.dataset
      const found = files.findLast((each) => each.id === id && each.name === name)
      if (found) await show(found)
      focusChosen()
    },
    signal,
  )
  refresh()
  return ({ entries, live }) => {
    if (live && entries.length > 0) refresh()
  }
}
