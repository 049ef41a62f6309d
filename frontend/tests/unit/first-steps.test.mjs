import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstSteps, isNearlyEmpty } from '../../static/js/builder/document/first-steps.js'
import { addComponent, removeAt } from '../../static/js/builder/document/commands.js'
import { Store } from '../../static/js/core/store.js'
import { agent, catalogue, document, limit, model, selector, team } from './team.mjs'

const done = (root, hasRun = false) =>
  firstSteps(catalogue, root, hasRun)
    .filter((each) => each.isDone)
    .map((each) => each.id)
const filled = (name) => agent(name, { model_client: model('m') })

test('each step is done once the document has what it asks for', () => {
  assert.deepEqual(done(team([])), [])
  assert.deepEqual(done(team([agent('a')])), ['agent'])
  assert.deepEqual(done(team([filled('a')])), ['agent', 'model'])
  assert.deepEqual(done(team([filled('a')], { termination_condition: limit(3) })), [
    'agent',
    'model',
    'stop',
  ])
  assert.deepEqual(done(team([filled('a')], { max_turns: 3 }), true), [
    'agent',
    'model',
    'stop',
    'run',
  ])
})

test('the model asked for is the first that is missing, the selector its own among them', () => {
  const where = (root) => firstSteps(catalogue, root, false)[1].where
  assert.equal(where(team([filled('a'), agent('b')])), '/config/participants/1/config/model_client')
  assert.equal(where(selector([filled('a')])), '/config/model_client')
  assert.deepEqual(done(selector([filled('a')])), ['agent'])
})

test('undo takes the tick back, redo sets it again', () => {
  const store = new Store(document(team([])))
  store.run(addComponent('/config/participants', true, filled('a')))
  assert.deepEqual(done(store.doc.component), ['agent', 'model'])
  store.undo()
  assert.deepEqual(done(store.doc.component), [])
  store.redo()
  store.run(removeAt('/config/participants/0', 'a'))
  assert.deepEqual(done(store.doc.component), [])
})

test('only a team that was just begun asks for them by itself', () => {
  assert.equal(isNearlyEmpty(catalogue, team([])), true)
  assert.equal(isNearlyEmpty(catalogue, team([agent('a')])), true)
  assert.equal(isNearlyEmpty(catalogue, team([filled('a')])), false)
  assert.equal(isNearlyEmpty(catalogue, team([agent('a'), agent('b')])), false)
})
