// @ts-check
/** @import {Capability, Task} from './types.js' */
import { ask } from '../core/dialog.js'
import { el, icon } from '../core/dom.js'
import { missingApprovals, server } from './server.js'

const KINDS = /** @type {{[kind: string]: {glyph: string, words: string}}} */ ({
  python: { glyph: 'file-code', words: 'Runs Python' },
  process: { glyph: 'terminal', words: 'Starts a program' },
  host: { glyph: 'globe', words: 'Reaches a host' },
  secret: { glyph: 'key-round', words: 'Reads a secret' },
  file: { glyph: 'folder-open', words: 'Uses files' },
  spend: { glyph: 'coins', words: 'Spends money' },
})

/**
 * Start a run. What the team may not do yet is shown, exactly, and done only after a person said so.
 *
 * @param {string} teamId
 * @param {Task} task
 * @returns {Promise<string | null>} id of the run; null when the person refused
 */
export async function startWithApproval(teamId, task) {
  try {
    return (await server.start(teamId, task)).id
  } catch (error) {
    const missing = missingApprovals(error)
    if (!missing) throw error
    const asking = ask({
      title: missing.length === 1 ? 'This team needs your approval' : `This team needs ${missing.length} approvals`,
      text: 'Nothing has run yet. An approval holds for exactly what is shown; any change asks again.',
      body: el('ul', { role: 'list', class: 'capabilities' }, ...missing.map(renderCapability)),
      choices: [{ value: '', label: 'Cancel' }, { value: 'approve', label: 'Approve and run', tone: 'primary' }],
    })
    focusFirst(document.querySelector('.capability pre')) // not the button: Enter, still held down, must approve nothing
    if ((await asking) !== 'approve') return null
    await server.approve(missing.map((capability) => capability.hash))
    return (await server.start(teamId, task)).id
  }
}

/** @param {Element | null} node */
function focusFirst(node) {
  if (node instanceof HTMLElement) node.focus()
}

/** @param {Capability} capability */
function renderCapability({ kind, text, detail, hash, where }) {
  const { glyph, words } = KINDS[kind] ?? { glyph: 'shield-alert', words: kind }
  return el('li', { class: 'capability', 'data-kind': kind },
    el('div', { class: 'capability-head' }, icon(glyph), el('strong', {}, words), el('span', { class: 'muted' }, text)),
    el('pre', { class: 'code-block', tabindex: '0' }, detail),
    el('p', { class: 'capability-foot muted mono' }, el('span', {}, where), el('span', { title: hash }, hash.slice(0, 12))))
}
