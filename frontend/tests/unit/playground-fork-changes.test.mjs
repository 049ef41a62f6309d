import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  agentOf,
  asTree,
  choicesAt,
  forkBody,
} from '../../static/js/playground/compare/fork-changes.js'

const model = { provider: 'x.Model', config: { model: 'gpt-4o', model_info: { family: 'gpt-4o' } } }
const agent = (name) => ({
  provider: 'x.AssistantAgent',
  config: { name, system_message: 'Be brief.', model_client: model },
})
const component = {
  provider: 'x.Team',
  config: {
    participants: [
      agent('writer'),
      { provider: 'x.Team', config: { name: 'inner', participants: [agent('clerk')] } },
    ],
  },
}
const said = {
  seq: 8,
  kind: 'message',
  body: { id: 'm-1', type: 'TextMessage', source: 'clerk', content: 'Filed.' },
}
const calls = {
  seq: 5,
  kind: 'event',
  body: { type: 'ToolCallRequestEvent', source: 'writer', content: [{ id: 'c-1' }] },
}
const executed = {
  seq: 7,
  kind: 'event',
  body: {
    type: 'ToolCallExecutionEvent',
    source: 'writer',
    content: [{ call_id: 'c-1', name: 'add', content: '3' }],
  },
}
const at = (entry, more = {}) => ({ entry, component, hasTeam: true, ...more })

test('what an agent said can be changed, and what it was told', () => {
  assert.deepEqual(
    choicesAt(at(said)).map((each) => each.kind),
    ['text', 'redo', 'instructions', 'model', 'team', 'same'],
  )
  assert.deepEqual(choicesAt(at(said))[2].fields, [
    { name: 'text', label: 'System message of clerk', text: 'Be brief.' },
  ])
})

test('a person and a picture offer less', () => {
  const task = {
    seq: 3,
    kind: 'message',
    body: {
      id: 'm-0',
      type: 'MultiModalMessage',
      source: 'user',
      content: ['Look', { data: 'x' }],
    },
  }
  assert.deepEqual(
    choicesAt(at(task, { hasTeam: false })).map((each) => each.kind),
    ['same'],
  )
})

test('the result of a tool is changed at the event that holds it', () => {
  const place = at(calls, { executed })
  assert.equal(choicesAt(place)[0].kind, 'result')
  assert.deepEqual(choicesAt(place)[0].fields, [{ name: 'c-1', label: 'Tool result', text: '3' }])
  assert.deepEqual(forkBody(place, 'result', { 'c-1': '4' }), {
    seq: 7,
    tool_results: { 'c-1': '4' },
  })
})

test('each of several results is changed by itself, and the others stay', () => {
  const results = [
    { call_id: 'c-1', name: 'add', content: '3' },
    { call_id: 'c-2', name: 'add', content: '5' },
    { call_id: 'c-3', name: 'sub', content: '1' },
  ]
  const place = at(calls, {
    executed: { ...executed, body: { ...executed.body, content: results } },
  })
  assert.deepEqual(
    choicesAt(place)[0].fields.map(({ label, text }) => [label, text]),
    [
      ['1. add', '3'],
      ['2. add', '5'],
      ['3. sub', '1'],
    ],
  )
  assert.deepEqual(forkBody(place, 'result', { 'c-1': '3', 'c-2': '6', 'c-3': '0' }).tool_results, {
    'c-2': '6',
    'c-3': '0',
  })
})

test('another message is told by its id', () => {
  assert.deepEqual(forkBody(at(said), 'text', { text: 'Lost.' }), {
    seq: 8,
    edits: { 'm-1': 'Lost.' },
  })
})

test('other instructions and models are put into a copy of the team, at the agent who speaks', () => {
  const told = forkBody(at(said), 'instructions', { text: 'Be long.' })
  assert.equal(told.redo, true)
  assert.equal(agentOf(told.component, 'clerk').config.system_message, 'Be long.')
  assert.equal(agentOf(told.component, 'writer').config.system_message, 'Be brief.')
  assert.equal(agentOf(component, 'clerk').config.system_message, 'Be brief.')
  const asked = agentOf(forkBody(at(said), 'model', { text: 'gpt-4o-mini' }).component, 'clerk')
    .config.model_client.config
  assert.deepEqual(asked, { model: 'gpt-4o-mini' })
})

test('teams that are no teams hold no agents', () => {
  for (const nothing of [null, 5, 'x', [], { config: 3 }, { provider: 1, config: { name: 'a' } }])
    assert.equal(agentOf(nothing, 'a'), null)
})

test('runs stand under those that they go on from', () => {
  const runs = [
    { id: 'd', parent_id: 'b' },
    { id: 'c', parent_id: 'a' },
    { id: 'b', parent_id: 'a' },
    { id: 'x', parent_id: 'gone' },
    { id: 'a', parent_id: null },
  ]
  assert.deepEqual(
    asTree(runs).map(({ run, depth }) => `${run.id}${depth}`),
    ['x0', 'a0', 'c1', 'b1', 'd2'],
  )
})
