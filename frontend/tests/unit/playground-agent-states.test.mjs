import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AgentStates } from '../../static/js/playground/log/agent-states.js'

let seq = 0
const at = '2026-11-24T10:00:00Z'
const entry = (kind, body) => ({ seq: ++seq, at, kind, body })
const state = (name, more = {}) => entry('state', { state: name, ...more })
const chosen = (name, path = []) =>
  entry('explanation', { type: 'SpeakerDecisionEvent', path, chosen: [name] })
const said = (source, content) => entry('message', { type: 'TextMessage', source, content })

/** @param {any[]} entries */
function after(...entries) {
  const states = new AgentStates()
  states.apply({ entries, chunks: [], state: null, live: true })
  return states
}

test('who has the word works, and whoever spoke last is told from those before', () => {
  const states = after(
    state('running'),
    chosen('writer'),
    said('writer', 'One'),
    chosen('critic'),
    said('critic', 'Two'),
    chosen('writer'),
  )
  assert.equal(states.stateOf(['writer']).state, 'working')
  assert.deepEqual(
    [states.stateOf(['critic']).state, states.stateOf(['critic']).text],
    ['latest', 'Two'],
  )
  assert.equal(states.stateOf(['editor']), null)
})

test('a failure is that of whoever had the word, also when all is told at once', () => {
  const states = after(
    state('running'),
    chosen('writer'),
    said('writer', 'One'),
    chosen('critic'),
    state('failed', { error: {} }),
  )
  assert.equal(states.stateOf(['critic']).state, 'failed')
  assert.equal(states.stateOf(['writer']).state, 'latest')
})

test('a team within the team does what its members do', () => {
  const states = after(
    state('running'),
    chosen('office'),
    chosen('clerk', ['office']),
    said('clerk', 'Done'),
  )
  assert.equal(states.stateOf(['office', 'clerk']).text, 'Done')
  assert.equal(
    after(state('running'), chosen('office'), chosen('clerk', ['office'])).stateOf([
      'office',
      'clerk',
    ]).state,
    'working',
  )
})

test('an agent that asks waits', () => {
  const states = after(
    state('running'),
    chosen('you'),
    state('paused', { reason: 'input', pending: { request_id: '1', source: 'you' } }),
  )
  assert.equal(states.stateOf(['you']).state, 'waiting')
})
