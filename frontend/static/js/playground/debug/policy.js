// @ts-check
/** @import {ArgumentTest, Policy, ToolRule, Verdict} from './settings.js' */

export const VERDICTS = /** @type {[Verdict, string][]} */ ([
  ['allow', 'Run without asking'],
  ['ask', 'Ask me'],
  ['deny', 'Refuse'],
])
export const TESTS = /** @type {[ArgumentTest['test'], string][]} */ ([
  ['equals', 'is'],
  ['starts_with', 'starts with'],
  ['inside', 'is in the folder'],
  ['matches', 'matches the expression'],
])

/**
 * Whether a rule is about all calls of a tool.
 * @param {ToolRule} rule
 */
export const isForAll = (rule) => rule.when.length === 0 && !rule.exactly

/**
 * What happens with a tool where no rule about its arguments applies.
 * @param {Policy} policy
 * @param {string} tool
 * @returns {Verdict | ''} '' as with all others
 */
export const verdictOf = (policy, tool) =>
  policy.rules.find((rule) => rule.tool === tool && isForAll(rule))?.verdict ?? ''

/**
 * Rules about arguments stand before those about whole tools, since the first that applies decides.
 * @param {Policy} policy
 * @param {string} tool
 * @param {Verdict | ''} verdict
 * @returns {Policy}
 */
export function withVerdict(policy, tool, verdict) {
  const others = policy.rules.filter((rule) => rule.tool !== tool || !isForAll(rule))
  return {
    ...policy,
    rules: verdict === '' ? others : [...others, { tool, when: [], verdict, reason: '' }],
  }
}

/**
 * The same with a tool that may run again after a crash, or may not.
 * @param {Policy} policy
 * @param {string} tool
 * @returns {Policy}
 */
export function withRepeat(policy, tool) {
  const { repeatable } = policy
  return {
    ...policy,
    repeatable: repeatable.includes(tool)
      ? repeatable.filter((name) => name !== tool)
      : [...repeatable, tool],
  }
}

/**
 * @param {Policy} policy
 * @param {ToolRule} rule
 * @returns {Policy}
 */
export function withRule(policy, rule) {
  const place = policy.rules.findIndex(isForAll)
  const rules = [...policy.rules]
  rules.splice(place < 0 ? rules.length : place, 0, rule)
  return { ...policy, rules }
}

/**
 * A rule from now on lets such calls go, when its arguments are the same again, and no others.
 * @param {Policy} policy
 * @param {string} tool
 * @param {{[name: string]: unknown}} args
 * @returns {Policy}
 */
export function withPermission(policy, tool, args) {
  const when = Object.entries(args).map(([argument, value]) => ({
    argument,
    test: /** @type {const} */ ('equals'),
    value: asText(value),
  }))
  return when.length > 20
    ? policy
    : withRuleFirst(policy, { tool, when, verdict: 'allow', reason: '', exactly: true })
}

/**
 * @param {Policy} policy
 * @param {ToolRule} rule
 */
const withRuleFirst = (policy, rule) => ({ ...policy, rules: [rule, ...policy.rules] })

/**
 * As the server compares it: text as it is, all else as JSON with sorted keys.
 * @param {unknown} value
 * @returns {string}
 */
export function asText(value) {
  return typeof value === 'string' ? value : canonical(value)
}

/**
 * @param {unknown} value
 * @returns {string}
 */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const pairs = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`)
  return `{${pairs.join(',')}}`
}

/** @param {ToolRule} rule */
export function ruleText(rule) {
  const tests = rule.when.map(
    ({ argument, test, value }) =>
      `${argument} ${TESTS.find(([name]) => name === test)?.[1]} “${value}”`,
  )
  const verb = { allow: 'runs', ask: 'asks', deny: 'is refused' }[rule.verdict]
  return `${rule.tool} ${verb}${tests.length > 0 ? ` when ${tests.join(' and ')}` : ''}${rule.exactly ? ' and there are no other arguments' : ''}`
}
