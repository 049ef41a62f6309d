import assert from 'node:assert/strict'
import { test } from 'node:test'
import { get } from '../../static/js/core/pointer.js'
import {
  operators,
  targetsFor,
  targetsNear,
  refusal,
} from '../../static/js/builder/document/slot-targets.js'
import {
  agent,
  catalogue,
  document,
  limit,
  model,
  or,
  proxy,
  selector,
  team,
  tool,
  workbench,
} from './team.mjs'

const places = (root, subject, target) => targetsFor(catalogue, root, subject, target)
const apply = (root, place) => place.command.apply(document(root)).component

test('a model dropped on an agent takes its model slot', () => {
  const root = team([agent('a')])
  const [place, ...more] = places(root, model('m'), '/config/participants/0')
  assert.equal(more.length, 0)
  assert.equal(place.slot, '/config/participants/0/config/model_client')
})

test('a model dropped on a team may serve every agent, one of them, or the selector', () => {
  const root = selector([agent('a'), agent('b'), proxy('you')])
  assert.deepEqual(
    places(root, model('m'), '').map((each) => each.label),
    ['For every agent', 'For a', 'For b', 'As model client of Pair'],
  )
})

test('an agent dropped on another goes right behind it', () => {
  const root = team([agent('a'), agent('b')])
  const [place] = places(root, agent('new'), '/config/participants/0')
  assert.deepEqual(
    apply(root, place).config.participants.map((each) => each.config.name),
    ['a', 'new', 'b'],
  )
})

test('a tool joins the workbench that holds the agent’s tools', () => {
  const root = team([agent('a', { workbench: [workbench(tool('one'))] })])
  assert.equal(
    places(root, tool('two'), '/config/participants/0')[0].slot,
    '/config/participants/0/config/workbench/0/config/tools',
  )
})

test('a second condition asks for or, and, or instead', () => {
  const root = team([], { termination_condition: limit(3) })
  const ways = places(root, limit(5), '')
  assert.deepEqual(
    ways.map((each) => each.label.replace(/“.*?” /, '')),
    ['or this', 'and this', 'Instead of “Max message”'],
  )
  assert.equal(
    apply(root, ways[0]).config.termination_condition.provider,
    'x.OrTerminationCondition',
  )
})

test('a third condition joins the or that is there', () => {
  const root = team([], { termination_condition: or(limit(1), limit(2)) })
  const joined = apply(root, places(root, limit(3), '')[0])
  assert.equal(get(joined, '/config/termination_condition/config/conditions').length, 3)
})

test('what fits nowhere is refused with the reason', () => {
  const root = team([proxy('you')])
  assert.deepEqual(places(root, model('m'), '/config/participants/0'), [])
  assert.equal(
    refusal(catalogue, root, model('m'), '/config/participants/0'),
    'you has no slot for a model.',
  )
  assert.equal(
    refusal(catalogue, root, model('m'), '/config/participants'),
    'This slot takes an agent or a team, not a model.',
  )
})

test('what is added beside a chosen model or condition goes to the nearest agent or team that takes it', () => {
  const root = team([agent('a', { model_client: model('m') }), agent('b')], {
    termination_condition: limit(3),
  })
  const near = (subject, target) => targetsNear(catalogue, root, subject, target)
  const [toolPlace] = near(tool('t'), '/config/participants/0/config/model_client')
  assert.equal(toolPlace.slot, '/config/participants/0/config/tools')
  const [agentPlace] = near(agent('new'), '/config/participants/0/config/model_client')
  assert.deepEqual(
    apply(root, agentPlace).config.participants.map((each) => each.config.name),
    ['a', 'new', 'b'],
  )
  assert.deepEqual(
    near(agent('new'), '/config/termination_condition').map((each) => each.slot),
    ['/config/participants'],
  )
  assert.deepEqual(
    near(tool('t'), '/config/termination_condition').map((each) => each.label),
    ['For a', 'For b'],
  )
})

test('places in a nested team are told apart', () => {
  const desk = { ...team([agent('reporter'), agent('editor')]), label: 'news_desk' }
  const labels = places(team([desk, agent('host')]), tool('t'), '').map((each) => each.label)
  assert.deepEqual(labels, ['For reporter in news_desk', 'For editor in news_desk', 'For host'])
})

test('joints come from the catalogue, or before and', () => {
  assert.deepEqual(
    operators(catalogue).map((each) => each.word),
    ['or', 'and'],
  )
})
