// @ts-check
/** @import {Editor} from '../editor.js' */
/** @import {Action} from '../../core/actions.js' */
import { api } from '../../core/api.js'
import { el, icon } from '../../core/dom.js'
import { forRole } from '../../core/read-only.js'
import { toast, toastError } from '../../core/toast.js'
import { participantsOf } from '../../playground/flow/participants.js'
import { budgetForm } from '../../playground/cost/budget-form.js'

/**
 * What runs of the team may spend.
 * @param {Editor} editor
 * @param {string} teamId
 * @returns {Action[]}
 */
export function limitsActions(editor, teamId) {
  return [
    {
      id: 'limits',
      label: 'Limits…',
      words: 'budget cost money spending tokens turns time',
      icon: 'coins',
      group: 'Team',
      scope: 'page',
      run: () => void openLimits(editor, teamId).catch(toastError),
    },
  ]
}

/**
 * @param {Editor} editor
 * @param {string} teamId
 */
async function openLimits(editor, teamId) {
  const path = `/api/teams/${encodeURIComponent(teamId)}/budget`
  const budget = await api.get(path)
  const save = async (/** @type {object} */ given) => {
    try {
      await api.put(path, given)
      toast('Limits of the team saved.')
      dialog.close()
    } catch (error) {
      toastError(error)
    }
  }
  const dialog = el(
    'dialog',
    {
      class: 'dialog wide',
      'aria-labelledby': 'limits-title',
      on: { close: () => dialog.remove() },
    },
    el(
      'div',
      { class: 'dialog-header' },
      el('h2', { id: 'limits-title' }, 'Limits'),
      el(
        'button',
        {
          type: 'button',
          class: 'button quiet icon-only',
          'aria-label': 'Close',
          on: { click: () => dialog.close() },
        },
        icon('x'),
      ),
    ),
    el(
      'div',
      { class: 'dialog-body' },
      el(
        'p',
        { class: 'muted' },
        'A run warns at 80 % of a limit and asks before a call that could exceed it. Limits are saved with the team and take effect immediately.',
      ),
      forRole(
        'editor',
        'Changing limits',
        budgetForm({
          ...budget,
          agents: participantsOf(editor.root).map(({ name }) => name),
          runLabel: 'Each run',
          dayLabel: 'All runs of a day',
          buttons: [{ label: 'Save', look: 'primary', save }],
        }),
      ),
    ),
  )
  document.body.append(dialog)
  dialog.showModal()
}
