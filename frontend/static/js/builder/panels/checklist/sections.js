// @ts-check
import { el, icon } from '../../../core/dom.js'
import { pageTeamId } from '../../../core/page-team.js'
import { alike, counted, dismiss, showAgain, wrapInTeam } from '../../document/findings.js'
import { list, row } from './rows.js'
import { secretForm } from './secrets.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {import('../../../core/api.js').Finding} Finding
 * @typedef {import('../../document/findings.js').Checked} Checked
 */

/**
 * @param {HTMLElement} panel
 * @param {Editor} editor
 * @param {Checked} checked
 * @param {Map<string, HTMLElement>} forms  those being filled in
 */
export function draw(panel, editor, checked, forms) {
  const { problems, warnings, dismissed, needs, asked, noTeam } = checked
  const { capabilities, parts, isKnown } = editor.report
  const warningRow = (/** @type {Finding} */ each) =>
    row(
      editor,
      each,
      'warning',
      'lightbulb',
      null,
      act('x', 'Dismiss this warning', () => editor.run(dismiss(each)), editor),
    )
  panel.replaceChildren(
    ...[
      noTeam !== '' && noTeamNote(editor, noTeam),
      ...section(
        'Errors',
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
        'Warnings',
        'worth a look',
        alike(warnings).flatMap((group) => grouped(group.map(warningRow))),
        warnings.length,
      ),
      dismissed.length > 0 &&
        el(
          'details',
          { class: 'checklist-fold' },
          el(
            'summary',
            {},
            icon('chevron-right'),
            `${counted(dismissed.length, 'warning')} dismissed`,
          ),
          list(
            dismissed.map((each) =>
              row(
                editor,
                each,
                'off',
                'lightbulb',
                null,
                act('eye', 'Show this warning again', () => editor.run(showAgain(each)), editor),
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
        problems.length + needs.length + warnings.length === 0 &&
        el(
          'p',
          { class: 'checklist-none', tabindex: '-1' },
          icon('circle-check'),
          el(
            'span',
            {},
            el('b', {}, 'No errors.'),
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
