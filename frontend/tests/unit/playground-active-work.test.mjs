import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ActiveWork, modelsIn } from '../../static/js/playground/log/active-work.js'
import { activityText } from '../../static/js/playground/chat/activity-rows.js'
import { batchOf, entriesOf, message } from './playground-entries.mjs'

const decision = (chosen, path = []) => [
  'explanation',
  { type: 'SpeakerDecisionEvent', source: 'manager', chosen, path },
]
const running = ['state', { state: 'running', reason: 'start' }]

/** Who works after these. */
function after(...entries) {
  const work = new ActiveWork()
  work.apply(batchOf({ entries: entriesOf(running, ...entries) }))
  return work
}

test('who was given the word works until the message, and side by side in a graph', () => {
  assert.deepEqual(after(decision(['a', 'b'])).names, ['a', 'b'])
  assert.deepEqual(after(decision(['a', 'b']), ['message', message('a', 'Done.')]).names, ['b'])
})

test('a participant that waits for its own team is not at work itself, and still marked', () => {
  const work = after(decision(['outer']), decision(['inner'], ['outer']))
  assert.deepEqual(work.names, ['inner'])
  assert.equal(work.has('outer'), true)
  const later = after(decision(['outer']), decision(['inner'], ['outer']), [
    'message',
    message('inner', 'Done.'),
  ])
  assert.deepEqual(later.names, ['outer'])
})

test('nobody works in a run that is held, asks or has ended', () => {
  for (const state of [
    { state: 'paused', reason: 'user' },
    { state: 'finished', reason: 'end' },
  ])
    assert.deepEqual(after(decision(['a']), ['state', state]).now, [])
})

test('a state that was asked for before the run ended does not bring it back', () => {
  const work = after(
    decision(['a']),
    ['message', message('a', 'Done.')],
    ['state', { state: 'finished', reason: 'end' }],
  )
  work.apply(batchOf({ state: { state: 'running', last_seq: 2 } }))
  assert.deepEqual(work.now, [])
})

test('a refused attempt counts for the agent until its model answers', () => {
  const failed = [
    'command',
    { command: 'model_failed', agent: 'a', model: 'gpt-4o', status: 429, attempt: 1 },
  ]
  const [work] = after(decision(['a']), failed).now
  assert.equal(
    activityText(work, 'gpt-4o', 1000),
    'Waiting for gpt-4o, attempt 2 after status 429 (rate limit)',
  )
  assert.equal(activityText({ ...work, attempt: 1 }, 'gpt-4o', 20_000), 'Still waiting for gpt-4o')
})

test('the model of each agent is read from the design, also through a cache', () => {
  const client = (model) => ({ config: { model } })
  const team = {
    config: {
      model_client: client('m0'),
      participants: [
        { config: { name: 'a', model_client: client('m1') } },
        { config: { name: 'b', model_client: { config: { client: client('m2') } } } },
      ],
    },
  }
  assert.deepEqual(
    [...modelsIn(team)],
    [
      ['', 'm0'],
      ['a', 'm1'],
      ['b', 'm2'],
    ],
  )
})
