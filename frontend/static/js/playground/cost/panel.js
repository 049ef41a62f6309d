// @ts-check
/** @import {Body, Panel} from '../types.js' */
/** @import {Axis} from './tables.js' */
import { api } from '../../core/api.js'
import { debounce, el, find } from '../../core/dom.js'
import { forRole } from '../../core/read-only.js'
import { toast, toastError } from '../../core/toast.js'
import { expensiveMessages } from './messages.js'
import { budgetForm } from './budget-form.js'
import { costText, tokensOf } from './money.js'
import { duration, tokens } from '../format.js'
import { participantsOf } from '../flow/participants.js'
import { budgetBars, costTable } from './tables.js'

const REFRESH_MS = 400
/** @type {{axis: Axis, label: string}[]} */
const AXES = [
  { axis: 'micro_usd', label: 'Cost' },
  { axis: 'tokens', label: 'Tokens' },
  { axis: 'ms', label: 'Time' },
]

/**
 * The limits of a team, before anything runs.
 * @param {HTMLElement} page
 * @param {string} teamId
 * @param {Body} component
 * @param {AbortSignal} signal
 */
export function costSettings(page, teamId, component, signal) {
  find('[data-part="cost-tables"]', page).replaceChildren()
  find('[data-part="cost-used"]', page).replaceChildren()
  if (!teamId) return
  api
    .get(`/api/teams/${teamId}/budget`, { signal })
    .then((budget) => showTeamForm(page, teamId, component, budget))
    .catch((error) => signal.aborted || toastError(error))
}

/**
 * @param {HTMLElement} page
 * @param {string} teamId
 * @param {Body} component
 * @param {{own: any, general: any}} budget
 */
function showTeamForm(page, teamId, component, budget) {
  const save = async (/** @type {object} */ given) => {
    await kept(() => api.put(`/api/teams/${teamId}/budget`, given), 'Limits of the team saved.')
  }
  find('[data-part="cost-limits"]', page).replaceChildren(
    forRole(
      'editor',
      'Changing limits',
      budgetForm({
        ...budget,
        agents: participantsOf(component).map(({ name }) => name),
        runLabel: 'Each run',
        dayLabel: 'All runs of a day',
        buttons: [{ label: 'Save', look: 'primary', save }],
      }),
    ),
  )
}

/**
 * What the run took, by agent, model and tool; and its limits.
 * @type {Panel}
 */
