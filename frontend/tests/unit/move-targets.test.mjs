import assert from 'node:assert/strict'
import { test } from 'node:test'
import { moveTargets } from '../../static/js/builder/document/move-targets.js'
import { nextAfter } from '../../static/js/builder/document/selection.js'
import { agent, catalogue, document, limit, model, proxy, team, tool } from './team.mjs'

const to = (root, from) => moveTargets(catalogue, root, from)

test('a tool can go to every agent that takes tools, wherever it is in the team', () => {
  const desk = {
    ...team([agent('reporter')]),
    config: { ...team([agent('reporter')]).config, name: 'desk' },
  }
  const root = team([
    agent('writer', { tools: [tool('add')] }),
    agent('critic'),
    proxy('you'),
    desk,
  ])
  assert.deepEqual(
    to(root, '/config/participants/0/config/tools/0').map((each) => each.label),
    ['critic › tools', 'desk › reporter › tools'],
  )
})

test('what a move would put out of its place is said', () => {
  const root = team([
    agent('a', { model_client: model('big') }),
    agent('b', { model_client: model('small') }),
  ])
  const [place] = to(root, '/config/participants/0/config/model_client')
  assert.equal(place.detail, 'instead of small')
  const moved = place.command.apply(document(root)).component
  assert.equal(moved.config.participants[1].config.model_client.config.model, 'big')
  assert.equal(moved.config.participants[0].config.model_client, undefined)
})

test('a team can move neither into itself nor to where it is', () => {
  const inner = team([agent('a')])
  assert.deepEqual(to(team([inner]), '/config/participants/0'), [])
  assert.deepEqual(to(team([inner]), ''), [])
})

test('after a removal the selection is the one that moved up, else the one before, else the owner', () => {
  const root = team([agent('a'), agent('b'), agent('c')], { termination_condition: limit(1) })
  const member = (index) => `/config/participants/${index}`
  assert.equal(nextAfter(root, [member(1)]), member(1))
  assert.equal(nextAfter(root, [member(2)]), member(1))
  assert.equal(nextAfter(root, [member(0), member(2)]), member(0))
  assert.equal(nextAfter(root, [member(0), member(1), member(2)]), '')
  assert.equal(nextAfter(root, ['/config/termination_condition']), '')
})
