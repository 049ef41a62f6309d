import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  breakpointFrom,
  breakpointText,
  toolsOf,
  withBreakpoint,
} from '../../static/js/playground/debug/breakpoint-words.js'
import {
  asText,
  ruleText,
  verdictOf,
  withPermission,
  withRepeat,
  withRule,
  withVerdict,
} from '../../static/js/playground/debug/policy.js'

const none = { rules: [], otherwise: 'allow', timeout_s: null, on_timeout: 'deny', repeatable: [] }

test('a form becomes a breakpoint that holds only what its moment knows', () => {
  const made = breakpointFrom(
    { on: 'tokens', when: 'after', name: 'x', text: 'y', limit: '500', visit: '' },
    'b',
  )
  assert.deepEqual(made, {
    id: 'b',
    on: 'tokens',
    when: 'before',
    name: '',
    text: '',
    is_regex: false,
    limit: 500,
    visit: null,
    enabled: true,
  })
})

test('a breakpoint that is added again is turned on', () => {
  const form = { on: 'agent', when: 'after', name: 'ann' }
  const off = { ...breakpointFrom(form, 'b'), enabled: false }
  const other = breakpointFrom({ ...form, when: 'before' }, 'c')
  assert.deepEqual(withBreakpoint([off, other], breakpointFrom(form, 'd')), [
    { ...off, enabled: true },
    other,
  ])
})

test('what is missing is said', () => {
  assert.equal(breakpointFrom({ on: 'text', text: '' }, 'b'), 'Enter the text.')
  assert.equal(breakpointFrom({ on: 'cost', limit: '0' }, 'b'), 'Enter a number above 0.')
  assert.match(String(breakpointFrom({ on: 'agent', visit: '1.5' }, 'b')), /whole number/)
})

test('a breakpoint is told in words', () => {
  const words = (more) =>
    breakpointText({ ...breakpointFrom({ on: 'agent', name: '' }, 'b'), ...more })
  assert.equal(words({}), 'Before any agent')
  assert.equal(
    words({ on: 'tool', when: 'after', name: 'write', visit: 22 }),
    'After the tool write, 22nd time',
  )
  assert.equal(words({ on: 'text', text: 'DONE', name: 'critic' }), 'Contains “DONE” of critic')
  assert.equal(words({ on: 'progress', limit: 80 }), 'At 80 % of a condition')
})

test('tools are found wherever they are in a team', () => {
  const tool = (name) => ({
    provider: 'autogen_core.tools.FunctionTool',
    component_type: 'tool',
    config: { name },
  })
  const agent = {
    provider: 'a.Agent',
    config: {
      name: 'a',
      tools: [tool('one')],
      workbench: [{ config: { tools: [tool('two'), tool('one')] } }],
    },
  }
  assert.deepEqual(
    toolsOf({ provider: 't', config: { participants: [agent, { config: null }] } }),
    ['one', 'two'],
  )
  const coder = {
    provider: 'c',
    config: { name: 'coder', code_executor: { provider: 'e', config: {} } },
  }
  assert.deepEqual(toolsOf({ provider: 't', config: { participants: [coder] } }), ['code'])
})

test('rules about arguments stay before those about whole tools', () => {
  const asks = withVerdict(none, 'write', 'ask')
  const inside = {
    tool: 'write',
    when: [{ argument: 'path', test: 'inside', value: '/work' }],
    verdict: 'allow',
    reason: '',
  }
  const both = withRule(asks, inside)
  assert.deepEqual(
    both.rules.map((rule) => rule.when.length),
    [1, 0],
  )
  assert.equal(verdictOf(both, 'write'), 'ask')
  assert.deepEqual(withVerdict(both, 'write', '').rules, [inside])
  assert.equal(ruleText(inside), 'write runs when path is in the folder “/work”')
})

test('a lasting permission is for exactly these arguments', () => {
  const [rule] = withPermission(withVerdict(none, 'write', 'ask'), 'write', {
    path: 'a',
    lines: [1, 2],
    flags: { b: true, a: null },
  }).rules
  assert.deepEqual(
    rule?.when.map(({ test: how, value }) => [how, value]),
    [
      ['equals', 'a'],
      ['equals', '[1,2]'],
      ['equals', '{"a":null,"b":true}'],
    ],
  )
  assert.equal(asText(3), '3')
})

test('what is always allowed are calls with these arguments, also with none', () => {
  const { rules } = withPermission(withVerdict(none, 'wipe', 'ask'), 'wipe', {})
  assert.deepEqual(
    rules.map((rule) => [rule.verdict, rule.exactly ?? false]),
    [
      ['allow', true],
      ['ask', false],
    ],
  )
  assert.equal(verdictOf({ ...none, rules }, 'wipe'), 'ask')
  assert.match(ruleText(rules[0]), /no other arguments/)
})

test('a tool may run again, and may no longer', () => {
  const may = withRepeat(none, 'save')
  assert.deepEqual(may.repeatable, ['save'])
  assert.deepEqual(withRepeat(may, 'save'), none)
})
