// @ts-check
/** @import {Body, Pending} from '../types.js' */
/** @import {Send} from './decision.js' */
import { budgetCard } from '../cost/budget-card.js'
import { answerCard, isDecision } from './answer.js'
import { decisionCard } from './decision.js'
import { outcomeCard } from './outcome.js'
import { can } from '../../core/permissions.js'
import { forRole } from '../../core/read-only.js'

/**
 * What a run asks its person, to be answered in place: in the playground and in the inbox.
 * @param {Pending} pending
 * @param {Send} send
 * @param {((tool: string, args: Body) => void) | null} [always]
 */
export function requestCard(pending, send, always = null) {
  const card = cardOf(pending, send, can('approver') ? always : null)
  return pending.kind === 'approval'
    ? forRole('approver', 'Deciding about a call', card)
    : forRole('editor', 'Answering', card)
}

/**
 * @param {Pending} pending
 * @param {Send} send
 * @param {((tool: string, args: Body) => void) | null} always
 */
function cardOf(pending, send, always) {
  if (pending.kind === 'budget') return budgetCard(pending, send)
  if (pending.kind === 'outcome') return outcomeCard(pending, send)
  return isDecision(pending.details)
    ? decisionCard(pending, send, always)
    : answerCard(pending, send)
}
