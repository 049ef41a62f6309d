// @ts-check
// The versions of the team: what changed in each, compared with any other or with now, named, and
// brought back.
import { api } from '../../core/api.js'
import { ask } from '../../core/dialog.js'
import { el, icon, on } from '../../core/dom.js'
import { can } from '../../core/permissions.js'
import { withSharedStructure } from '../../core/patch.js'
import { isHere } from '../../core/browser-tab.js'
import { toast, toastError } from '../../core/toast.js'
import { docOf } from '../autosave.js'
import { fetchDiff, momentText } from './diff.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../autosave.js').Autosave} Saver
 * @typedef {{ number: number, at: string, title: string, note: string, changes: string, author:
 *   string, kind: string }} Version
 */

const PAGE = 100
const MAX_NAMED = 500
const NOW = '0'

/**
 * What a person can do with versions.
 * @param {Editor} editor
 * @param {Saver} saver
 * @returns {import('../../core/actions.js').Action[]}
 */
export function versionActions(editor, saver) {
  return [
    {
      id: 'name-version',
      needs: 'editor',
      label: 'Name this version…',
      icon: 'flag',
      group: 'Team',
      scope: 'page',
      run: () => void nameNow(saver).catch(toastError),
    },
    {
      id: 'versions',
      label: 'Versions…',
      words: 'compare restore history go back',
      icon: 'history',
      keys: ['mod+shift+h'],
      group: 'Team',
      scope: 'page',
      run: () => void showVersions(editor, saver).catch(toastError),
    },
  ]
}

/**
 * @param {Editor} editor
 * @param {Saver} saver
 */
async function showVersions(editor, saver) {
  await saver.save()
  const list = el('div', {
    class: 'versions-list',
    role: 'group',
    'aria-label': 'Versions, the newest first',
  })
  const named = namedOnly(() => showRows())
  const [from, to] = [chooser('Compare'), chooser('with')]
  const changes = el('div', {
    class: 'versions-changes',
    tabindex: '0',
    role: 'region',
    'aria-label': 'What changed',
  })
  const rename = el(
    'button',
    { type: 'button', class: 'button', on: { click: () => void renamed().catch(toastError) } },
    icon('flag'),
    'Name…',
  )
  const back = el(
    'button',
    {
      type: 'button',
      class: 'button primary',
      on: { click: () => void restored().catch(toastError) },
    },
    icon('rotate-ccw'),
    'Restore',
  )
  const dialog = el(
    'dialog',
    {
      class: 'dialog versions',
      'aria-labelledby': 'versions-title',
      on: { close: () => dialog.remove() },
    },
    el(
      'div',
      { class: 'dialog-header' },
      el('h2', { id: 'versions-title' }, 'Versions'),
      el(
        'button',
        {
          type: 'button',
          class: 'button quiet icon-only',
          'aria-label': 'Close',
          'data-closes': true,
        },
        icon('x'),
      ),
    ),
    el(
      'div',
      { class: 'versions-body' },
      el('div', { class: 'versions-side' }, named.field, list),
      el(
        'div',
        { class: 'versions-main' },
        el('div', { class: 'versions-bar' }, from.field, to.field),
        changes,
        can('editor') && el('div', { class: 'versions-actions' }, rename, back),
      ),
    ),
  )
  /** @type {Version[]} */
  let versions = []
  /** @type {Version[]} Of all versions, also those that are not listed yet. */
  let withNames = []
  let hasOlder = false
  /** @type {AbortController | undefined} */
  let asking

  const side = (/** @type {string} */ value) =>
    value === NOW ? { document: editor.doc } : { team_id: saver.id, version: Number(value) }
  const show = async () => {
    asking?.abort()
    asking = new AbortController()
    for (const row of list.querySelectorAll('.version'))
      row.setAttribute(
        'aria-pressed',
        String(row.getAttribute('data-number') === from.select.value),
      )
    back.disabled = rename.disabled = from.select.value === NOW
    try {
      changes.replaceChildren(
        await fetchDiff(side(from.select.value), side(to.select.value), asking.signal),
      )
    } catch (error) {
      toastError(error)
    }
  }
  const pick = (/** @type {string} */ number) => {
    from.select.value = number
    to.select.value = NOW
    void show()
  }
  const showRows = () => {
    named.field.hidden = withNames.length === 0
    const isWhole = named.field.hidden || !named.input.checked
    const shown = isWhole ? versions : withNames
    list.replaceChildren(
      ...shown.map((each) =>
        row(each, each.number === versions[0]?.number, () => pick(String(each.number))),
      ),
    )
    if (isWhole && hasOlder) list.append(older)
    for (const each of list.querySelectorAll('.version'))
      each.setAttribute(
        'aria-pressed',
        String(each.getAttribute('data-number') === from.select.value),
      )
  }
  const read = (/** @type {string} */ query) =>
    /** @type {Promise<Version[]>} */ (
      api.get(`/api/teams/${encodeURIComponent(saver.id)}/versions?${query}`)
    )
  const fill = async () => {
    const [page, known] = await Promise.all([
      read(`limit=${PAGE}`),
      read(`named=true&limit=${MAX_NAMED}`),
    ])
    versions = page
    withNames = known
    hasOlder = page.length === PAGE
    showAll()
  }
  const fillOlder = async () => {
    const last = versions.at(-1)
    const page = last ? await read(`limit=${PAGE}&before=${last.number}`) : []
    versions = [...versions, ...page]
    hasOlder = page.length === PAGE
    showAll()
    const first = list.querySelector(`[data-number="${page[0]?.number}"]`)
    if (first instanceof HTMLElement) first.focus()
  }
  const older = el(
    'button',
    {
      type: 'button',
      class: 'button quiet small',
      on: { click: () => void fillOlder().catch(toastError) },
    },
    'Show older versions',
  )
  const showAll = () => {
    showRows()
    if (versions.length === 1)
      list.append(
        el(
          'p',
          { class: 'versions-first' },
          'Every save adds a version with its changes. Name a version before a large change to find it again.',
        ),
      )
    const listed = [
      ...versions,
      ...withNames.filter(({ number }) => number < (versions.at(-1)?.number ?? 0)),
    ]
    const options = [
      [NOW, 'now'],
      ...listed.map((each) => [
        String(each.number),
        `${each.number} · ${each.title || momentText(each.at)}`,
      ]),
    ]
    for (const { select } of [from, to]) {
      const { value } = select
      select.replaceChildren(
        ...options.map(([number, text]) => el('option', { value: number }, text)),
      )
      select.value = value
    }
  }
  const chosen = () =>
    [...versions, ...withNames].find((each) => String(each.number) === from.select.value)
  const renamed = async () => {
    const version = chosen()
    if (!version || !(await nameIt(saver, version.number, version.title))) return
    await fill()
    await show()
  }
  const restored = async () => {
    const version = chosen()
    if (!version) return
    dialog.close()
    await restore(editor, saver, version)
  }

  from.select.addEventListener('change', () => void show())
  to.select.addEventListener('change', () => void show())
  await fill()
  if (document.querySelector('dialog.versions')) return // asked for twice while they came
  document.body.append(dialog)
  dialog.showModal()
  pick(String(versions[1]?.number ?? versions[0]?.number ?? NOW))
  const first = list.querySelector('[aria-pressed=true]')
  if (first instanceof HTMLElement) first.focus()
}

