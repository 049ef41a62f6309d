// @ts-check
// The dialog that starts an evaluation: what the plan would take is in view before it begins.
import { api, ApiError } from '../core/api.js'
import { debounce, el, find, icon, on } from '../core/dom.js'
import { toastError } from '../core/toast.js'
import { withApproval } from '../playground/approval.js'

/** @import {Finding} from '../core/api.js' */

const PREVIEW_MS = 300

/**
 * @typedef {{ recorded: number, whole: number, parted: number, at: number, calling: number,
 *   looked_at: number }} Reuse
 * @typedef {{ runs: number, cases: number, usd_at_most: number | null, usd_likely: number | null,
 *   past_runs: number, drop_seen: number, reuse: Reuse | null, judged: number,
 *   usd_judges: number | null, warnings: string[] }} Preview
 */

/** Let the button *Evaluate* open the dialog of this page, now or once it is there. */
export function startDialog() {
  let reading = new AbortController()

  on(document, 'click', '[data-evaluate]', () => {
    const dialog = /** @type {HTMLDialogElement} */ (find('#evaluate-dialog'))
    dialog.showModal()
    void preview(formOf(dialog))
  })

  /** @param {HTMLFormElement} form */
  async function preview(form) {
    reading.abort()
    if (!form.checkValidity()) return
    reading = new AbortController()
    const { signal } = reading
    try {
      const plan = planOf(form)
      const found = await api.post(`${pathOf(form)}/preview`, plan, { signal })
      if (!signal.aborted) show(form, words(found, plan), [], found.warnings)
    } catch (error) {
      if (!signal.aborted) refused(form, error)
    }
  }
  const previewSoon = debounce(
    (/** @type {HTMLFormElement} */ form) => void preview(form),
    PREVIEW_MS,
  )

  on(document, 'input', '[data-evaluate-form]', (_event, form) =>
    previewSoon(/** @type {HTMLFormElement} */ (form)),
  )

  on(document, 'submit', '[data-evaluate-form]', async (event, found) => {
    event.preventDefault()
    const form = /** @type {HTMLFormElement} */ (found)
    const submit = /** @type {HTMLButtonElement} */ (find('[data-evaluate-submit]', form))
    previewSoon.cancel()
    submit.disabled = true
    try {
      const made = await started(form)
      if (made === null) submit.disabled = false
      else location.assign(`/evaluations/${encodeURIComponent(made.id)}`)
    } catch (error) {
      submit.disabled = false
      refused(form, error)
    }
  })
}

/**
 * Start the evaluation, after a person approved what its scorers ask for.
 * @param {HTMLFormElement} form
 * @returns {Promise<{ id: string } | null>} null when the person refused
 */
async function started(form) {
  const start = () => api.post(pathOf(form), planOf(form))
  try {
    return await start()
  } catch (error) {
    const { component, suite_id: suiteId } = error instanceof ApiError ? error.body : {}
    if (component === undefined && suiteId === undefined) throw error
    const subject = suiteId === undefined ? 'judge' : 'suite'
    return withApproval(start, { subject, action: 'evaluate', component, suiteId })
  }
}

/** @param {HTMLDialogElement} dialog */
function formOf(dialog) {
  return /** @type {HTMLFormElement} */ (find('[data-evaluate-form]', dialog))
}

/** @param {HTMLFormElement} form */
function pathOf(form) {
  return `/api/suites/${encodeURIComponent(form.dataset['evaluateForm'] ?? '')}/evaluations`
}

/** @param {HTMLFormElement} form */
function planOf(form) {
  const { version, against, repeats, at_once, usd, reuse_days, cases, stops_when_clear } =
    Object.fromEntries(new FormData(form))
  const [, which = '', tag = ''] = /^(only|without):(.*)$/.exec(String(cases ?? '')) ?? []
  return {
    ...(which ? { [which]: tag } : {}),
    version: Number(version),
    against: against ? Number(against) : null,
    repeats: Number(repeats),
    at_once: Number(at_once),
    usd: Number(usd),
    reuse_days: reuse_days ? Number(reuse_days) : null,
    stops_when_clear: stops_when_clear !== undefined,
  }
}

/**
 * @param {Preview} found
 * @param {ReturnType<typeof planOf>} plan
 */
function words(found, plan) {
  const { runs, cases, usd_at_most, usd_likely, past_runs, drop_seen, reuse, judged, usd_judges } =
    found
  const drop = Math.round(100 * drop_seen)
  const cost =
    usd_likely === null
      ? 'No past runs of this team tell the cost.'
      : `About ${money(usd_likely)} by ${past_runs} past ${past_runs === 1 ? 'run' : 'runs'}.`
  const reused = plan.reuse_days === null ? [] : [reuseWords(reuse, plan.against !== null)]
  const seen =
    drop < 100
      ? `A drop of about ${drop} points is seen four times of five.`
      : 'This is too few runs to see any difference.'
  const most = usd_at_most === null ? '' : ` At most ${money(usd_at_most)}.`
  const count = `${runs} runs of ${cases} ${cases === 1 ? 'case' : 'cases'}.`
  const asked = judged === 1 ? 'once' : `${judged} times`
  const price = usd_judges === null ? '' : `, for about ${money(usd_judges)} more`
  const judging = judged ? [`Judges are asked ${asked}${price}, within the cost limit.`] : []
  return [`${count} ${cost}${most}`, ...judging, ...reused, seen]
}

/**
 * @param {Reuse | null} reuse
 * @param {boolean} isCompared
 */
function reuseWords(reuse, isCompared) {
  if (reuse === null && isCompared)
    return 'Nothing is recorded yet. The version reuses what the other one is answered now.'
  if (reuse === null) return 'Nothing is recorded yet.'
  const { recorded, whole, parted, at, calling, looked_at } = reuse
  const about = looked_at < recorded ? 'about ' : ''
  const parts = parted
    ? `; ${about}${parted} part from them, after ${Math.round(100 * at)} % of their cost on average`
    : ''
  const tools = calling ? ` ${about}${calling} call tools again, which may answer otherwise.` : ''
  return `${recorded} runs reuse recorded ones: ${about}${whole} ask nothing and cost nothing${parts}.${tools}`
}

/** @param {number} usd */
function money(usd) {
  return `$${usd.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: usd < 0.1 ? 4 : 2 })}`
}

/**
 * @param {HTMLFormElement} form
 * @param {unknown} error
 */
function refused(form, error) {
  const found = error instanceof ApiError ? error.body['findings'] : undefined
  if (!Array.isArray(found)) return toastError(error)
  show(form, [], /** @type {Finding[]} */ (found))
}

/**
 * @param {HTMLFormElement} form
 * @param {string[]} lines
 * @param {Finding[]} mistakes
 * @param {string[]} [warnings]
 */
function show(form, lines, mistakes, warnings = []) {
  find('[data-preview]', form).replaceChildren(
    ...lines.map((line) => el('p', {}, line)),
    ...warnings.map((line) =>
      el('p', { class: 'evaluate-warning' }, icon('triangle-alert'), el('span', {}, line)),
    ),
  )
  const list = find('[data-mistakes]', form)
  list.replaceChildren(
    ...mistakes.map(({ message, fix }) => el('li', {}, `${message} ${fix}`.trim())),
  )
  list.hidden = mistakes.length === 0
}
