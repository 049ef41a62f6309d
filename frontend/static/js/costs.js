// @ts-check
// The page Costs: what teams spent by day, the limits of all teams, own prices.
/** @import {Cost} from './playground/cost/money.js' */
import { api } from './core/api.js'
import { el, find, on } from './core/dom.js'
import { forRole } from './core/read-only.js'
import { toast, toastError } from './core/toast.js'
import { budgetForm } from './playground/cost/budget-form.js'
import { daysBetween, sumBy } from './playground/cost/days.js'
import { costText, money, tokensOf } from './playground/cost/money.js'
import { dayChart } from './playground/cost/chart.js'
import { duration, tokens } from './playground/format.js'

/**
 * @typedef {Cost & {day: string, team_id: string, team_name: string, model: string, runs: number}}
 *   DayCost
 */

const DAY_MS = 86_400_000
const page = find('[data-costs]')
const filter = /** @type {HTMLFormElement} */ (find('[data-filter]', page))
let life = new AbortController()

async function showSpent() {
  life.abort()
  life = new AbortController()
  const { signal } = life
  const place = find('[data-part="spent"]', page)
  const given = new FormData(filter)
  const measure = given.get('measure') === 'tokens' ? 'tokens' : 'micro_usd'
  const until = new Date().toISOString().slice(0, 10)
  const since = new Date(Date.parse(until) - (Number(given.get('days')) - 1) * DAY_MS)
    .toISOString()
    .slice(0, 10)
  const team = String(given.get('team_id'))
  place.ariaBusy = 'true'
  try {
    const url = `/api/costs?from=${since}&to=${until}${team ? `&team_id=${encodeURIComponent(team)}` : ''}`
    const { total, parts } = await api.get(url, { signal })
    const value = (/** @type {Cost} */ cost) =>
      measure === 'tokens' ? tokensOf(cost) : cost.micro_usd
    const words =
      measure === 'tokens' ? (/** @type {number} */ count) => `${tokens(count)} tokens` : money
    if (parts.length === 0)
      place.replaceChildren(el('p', { class: 'muted' }, 'Nothing was spent in this period.'))
    else
      place.replaceChildren(
        totalLine(total),
        dayChart(daysBetween(since, until), parts, value, words),
        ...tables(parts),
      )
  } catch (error) {
    if (!signal.aborted) toastError(error)
  } finally {
    if (!signal.aborted) place.ariaBusy = 'false'
  }
}

/** @param {Cost} total */
function totalLine(total) {
  return el(
    'p',
    { class: 'costs-total' },
    el('strong', { class: 'numeric' }, costText(total)),
    ` and ${tokens(tokensOf(total))} tokens in ${total.calls.toLocaleString('en')} calls`,
  )
}

/** @param {DayCost[]} parts */
function tables(parts) {
  const byDay = sumBy(parts, (part) => `${part.day}\n${part.team_id}`).sort((a, b) =>
    b.first.day.localeCompare(a.first.day),
  )
  return [
    table(
      'By team and day',
      ['Day', 'Team'],
      byDay.map(({ first, sum }) => [[first.day, first.team_name || 'Deleted team'], sum]),
    ),
    table(
      'By model',
      ['Model'],
      sumBy(parts, (part) => part.model)
        .sort((a, b) => b.sum.micro_usd - a.sum.micro_usd)
        .map(({ first, sum }) => [[first.model], sum]),
    ),
  ]
}

/**
 * @param {string} caption
 * @param {string[]} names
 * @param {[string[], Cost][]} rows
 */
