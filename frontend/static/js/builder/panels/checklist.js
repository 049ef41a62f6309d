// @ts-check
import { api } from '../../core/api.js'
import { el, find, icon, on, prose } from '../../core/dom.js'
import { can } from '../../core/permissions.js'
import { isSame } from '../../core/pointer.js'
import { pageTeamId } from '../../core/page-team.js'
import { toastError } from '../../core/toast.js'
import { notifyChanged } from '../actions.js'
import { ownerOf } from '../document/commands.js'
import {
  alike,
  applyFix,
  counted,
  dismiss,
  headline,
  referTo,
  showAgain,
  sorted,
  wrapInTeam,
} from '../document/findings.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../editor.js').Need} Need
 * @typedef {import('../../core/api.js').Finding} Finding
 * @typedef {import('../document/findings.js').Checked} Checked
 */

/**
 * The button that counts what is to be done, and the list behind it: each entry leads to its place,
 * and mends itself where that is a matter of a press.
 * @param {HTMLElement} button
 * @param {HTMLElement} panel
 * @param {Editor} editor
 * @param {AbortSignal} signal
 */
export function checklist(button, panel, editor, signal) {
  /** @type {[Checked, isKnown: boolean] | undefined} */
  let shown
  /** @type {Map<string, HTMLElement>} */
  const forms = new Map()
  const show = () => {
    const checked = sorted(editor.report, editor.doc)
    showHeadline(button, checked, editor.report.isKnown)
    if (shown && isSame(shown, [checked, editor.report.isKnown])) return
    shown = [checked, editor.report.isKnown]
    if (panel.matches(':popover-open'))
      keepingFocus(panel, () => draw(panel, editor, checked, forms))
  }
  editor.addEventListener('report', show, { signal })
  let { dismissed } = editor.doc.layout
  editor.addEventListener(
    'doc',
    () => {
      const isAnew = dismissed !== editor.doc.layout.dismissed
      dismissed = editor.doc.layout.dismissed
      if (isAnew)
        editor.setReport(editor.report) // the badges of cards and rows count hints as well
      else show()
    },
    { signal },
  )
  panel.addEventListener(
    'beforetoggle',
    (event) => {
      if (event.newState !== 'open') return
      forms.clear()
      draw(panel, editor, sorted(editor.report, editor.doc), forms)
    },
    { signal },
  )
  panel.addEventListener(
    'toggle',
    (event) => {
      if (event.newState === 'open') entries(panel)[0]?.focus()
    },
    { signal },
  )
  panel.addEventListener('keydown', (event) => moveAmong(entries(panel), event), { signal })
  on(
    panel,
    'submit',
    'form',
    (event, form) => {
      event.preventDefault()
      const need = editor.report.needs.find((each) => each.reference === form.dataset['secret'])
      if (need) void store(editor, need, /** @type {HTMLInputElement} */ (find('input', form)))
    },
    signal,
  )
  show()
}

/**
 * Problems as a list that leads to their places, for others to show.
 * @param {Editor} editor
 * @param {Finding[]} findings
 */
export function problemList(editor, findings) {
  return list(findings.map((each) => row(editor, each, 'error', 'circle-alert')))
}

/**
 * Go to what a finding is about: selected, unfolded, focused.
 * @param {Editor} editor
 * @param {string} reported
 */
export function goTo(editor, reported) {
  const where = editor.reportedPlace(reported) ?? ''
  document.getElementById('tab-form')?.click()
  // until the field is there, or where there is none
  document.getElementById('panel-form')?.focus({ preventScroll: true })
  editor.select(editor.catalogue.owner(editor.root, where), { reveal: where })
}

/**
 * @param {HTMLElement} button
 * @param {Checked} checked
 * @param {boolean} isKnown
 */
function showHeadline(button, checked, isKnown) {
  const { state, text, glyph } = headline(checked, isKnown)
  const label = find('[data-label]', button)
  button.dataset['state'] = state
  find('.icon', button).dataset['icon'] = glyph
  if (label.textContent !== text) label.textContent = text
}

/** @param {HTMLElement} panel */
function entries(panel) {
  return /** @type {HTMLElement[]} */ (
    [...panel.querySelectorAll('.checklist-item')].filter((each) => each.checkVisibility())
  )
}

/**
 * The arrow keys go from entry to entry, Tab to what can be done with one.
 * @param {HTMLElement[]} items
 * @param {KeyboardEvent} event
 */
function moveAmong(items, event) {
  if (event.target instanceof HTMLInputElement || !['ArrowDown', 'ArrowUp'].includes(event.key))
    return
  event.preventDefault()
  const here = items.findIndex((each) => each.closest('li')?.contains(document.activeElement))
  items[(here + (event.key === 'ArrowDown' ? 1 : -1) + items.length) % items.length]?.focus()
}

/**
 * What had the focus keeps it, or the entry that took its place.
 * @param {HTMLElement} panel
 * @param {() => void} change
 */
