import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTeamModel } from '../../static/js/builder/document/models.js'
import { agent, catalogue, model, selector, team, tool } from './team.mjs'

const small = model('small')

test('a new agent starts with the model that its whole team uses', () => {
  const pair = team([
    agent('a', { model_client: small }),
    agent('b', { model_client: small }),
    agent('c'),
  ])
  assert.deepEqual(withTeamModel(catalogue, pair, agent('d')).config, {
    model_client: small,
    name: 'd',
  })
  assert.deepEqual(withTeamModel(catalogue, pair, selector([])).config, {
    model_client: small,
    participants: [],
  })
})

test('what has a model keeps it, and what needs none gets none', () => {
  const solo = team([agent('a', { model_client: small })])
  const own = agent('b', { model_client: model('large') })
  assert.deepEqual(withTeamModel(catalogue, solo, own), own)
  assert.deepEqual(withTeamModel(catalogue, solo, tool('t')), tool('t'))
  assert.deepEqual(withTeamModel(catalogue, solo, small), small)
})

test('where a team has several models, or none, a new agent waits for a choice', () => {
  const mixed = team([
    agent('a', { model_client: small }),
    agent('b', { model_client: model('large') }),
  ])
  assert.deepEqual(withTeamModel(catalogue, mixed, agent('c')), agent('c'))
  assert.deepEqual(withTeamModel(catalogue, team([]), agent('c')), agent('c'))
})