function table(caption, names, rows) {
  const numbers = /** @type {[string, (sum: Cost) => string][]} */ ([
    ['Calls', (sum) => sum.calls.toLocaleString('en')],
    ['Tokens', (sum) => tokens(tokensOf(sum))],
    ['Cost', costText],
    ['Time', (sum) => duration(sum.ms)],
  ])
  const heads = [
    ...names.map((name) => el('th', { scope: 'col' }, name)),
    ...numbers.map(([name]) => el('th', { scope: 'col', class: 'end' }, name)),
  ]
  return el(
    'div',
    { class: 'table-scroll' },
    el(
      'table',
      { class: 'table table-stacked costs-teams' },
      el('caption', { class: 'visually-hidden' }, caption),
      el('thead', {}, el('tr', {}, ...heads)),
      el(
        'tbody',
        {},
        ...rows.map(([[first, ...rest], sum]) =>
          el(
            'tr',
            {},
            el('th', { scope: 'row' }, first),
            ...rest.map((text) => el('td', {}, text)),
            ...numbers.map(([name, of]) =>
              el('td', { class: 'end numeric', 'data-label': name }, of(sum)),
            ),
          ),
        ),
      ),
    ),
  )
}

async function showLimits() {
  const budget = await api.get('/api/budget')
  const save = async (/** @type {object} */ given) => {
    await api.put('/api/budget', given).then(() => toast('Limits of all teams saved.'), toastError)
  }
  find('[data-part="limits"]', page).replaceChildren(
    forRole(
      'admin',
      'Changing these limits',
      budgetForm({
        own: budget.own,
        agents: [],
        runLabel: 'Each run',
        dayLabel: 'All runs of a day',
        buttons: [{ label: 'Save', look: 'primary', save }],
      }),
    ),
  )
}

async function showPrices() {
  /**
   * @type {{model: string, input: number, output: number, cached_input: number | null, as_of:
   *   string}[]}
   */
  const prices = await api.get('/api/prices')
  const rows = prices.map(({ model, input, output, cached_input: cached, as_of: since }) =>
    el(
      'tr',
      {},
      el('th', { scope: 'row' }, el('code', {}, model)),
      ...[`$${input}`, `$${output}`, cached === null ? '–' : `$${cached}`, since].map((text) =>
        el('td', { class: 'end numeric' }, text),
      ),
      el(
        'td',
        { class: 'end' },
        el(
          'button',
          {
            class: 'button small danger',
            type: 'button',
            'data-needs': 'admin',
            'data-forget': model,
          },
          'Delete',
          el('span', { class: 'visually-hidden' }, ` the price of ${model}`),
        ),
      ),
    ),
  )
  const heads = ['Input', 'Output', 'Cached input', 'Since'].map((name) =>
    el('th', { scope: 'col', class: 'end' }, name),
  )
  find('[data-part="prices"]', page).replaceChildren(
    ...(prices.length === 0
      ? []
      : [
          el(
            'div',
            { class: 'table-scroll' },
            el(
              'table',
              { class: 'table' },
              el('caption', { class: 'visually-hidden' }, 'Your prices'),
              el(
                'thead',
                {},
                el(
                  'tr',
                  {},
                  el('th', { scope: 'col' }, 'Model'),
                  ...heads,
                  el('th', {}, el('span', { class: 'visually-hidden' }, 'Actions')),
                ),
              ),
              el('tbody', {}, ...rows),
            ),
          ),
        ]),
  )
}

filter.addEventListener('change', () => void showSpent())
filter.addEventListener('submit', (event) => event.preventDefault())
on(page, 'submit', '[data-price]', async (event, form) => {
  event.preventDefault()
  const {
    model,
    input,
    output,
    cached_input: cached,
  } = Object.fromEntries(new FormData(/** @type {HTMLFormElement} */ (form)))
  try {
    await api.put('/api/prices', {
      model,
      input: Number(input),
      output: Number(output),
      cached_input: cached === '' ? null : Number(cached),
    })
    const cleared = /** @type {HTMLFormElement} */ (form)
    cleared.reset()
    await showPrices()
    find('[name="model"]', form).focus()
  } catch (error) {
    toastError(error)
  }
})
on(page, 'click', '[data-forget]', async (_, button) => {
  await api
    .delete(`/api/prices?model=${encodeURIComponent(button.dataset.forget ?? '')}`)
    .then(showPrices)
    .catch(toastError)
})
void showSpent()
showLimits().catch(toastError)
showPrices().catch(toastError)