function keepingFocus(panel, change) {
  const active = document.activeElement
  const had = active instanceof HTMLElement && panel.contains(active) ? active : null
  const index = entries(panel).findIndex((each) => each.closest('li')?.contains(had))
  change()
  if (!had) return
  if (had.isConnected) return had.focus()
  const items = entries(panel)
  const next =
    items[Math.min(Math.max(index, 0), items.length - 1)] ?? panel.querySelector('[tabindex]')
  if (next instanceof HTMLElement) next.focus()
}

/**
 * @param {HTMLElement} panel
 * @param {Editor} editor
 * @param {Checked} checked
 * @param {Map<string, HTMLElement>} forms  those being filled in
 */
function draw(panel, editor, checked, forms) {
  const { problems, advice, dismissed, needs, asked, noTeam } = checked
  const { capabilities, parts, isKnown } = editor.report
  const hintRow = (/** @type {Finding} */ each) =>
    row(
      editor,
      each,
      'hint',
      'lightbulb',
      null,
      act('x', 'Dismiss this hint', () => editor.run(dismiss(each)), editor),
    )
  panel.replaceChildren(
    ...[
      noTeam !== '' && noTeamNote(editor, noTeam),
      ...section(
        'Problems',
        'to fix before running',
        alike(problems).flatMap((group) =>
          grouped(group.map((each) => row(editor, each, 'error', 'circle-alert'))),
        ),
        problems.length,
      ),
      ...section(
        'Needs',
        'missing on this machine',
        needs.map((each) =>
          row(editor, each, 'warning', 'key-round', secretForm(editor, each, forms)),
        ),
      ),
      ...section(
        'Advice',
        'worth a look',
        alike(advice).flatMap((group) => grouped(group.map(hintRow))),
        advice.length,
      ),
      dismissed.length > 0 &&
        el(
          'details',
          { class: 'checklist-fold' },
          el(
            'summary',
            {},
            icon('chevron-right'),
            `${counted(dismissed.length, 'hint')} dismissed`,
          ),
          list(
            dismissed.map((each) =>
              row(
                editor,
                each,
                'off',
                'lightbulb',
                null,
                act('eye', 'Show this hint again', () => editor.run(showAgain(each)), editor),
              ),
            ),
          ),
        ),
      ...section(
        'Permissions',
        'you will be asked on the first run',
        asked.map((each) =>
          row(
            editor,
            { code: each.kind, message: each.text, fix: '', where: each.where },
            '',
            'shield-alert',
          ),
        ),
      ),
      asked.length > 0 && reviewLink(),
      !isKnown &&
        el('p', { class: 'checklist-none', tabindex: '-1' }, icon('loader-circle'), 'Checking…'),
      isKnown &&
        !noTeam &&
        problems.length + needs.length + advice.length === 0 &&
        el(
          'p',
          { class: 'checklist-none', tabindex: '-1' },
          icon('circle-check'),
          el(
            'span',
            {},
            el('b', {}, 'No problems.'),
            asked.length > 0
              ? ' The team can run once you approve its permissions.'
              : ' The team can run.',
          ),
        ),
      isKnown &&
        passedRow(
          parts.filter((part) => part.status === 'loaded').length,
          capabilities.length - asked.length,
        ),
    ].filter((each) => each instanceof Node),
  )
}

/** All that is asked for, exactly and one by one, is on a page of its own. */
function reviewLink() {
  const page = `/teams/${encodeURIComponent(pageTeamId())}`
  return el(
    'p',
    { class: 'checklist-passed' },
    icon('shield-check'),
    el(
      'a',
      { href: `${page}/review?${new URLSearchParams({ back: page })}` },
      'Review permissions',
    ),
  )
}

/**
 * What was checked and is in order, in one quiet line.
 * @param {number} sound
 * @param {number} approved
 */
function passedRow(sound, approved) {
  const words = [
    sound > 0 && `${counted(sound, 'part')} checked`,
    approved > 0 && `${counted(approved, 'permission')} approved`,
  ].filter(Boolean)
  return (
    words.length > 0 && el('p', { class: 'checklist-passed' }, icon('check'), words.join(' · '))
  )
}

/**
 * Why there is no run, and what makes one possible.
 * @param {Editor} editor
 * @param {string} why
 */
function noTeamNote(editor, why) {
  const team = editor.catalogue.entries.find(
    (each) => each.group === 'teams' && each.drawn_as === 'order',
  )
  const isAgent = editor.catalogue.kindOf(editor.root) === 'agent'
  return el(
    'div',
    { class: 'checklist-none', 'data-no-team': true, tabindex: '-1' },
    icon('info'),
    el('span', {}, why),
    isAgent &&
      team &&
      editor.whyNot === '' &&
      el(
        'button',
        {
          type: 'button',
          class: 'button small',
          on: { click: () => editor.run(wrapInTeam(team.template)) },
        },
        'Wrap in a team',
      ),
  )
}

/**
 * The same said of many places is one row; the others are folded behind it.
 * @param {HTMLElement[]} rows
 */
function grouped(rows) {
  const [first, ...others] = rows
  if (!first || others.length < 2) return rows
  first.append(
    el(
      'details',
      { class: 'checklist-fold' },
      el('summary', {}, icon('chevron-right'), `and ${others.length} more`),
      list(others),
    ),
  )
  return [first]
}

