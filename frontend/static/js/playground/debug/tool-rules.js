// @ts-check
/** @import {Body} from '../types.js' */
/** @import {Policy, Settings, Verdict} from './settings.js' */
import { el, find, icon, on } from '../../core/dom.js'
import { can } from '../../core/permissions.js'
import { forRole } from '../../core/read-only.js'
import { numberOf, toolsOf } from './breakpoint-words.js'
import {
  TESTS,
  VERDICTS,
  isForAll,
  ruleText,
  verdictOf,
  withRepeat,
  withRule,
  withVerdict,
} from './policy.js'

/**
 * Which tools ask, run by themselves or are refused, and rules by argument.
 * @param {HTMLElement} root
 * @param {Settings} settings
 * @param {Body} component
 * @param {AbortSignal} signal
 */
export function toolRules(root, settings, component, signal) {
  const place = find('[data-part="tool-rules"]', root)
  const tools = toolsOf(component)
  const change = (/** @type {(policy: Policy) => Policy} */ edit) =>
    void settings.changePolicy(edit)

  on(
    place,
    'change',
    '[data-tool]',
    (event, select) => {
      const verdict = event.target.value
      change((policy) => withVerdict(policy, select.dataset.tool ?? '', verdict))
    },
    signal,
  )
  on(
    place,
    'click',
    '[data-repeat]',
    (_event, button) => change((policy) => withRepeat(policy, button.dataset.repeat ?? '')),
    signal,
  )
  on(
    place,
    'change',
    '[data-otherwise]',
    (event) => {
      const otherwise = event.target.value
      change((policy) => ({ ...policy, otherwise }))
    },
    signal,
  )
  on(
    place,
    'change',
    '[data-timeout]',
    (event) => {
      const minutes = numberOf(event.target.value)
      const timeout_s = minutes === null || minutes < 0 ? null : minutes * 60
      change((policy) => ({ ...policy, timeout_s }))
    },
    signal,
  )
  on(
    place,
    'change',
    '[data-on-timeout]',
    (event) => {
      const on_timeout = event.target.value
      change((policy) => ({ ...policy, on_timeout }))
    },
    signal,
  )
  on(
    place,
    'click',
    '[data-remove-rule]',
    (_event, button) => {
      const removed = settings.policy.rules[Number(button.dataset.removeRule)]
      change((policy) => ({ ...policy, rules: policy.rules.filter((each) => each !== removed) }))
    },
    signal,
  )
  on(
    place,
    'submit',
    'form',
    (event, target) => {
      event.preventDefault()
      const form = Object.fromEntries(new FormData(/** @type {HTMLFormElement} */ (target)))
      const test = /** @type {any} */ ({
        argument: String(form.argument).trim(),
        test: form.test,
        value: String(form.value),
      })
      const rule = {
        tool: String(form.tool).trim(),
        when: [test],
        verdict: /** @type {Verdict} */ (form.verdict),
        reason: String(form.reason),
      }
      change((policy) => withRule(policy, rule))
    },
    signal,
  )

  return {
    draw() {
      if (!settings.isRead) return // a choice made now would be lost when the page is left at once
      const { policy } = settings
      const key = keyOf(document.activeElement)
      const isOpen = place.querySelector('details')?.open ?? false
      const byArgument = policy.rules
        .map((rule, index) => ({ rule, index }))
        .filter(({ rule }) => !isForAll(rule) || !tools.includes(rule.tool))
      place.replaceChildren(
        el(
          'ul',
          { class: 'tool-list', role: 'list' },
          ...tools.map((tool) =>
            toolRow(tool, verdictOf(policy, tool), policy.repeatable.includes(tool)),
          ),
          otherRow(policy.otherwise, tools.length > 0),
        ),
        (byArgument.length > 0 &&
          el(
            'ul',
            { class: 'rule-list', role: 'list' },
            ...byArgument.map(({ rule, index }) => ruleRow(ruleText(rule), index)),
          )) ||
          '',
        can('approver') ? ruleForm(tools, isOpen) : '',
        unansweredTimeout(policy),
      )
      forRole('approver', 'Changing these rules', place)
      if (key) /** @type {HTMLElement | null} */ (place.querySelector(key))?.focus()
    },
  }
}

/** @param {Element | null} node */
function keyOf(node) {
  if (!(node instanceof HTMLElement)) return ''
  const { tool, repeat, otherwise, timeout, onTimeout } = node.dataset
  if (repeat !== undefined) return `[data-repeat="${CSS.escape(repeat)}"]`
  if (tool !== undefined) return `[data-tool="${CSS.escape(tool)}"]`
  return otherwise !== undefined
    ? '[data-otherwise]'
    : timeout !== undefined
      ? '[data-timeout]'
      : onTimeout !== undefined
        ? '[data-on-timeout]'
        : ''
}

