// @ts-check
/** @import {Capability, Task} from './types.js' */
import { ask } from '../core/dialog.js'
import { el, icon } from '../core/dom.js'
import { markedText } from '../core/marked-text.js'
import { may } from '../core/may.js'
import { keepDraft } from '../core/kept-drafts.js'
import { missingApprovals, reviewPage, server } from './log/server.js'

const KINDS = /** @type {{[kind: string]: {glyph: string, words: string}}} */ ({
  python: { glyph: 'file-code', words: 'Runs Python' },
  process: { glyph: 'terminal', words: 'Starts a program' },
  host: { glyph: 'globe', words: 'Reaches a host' },
  secret: { glyph: 'key-round', words: 'Reads a secret' },
  file: { glyph: 'folder-open', words: 'Uses files' },
  spend: { glyph: 'coins', words: 'Spends money' },
})

/** What is given hosts in the review. */
const RUNS = ['python', 'process']

/**
 * Start a run. What the team may not do yet is shown, exactly, and done only after a person said so.
 *
 * @param {string} teamId
 * @param {Task} task
 * @returns {Promise<string | null>} id of the run; null when the person refused
 */
export function startWithApproval(teamId, task) {
  const leave = () => keepDraft(draftOf(teamId), typeof task === 'string' ? task : null)
  return withApproval(async () => (await server.start(teamId, task)).id, { leave })
}

/** Under which a task is kept while its team is reviewed. @param {string} teamId */
export const draftOf = (teamId) => `task of ${teamId}`

/**
 * Start something that may need approvals; it is started again once a person gave them.
 *
 * @template T
 * @param {() => Promise<T>} start
 * @param {{ subject?: string, action?: string, component?: unknown, leave?: () => void }} [what]  `component`: what is started, where it is not saved; `leave`: before the page is left for the review
 * @returns {Promise<T | null>} null when the person refused
 */
export async function withApproval(start, { subject = 'team', action = 'run', component, leave = () => {} } = {}) {
  try {
    return await start()
  } catch (error) {
    const missing = missingApprovals(error)
    if (!missing) throw error
    const review = reviewPage(error)
    const approve = /** @type {const} */ ({ value: 'approve', label: `Approve and ${action}`, tone: 'primary' })
    const mayApprove = may('approver')
    const count = missing.length === 1 ? 'your approval' : `${missing.length} approvals`
    const asking = ask({
      title: mayApprove ? `This ${subject} needs ${count}` : `This ${subject} is not approved yet`,
      text: `Nothing has run yet. ${mayApprove ? 'An approval holds for exactly what is shown; any change asks again.' : 'Somebody with the role approver decides.'}`,
      body: el('div', { class: 'stack' }, mayApprove && networkNote(missing, review !== ''), el('ul', { role: 'list', class: 'capabilities' }, ...missing.map(renderCapability))),
      choices: [{ value: '', label: 'Cancel' }, ...(review ? [{ value: 'review', label: mayApprove ? 'Review each' : 'Open the review' }] : []), ...(mayApprove ? [approve] : [])],
    })
    focusFirst(document.querySelector('.capability pre')) // not the button: Enter, still held down, must approve nothing
    const answer = await asking
    if (answer === 'review') {
      leave()
      location.assign(`${review}?${new URLSearchParams({ back: location.pathname })}`)
    }
    if (answer !== 'approve') return null
    await server.approve(missing.map((capability) => capability.hash), component)
    return start()
  }
}

/** The review offers hosts; here nobody is asked about them. @param {Capability[]} missing @param {boolean} hasReview */
function networkNote(missing, hasReview) {
  if (!missing.some(({ kind }) => RUNS.includes(kind))) return null
  const review = el('button', { class: 'link-button', value: 'review' }, 'in the review')
  return el('p', { class: 'approval-network' }, icon('globe'), el('span', {}, 'Approved here, code and programs in the sandbox reach no network.',
    ...(hasReview ? [' Which hosts they may reach is chosen ', review, '.'] : [' Save the team to choose in its review which hosts they may reach.'])))
}

/** @param {Element | null} node */
function focusFirst(node) {
  if (node instanceof HTMLElement) node.focus()
}

/** @param {Capability} capability */
function renderCapability({ kind, text, detail, hash, where }) {
  const { glyph, words } = KINDS[kind] ?? { glyph: 'shield-alert', words: kind }
  return el('li', { class: 'capability', 'data-kind': kind },
    el('div', { class: 'capability-head' }, icon(glyph), el('strong', {}, words), el('span', { class: 'muted' }, ...markedText(text))),
    el('pre', { class: 'code-block', tabindex: '0' }, ...markedText(detail)),
    el('p', { class: 'capability-foot muted mono' }, el('span', {}, where), el('span', { title: hash }, hash.slice(0, 12))))
}