/** @param {string} label */
function chooser(label) {
  const id = `versions-${label.toLowerCase()}`
  const select = el('select', { class: 'input', id })
  return {
    select,
    field: el('div', { class: 'versions-choice' }, el('label', { for: id }, label), select),
  }
}

/**
 * Leaves only what somebody gave a name.
 * @param {() => void} change
 */
function namedOnly(change) {
  const input = el('input', { type: 'checkbox', on: { change } })
  return { input, field: el('label', { class: 'check versions-named' }, input, 'Named only') }
}

/**
 * @param {Version} version
 * @param {boolean} isLatest
 * @param {() => void} pick
 */
function row(version, isLatest, pick) {
  const { number, title, note, changes, author, kind, at } = version
  const text = changes || note || (number === 1 ? 'first version' : 'cards moved')
  const who = author === '' ? '' : isHere(author) ? 'You' : author.split('#')[0]
  return el(
    'button',
    {
      type: 'button',
      class: 'version',
      'data-number': number,
      'data-kind': kind || null,
      'aria-pressed': 'false',
      on: { click: pick },
    },
    title && el('span', { class: 'version-title' }, icon('flag'), title),
    el('span', { class: 'version-text' }, text),
    note && changes && el('span', { class: 'version-note' }, note),
    el(
      'span',
      { class: 'version-meta' },
      [`${number}`, who, momentText(at), isLatest ? 'latest' : ''].filter(Boolean).join(' · '),
    ),
  )
}

/**
 * Bring a version back, as one step that can be undone.
 * @param {Editor} editor
 * @param {Saver} saver
 * @param {Version} version
 */
async function restore(editor, saver, version) {
  const stored = await api.get(
    `/api/teams/${encodeURIComponent(saver.id)}/versions/${version.number}`,
  )
  const name = version.title || `version ${version.number}`
  if (
    !editor.run({
      label: `Restore ${name}`,
      apply: (doc) => withSharedStructure(doc, docOf(stored)),
    })
  )
    return toast('The team already matches this version.')
  const { doc } = editor
  toast(`Restored ${name}.`, {
    tone: 'success',
    action: { label: 'Undo restore', run: () => editor.takeBack(doc) },
  })
  await saver.save({ note: `Restored version ${version.number}` })
}

/** @param {Saver} saver */
async function nameNow(saver) {
  await saver.save()
  if (saver.state !== 'saved')
    return toast('The team is not saved yet, so there is no version to name.', { tone: 'warning' })
  if (await nameIt(saver, saver.revision, '')) toast('Version named.', { tone: 'success' })
}

/**
 * @param {Saver} saver
 * @param {number} number
 * @param {string} title
 * @returns {Promise<boolean>}
 */
async function nameIt(saver, number, title) {
  const input = el('input', {
    class: 'input',
    id: 'version-title',
    maxlength: 120,
    value: title,
    placeholder: 'Before the new prompt',
  })
  const body = el('div', { class: 'field' }, el('label', { for: 'version-title' }, 'Name'), input)
  const answer = ask({
    title: `Name version ${number}`,
    body,
    choices: [{ value: 'ok', label: 'Save', tone: 'primary' }],
  })
  input.select()
  if ((await answer) !== 'ok' || (input.value.trim() === '' && title === '')) return false
  await api.put(`/api/teams/${encodeURIComponent(saver.id)}/versions/${number}/title`, {
    title: input.value.trim(),
  })
  return true
}

/**
 * The buttons that open them.
 * @param {HTMLElement} root
 * @param {Editor} editor
 * @param {Saver} saver
 * @param {AbortSignal} signal
 */
export function versions(root, editor, saver, signal) {
  on(
    root,
    'click',
    '[data-versions]',
    () => void showVersions(editor, saver).catch(toastError),
    signal,
  )
}