export function costPanel({ page, run, selection, signal }) {
  const root = find('[data-part="cost"]', page)
  const tables = find('[data-part="cost-tables"]', root)
  const agents = participantsOf(run.component).map(({ name }) => name)
  /** @type {Axis} */
  let axis = 'micro_usd'
  /** @type {Body | null} */
  let cost = null
  let isStale = true
  tables.replaceChildren()
  find('[data-part="cost-limits"]', root).replaceChildren()

  function draw() {
    if (!cost) return
    const chosen = document.activeElement?.getAttribute('name') === 'cost-axis'
    tables.replaceChildren(
      summary(cost),
      axisChoice(),
      ...(cost.agents.length + cost.models.length > 0
        ? [costTable('Agents', cost.agents, axis), costTable('Models', cost.models, axis)]
        : [el('p', { class: 'muted small' }, 'No model calls yet.')]),
      ...(cost.tools.length > 0
        ? [costTable('Tools', cost.tools, axis, { hasTokens: false })]
        : []),
      expensiveMessages(cost.messages, (seq) => selection.select(seq, /** @type {any} */ ('cost'))),
      prices(cost.prices),
    )
    if (chosen)
      /** @type {HTMLElement | null} */ (
        tables.querySelector('[name="cost-axis"]:checked')
      )?.focus()
  }

  function axisChoice() {
    const options = AXES.map(({ axis: value, label }) => {
      const input = el('input', {
        class: 'visually-hidden',
        type: 'radio',
        name: 'cost-axis',
        value,
        checked: value === axis,
        on: {
          change: () => {
            axis = value
            draw()
          },
        },
      })
      return el('label', { class: 'choice-option' }, input, label)
    })
    return el(
      'fieldset',
      { class: 'choice' },
      el('legend', { class: 'visually-hidden' }, 'Bars show'),
      ...options,
    )
  }

  async function refresh() {
    if (signal.aborted || !root.checkVisibility()) return
    isStale = false
    try {
      const [taken, budget] = await Promise.all([
        api.get(`/api/runs/${run.id}/cost`, { signal }),
        api.get(`/api/runs/${run.id}/budget`, { signal }),
      ])
      cost = taken
      draw()
      find('[data-part="cost-used"]', root).replaceChildren(budgetBars(budget.used))
      showRunForm(budget.holds)
    } catch (error) {
      if (!signal.aborted) toastError(error)
    }
  }

  /** @param {any} holds */
  function showRunForm(holds) {
    const place = find('[data-part="cost-limits"]', root)
    if (place.contains(document.activeElement)) return // not while somebody writes in it
    const saveRun = (/** @type {object} */ given) =>
      kept(() => api.put(`/api/runs/${run.id}/budget`, given), 'Limits of this run saved.').then(
        refresh,
      )
    const saveTeam = (/** @type {any} */ given) =>
      kept(async () => {
        const { own } = await api.get(`/api/teams/${run.team_id}/budget`)
        return api.put(`/api/teams/${run.team_id}/budget`, { ...given, day: own.day })
      }, 'Limits of the team saved.')
    place.replaceChildren(
      forRole(
        'editor',
        'Changing limits',
        budgetForm({
          own: holds,
          agents,
          runLabel: 'This run',
          dayLabel: '',
          buttons: [
            { label: 'Set for this run', look: 'primary', save: saveRun },
            ...(run.team_id ? [{ label: 'Set for all runs of the team', save: saveTeam }] : []),
          ],
        }),
      ),
    )
  }

  const soon = debounce(() => void refresh(), REFRESH_MS)
  const seen = new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting) && isStale) void refresh()
  })
  seen.observe(root)
  signal.addEventListener('abort', () => {
    seen.disconnect()
    soon.cancel()
  })
  return (batch) => {
    if (!batch.live || (batch.entries.length === 0 && !batch.state)) return
    isStale = true
    soon()
    for (const { kind, body } of batch.entries)
      if (kind === 'command' && body.command === 'budget_warning')
        toast(body.content, { tone: 'warning' })
  }
}

/**
 * @param {() => Promise<unknown>} work
 * @param {string} done
 */
async function kept(work, done) {
  try {
    await work()
    toast(done)
  } catch (error) {
    toastError(error)
  }
}

/** @param {Body} cost */
function summary({ total }) {
  const facts = [
    ['Cost', costText(total)],
    ['Tokens', tokens(tokensOf(total))],
    ['Cached', tokens(total.cached_tokens)],
    ['Model time', duration(total.ms)],
  ]
  return el(
    'dl',
    { class: 'cost-summary' },
    ...facts.map(([name, value]) =>
      el('div', {}, el('dt', {}, name), el('dd', { class: 'numeric' }, value)),
    ),
  )
}

/** @param {Body[]} all */
function prices(all) {
  const lines = all.map((price) => {
    const name = el('strong', {}, price.model)
    if (price.origin === '')
      return el(
        'li',
        {},
        name,
        ': price unknown. Set it under ',
        el('a', { href: '/costs#prices' }, 'Costs'),
        '.',
      )
    if (price.origin === 'free') return el('li', {}, name, ': local model, free.')
    const from =
      price.origin === 'own' ? `your price of ${price.as_of}` : `list price of ${price.as_of}`
    return el(
      'li',
      {},
      name,
      `: $${price.input} in, $${price.output} out per million tokens, ${from}.`,
    )
  })
  return el(
    'ul',
    { class: 'cost-prices muted small', role: 'list', 'aria-label': 'Prices' },
    ...lines,
  )
}
