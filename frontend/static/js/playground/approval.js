// @ts-check
/** @import {Capability, GivenFile, Run, Task} from './types.js' */
/** @import {Asked, AskedGroup} from './log/server.js' */
import { ask } from '../core/dialog.js'
import { el, icon } from '../core/dom.js'
import { hiddenCharacters } from '../core/hidden-characters.js'
import { markedText } from '../core/marked-text.js'
import { can } from '../core/permissions.js'
import { saveDraft } from '../core/drafts.js'
import { trustsTypedCode, isTypedCode } from '../core/typed-code.js'
import { missingApprovals, reviewPage, server } from './log/server.js'

/** What is given hosts in the review. */
const RUNS = ['python', 'process']

/**
 * Start a run. What the team may not do yet is shown, exactly, and done only after a person said
 * so.
 *
 * @param {string} teamId
 * @param {Task} task
 * @param {{ withMocks?: boolean, files?: GivenFile[], draft?: unknown }} [how]  `draft`: is kept
 *   while the team is reviewed
 * @returns {Promise<Run | null>} null when the person refused
 */
export function startWithApproval(
  teamId,
  task,
  { withMocks = false, files = [], draft = null } = {},
) {
  const leave = () => saveDraft(draftOf(teamId), draft)
  return withApproval(() => server.start(teamId, task, withMocks, files), { leave })
}

/**
 * Under which a task is kept while its team is reviewed.
 * @param {string} teamId
 */
export const draftOf = (teamId) => `task of ${teamId}`

/**
 * Start something that may need approvals; it is started again once a person gave them.
 *
 * @template T
 * @param {() => Promise<T>} start
 * @param {{ subject?: string, action?: string, component?: unknown, suiteId?: unknown,
 *   leave?: () => void }} [what]
 *   `component`: what is started, where it is not saved; `suiteId`: the suite that has the code;
 *   `leave`: before the page is left for the review
 * @returns {Promise<T | null>} null when the person refused
 */
export async function withApproval(start, what = {}) {
  const { subject = 'team', action = 'run', leave = () => {} } = what
  try {
    return await start()
  } catch (error) {
    const asked = missingApprovals(error)
    if (!asked) throw error
    if (await approveTyped(asked, what.component)) return withApproval(start, what)
    const review = reviewPage(error)
    const mayApprove = can('approver')
    const approve = /** @type {const} */ ({
      value: 'approve',
      label: `Approve and ${action}`,
      tone: 'primary',
    })
    const everywhere = mayApprove && asked.connections.length > 0 ? everywhereBox() : null
    const asking = ask({
      title: mayApprove ? `Approve this ${subject}?` : `This ${subject} is not approved yet`,
      text: `This ${subject} can ${asked.could}.`,
      body: el(
        'div',
        { class: 'stack' },
        el(
          'p',
          { class: 'muted' },
          mayApprove
            ? 'Nothing has run yet. You approve exactly what is listed here; you are asked again if it changes.'
            : 'Nothing has run yet. An approver decides.',
        ),
        el(
          'ul',
          { role: 'list', class: 'capabilities' },
          ...asked.groups.map((group) => renderGroup(group, asked.missing)),
        ),
        mayApprove && networkNote(asked.missing, review !== '', what.suiteId === undefined),
        everywhere?.label,
      ),
      choices: [
        { value: '', label: 'Cancel' },
        ...(review
          ? [{ value: 'review', label: mayApprove ? 'Review each' : 'Open the review' }]
          : []),
        ...(mayApprove ? [approve] : []),
      ],
    })
    // not the button: Enter, still held down, must approve nothing
    focusFirst(document.querySelector('.capability summary'))
    const answer = await asking
    if (answer === 'review') {
      leave()
      location.assign(`${review}?${new URLSearchParams({ back: location.pathname })}`)
    }
    if (answer !== 'approve') return null
    await approveAll(asked, what, everywhere?.box.checked ?? false)
    return start()
  }
}

/**
 * Approve the code that this person has typed here, where the studio takes that as read.
 * @param {Asked} asked
 * @param {unknown} component
 * @returns {Promise<boolean>} whether there was some
 */
async function approveTyped({ missing }, component) {
  if (!trustsTypedCode() || !can('approver')) return false
  const typed = missing.filter(({ kind, detail }) => kind === 'python' && isTypedCode(detail))
  if (typed.length > 0)
    await server.approve(
      typed.map(({ hash }) => hash),
      component,
      { isTyped: true },
    )
  return typed.length > 0
}

/**
 * @param {Asked} asked
 * @param {{ component?: unknown, suiteId?: unknown }} what
 * @param {boolean} isEverywhere  whether models may be reached from all teams
 */
async function approveAll({ missing, connections }, { component, suiteId }, isEverywhere) {
  const apart = new Set(isEverywhere ? connections : [])
  const code = missing.filter(({ kind }) => suiteId && kind === 'python').map(({ hash }) => hash)
  for (const hash of code) apart.add(hash)
  if (code.length > 0) await server.approveScorers(code, String(suiteId))
  const here = missing.filter(({ hash }) => !apart.has(hash)).map(({ hash }) => hash)
  const models = [...apart].filter((hash) => !code.includes(hash))
  if (models.length > 0) await server.approve(models, component, { isForAll: true })
  if (here.length > 0) await server.approve(here, component)
}

function everywhereBox() {
  const box = /** @type {HTMLInputElement} */ (el('input', { type: 'checkbox' }))
  return {
    box,
    label: el(
      'label',
      { class: 'check' },
      box,
      el('span', {}, 'Allow this model connection in all teams'),
    ),
  }
}

/**
 * The review offers hosts; here nobody is asked about them.
 * @param {Capability[]} missing
 * @param {boolean} hasReview
 * @param {boolean} mayHave  whether it could have a network at all
 */
function networkNote(missing, hasReview, mayHave) {
  if (!missing.some(({ kind }) => RUNS.includes(kind))) return null
  const more = hasReview ? 'review each' : 'save the team and open its review'
  return el(
    'p',
    { class: 'approval-network' },
    icon('globe'),
    el(
      'span',
      {},
      `Code approved here has no network access.${mayHave ? ` To allow hosts, ${more}.` : ''}`,
    ),
  )
}

/** @param {Element | null} node */
function focusFirst(node) {
  if (node instanceof HTMLElement) node.focus()
}

/**
 * One line for each kind, with the exact things folded into it; one that hides characters is
 * unfolded.
 * @param {AskedGroup} group
 * @param {Capability[]} missing
 */
function renderGroup({ group, glyph, title, words, hashes }, missing) {
  const things = missing.filter(({ hash }) => hashes.includes(hash))
  const isDoubtful = things.some(({ text, detail }) => hiddenCharacters().test(`${text}${detail}`))
  return el(
    'li',
    { class: 'capability', 'data-group': group },
    el(
      'details',
      { open: isDoubtful },
      el(
        'summary',
        { class: 'capability-head' },
        icon(glyph),
        el('strong', {}, title),
        el('span', { class: 'muted' }, ...markedText(words)),
        icon('chevron-down'),
      ),
      ...things.map(renderThing),
    ),
  )
}

/** @param {Capability} capability */
function renderThing({ text, detail, hash }) {
  return el(
    'div',
    { class: 'capability-thing', title: `SHA-256 ${hash.slice(0, 12)}` },
    el('p', {}, ...markedText(text)),
    el('pre', { class: 'code-block', tabindex: '0' }, ...markedText(detail)),
  )
}