/**
 * @param {[string, string][]} choices
 * @param {string} chosen
 * @param {Record<string, unknown>} props
 */
function select(choices, chosen, props) {
  return el(
    'select',
    { class: 'input small', ...props },
    ...choices.map(([value, label]) => el('option', { value, selected: value === chosen }, label)),
  )
}

/**
 * @param {string} tool
 * @param {Verdict | ''} verdict
 * @param {boolean} mayRepeat
 */
function toolRow(tool, verdict, mayRepeat) {
  const words = 'Retry if the server stopped during a call'
  return el(
    'li',
    {},
    icon('wrench'),
    el('span', { class: 'mono truncate grow', title: tool }, tool),
    select([['', 'Same as default'], ...VERDICTS], verdict, {
      'data-tool': tool,
      'aria-label': `Rule for ${tool}`,
    }),
    el(
      'button',
      {
        type: 'button',
        class: 'button quiet small icon-only',
        'data-repeat': tool,
        'aria-pressed': String(mayRepeat),
        'aria-label': `${tool}: ${words.toLowerCase()}`,
        title: words,
      },
      icon('repeat'),
    ),
  )
}

/**
 * @param {Verdict} verdict
 * @param {boolean} isOther
 */
function otherRow(verdict, isOther) {
  const name = isOther ? 'Default' : 'All tools'
  return el(
    'li',
    {},
    icon('toolbox'),
    el('span', { class: 'grow' }, name),
    select(VERDICTS, verdict, {
      'data-otherwise': true,
      'aria-label': `Rule for ${isOther ? 'all others' : 'all tools'}`,
    }),
  )
}

/**
 * @param {string} words
 * @param {number} index
 */
function ruleRow(words, index) {
  return el(
    'li',
    {},
    el('span', { class: 'grow small' }, words),
    el(
      'button',
      {
        type: 'button',
        class: 'button quiet small icon-only',
        'data-remove-rule': index,
        'aria-label': `Remove rule: ${words}`,
      },
      icon('x'),
    ),
  )
}

/**
 * @param {string[]} tools
 * @param {boolean} isOpen
 */
function ruleForm(tools, isOpen) {
  const field = (/** @type {string} */ label, /** @type {Node} */ control) =>
    el('label', { class: 'field' }, el('span', { class: 'field-label' }, label), control)
  const text = (/** @type {Record<string, unknown>} */ props) =>
    el('input', { class: 'input small', autocomplete: 'off', spellcheck: 'false', ...props })
  return el(
    'details',
    { class: 'rule-new', open: isOpen },
    el('summary', {}, 'Add a rule by argument'),
    el(
      'form',
      { class: 'debug-form', 'aria-label': 'New rule' },
      field(
        'Tool',
        text({ name: 'tool', required: true, value: tools[0] ?? '*', list: 'rule-tools' }),
      ),
      el('datalist', { id: 'rule-tools' }, ...tools.map((value) => el('option', { value }))),
      field('Argument', text({ name: 'argument', required: true, placeholder: 'path' })),
      field('Test', select(TESTS, 'equals', { name: 'test' })),
      field('Value', text({ name: 'value', required: true })),
      field('Then', select(VERDICTS, 'ask', { name: 'verdict' })),
      field('Reason (shown to the agent)', text({ name: 'reason', placeholder: 'for a refusal' })),
      el(
        'button',
        { class: 'button small', type: 'submit' },
        icon('plus'),
        el('span', {}, 'Add rule'),
      ),
    ),
  )
}

/** @param {Policy} policy */
function unansweredTimeout(policy) {
  const minutes = policy.timeout_s === null ? '' : String(policy.timeout_s / 60)
  return el(
    'p',
    { class: 'unanswered-timeout small' },
    'If unanswered after ',
    el('input', {
      class: 'input small',
      inputmode: 'decimal',
      value: minutes,
      placeholder: '∞',
      'data-timeout': true,
      'aria-label': 'Minutes to wait for an answer; empty waits forever',
    }),
    ' min: ',
    select(
      [
        ['deny', 'refuse'],
        ['allow', 'allow'],
      ],
      policy.on_timeout,
      { 'data-on-timeout': true, 'aria-label': 'Action if unanswered' },
    ),
  )
}