/**
 * @param {string} title
 * @param {string} what
 * @param {HTMLElement[]} rows
 * @param {number} [count]
 * @returns {Node[]}
 */
function section(title, what, rows, count = rows.length) {
  if (rows.length === 0) return []
  return [
    el(
      'h2',
      { class: 'checklist-title' },
      title,
      el('span', { class: 'count' }, count),
      el('span', { class: 'checklist-detail' }, what),
    ),
    list(rows),
  ]
}

/** @param {HTMLElement[]} rows */
function list(rows) {
  return el('ul', { role: 'list', class: 'checklist-list' }, ...rows)
}

/**
 * @param {Editor} editor
 * @param {Finding} finding
 * @param {string} tone
 * @param {string} glyph
 * @param {HTMLElement | null} [more]  what else can be done
 * @param {HTMLElement | false} [aside]
 */
function row(editor, finding, tone, glyph, more, aside) {
  const { where, message, fix, fixes = [] } = finding
  const owner = placeName(editor, where)
  const leap = () => {
    find('#checklist').hidePopover()
    goTo(editor, where)
  }
  const mend = (editor.whyNot === '' ? fixes : []).map((each) =>
    el(
      'button',
      {
        type: 'button',
        class: 'button small',
        title: each.label,
        on: { click: () => runFix(editor, each) },
      },
      each.label,
    ),
  )
  return el(
    'li',
    { class: 'checklist-row', 'data-tone': tone, 'data-code': finding.code },
    el(
      'button',
      { type: 'button', class: 'checklist-item', 'data-where': where, on: { click: leap } },
      icon(glyph),
      el(
        'span',
        {},
        owner && el('b', { class: 'checklist-owner' }, owner),
        el(
          'span',
          { class: 'checklist-text' },
          ...prose(message),
          fix && el('span', { class: 'muted' }, ' ', ...prose(fix)),
        ),
      ),
    ),
    aside,
    (mend.length > 0 || more) && el('div', { class: 'checklist-actions' }, ...mend, more),
  )
}

/**
 * "writer › gpt-4o": what a place is in, and for parts without a name of their own whose part it
 * is.
 * @param {Editor} editor
 * @param {string} where
 */
function placeName(editor, where) {
  const owner = editor.catalogue.owner(editor.root, where)
  const around = ownerOf(owner)
  const isNamed = owner === '' || editor.at(owner)?.config['name'] !== undefined
  return [!isNamed && around !== '' && editor.titleAt(around), editor.titleAt(owner)]
    .filter(Boolean)
    .join(' › ')
}

/**
 * @param {string} glyph
 * @param {string} label
 * @param {() => void} click
 * @param {Editor} editor
 */
function act(glyph, label, click, editor) {
  return (
    editor.whyNot === '' &&
    el(
      'button',
      {
        type: 'button',
        class: 'button quiet small icon-only',
        'aria-label': label,
        title: label,
        on: { click },
      },
      icon(glyph),
    )
  )
}

/**
 * @param {Editor} editor
 * @param {Need} need
 * @param {Map<string, HTMLElement>} forms
 */
function secretForm(editor, need, forms) {
  if (need.name === '' || editor.whyNot !== '') return null
  if (need.is_stored)
    return el(
      'button',
      { type: 'button', class: 'button small', on: { click: () => refer(editor, need) } },
      `Use the stored secret ${need.name}`,
    )
  if (!can('admin'))
    return el('p', { class: 'muted small' }, 'You need the admin role to store a key.')
  const known = forms.get(need.reference)
  if (known) return known
  const form = el(
    'form',
    { class: 'checklist-secret', 'data-secret': need.reference },
    el('input', {
      class: 'input',
      type: 'password',
      'aria-label': `Value of ${need.name}`,
      placeholder: `Value of ${need.name}`,
      autocomplete: 'new-password',
      required: true,
    }),
    el('button', { class: 'button small' }, 'Set it here'),
  )
  forms.set(need.reference, form)
  return form
}

/**
 * What the server told is about the team as it was asked about.
 * @param {Editor} editor
 * @param {Need} need
 */
function refer(editor, need) {
  const places = need.places.flatMap((each) => editor.reportedPlace(each) ?? [])
  if (places.length > 0) editor.run(referTo(places, need.name))
}

/**
 * @param {Editor} editor
 * @param {import('../../core/api.js').Fix} fix
 */
export function runFix(editor, fix) {
  const pointer = editor.reportedPlace(fix.pointer)
  if (pointer === undefined) notifyChanged()
  else editor.run(applyFix({ ...fix, pointer }))
}

/**
 * @param {Editor} editor
 * @param {Need} need
 * @param {HTMLInputElement} input
 */
async function store(editor, need, input) {
  try {
    await api.put(`/api/secrets/${encodeURIComponent(need.name)}`, { value: input.value })
    input.value = ''
    refer(editor, need)
    editor.dispatchEvent(new Event('recheck'))
  } catch (error) {
    toastError(error)
  }
}
