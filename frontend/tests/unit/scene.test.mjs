import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeScene } from '../../static/js/builder/canvas/draw/scene.js'
import { typeLabel } from '../../static/js/builder/document/catalogue.js'
import { agent, catalogue, limit, model, or, selector, team, tool, workbench } from './team.mjs'

test('a team in order has an edge from each to the next and one back', () => {
  const { flow, edges } = makeScene(catalogue, team([agent('a'), agent('b'), agent('c')]), '')
  assert.equal(flow, 'order')
  assert.deepEqual(
    edges.map(({ from, to, kind }) => [from, to, kind]),
    [
      [0, 1, 'next'],
      [1, 2, 'next'],
      [2, 0, 'loop'],
    ],
  )
})

test('a team that chooses has a hub that holds its model', () => {
  const { flow, hub, edges } = makeScene(
    catalogue,
    selector([agent('a')], { model_client: model('m') }),
    '',
  )
  assert.equal(flow, 'hub')
  assert.equal(hub.slots[0].chips[0].title, 'm')
  assert.deepEqual(
    edges.map(({ from, to }) => [from, to]),
    [[-1, 0]],
  )
})

test('handoffs are edges', () => {
  const { flow, edges } = makeScene(
    catalogue,
    team([agent('a', { handoffs: ['b', { target: 'nobody' }] }), agent('b')]),
    '',
  )
  assert.equal(flow, 'handoffs')
  assert.deepEqual(
    edges.map(({ from, to }) => [from, to]),
    [[0, 1]],
  )
})

test('an unknown team with a graph is drawn from its graph', () => {
  const graph = { nodes: { a: { edges: [{ target: 'b', condition: 'yes' }] }, b: { edges: [] } } }
  const { edges, cards } = makeScene(
    catalogue,
    { ...team([agent('a'), agent('b')], { graph }), provider: 'y.GraphFlow' },
    '',
  )
  assert.equal(cards.length, 2)
  assert.deepEqual(edges, [
    { from: 0, to: 1, label: '“yes”', pointer: '/config/graph/nodes/a/edges/0', kind: 'graph' },
  ])
})

test('tools show inside their workbench, and there is no second place for them', () => {
  const { cards } = makeScene(
    catalogue,
    team([agent('a', { workbench: [workbench(tool('search'))] })]),
    '',
  )
  assert.deepEqual(
    cards[0].slots.map((slot) => slot.field),
    ['model_client', 'workbench'],
  )
  const bench = cards[0].slots[1]
  assert.deepEqual(
    bench.chips[0].inner.map((chip) => chip.title),
    ['search'],
  )
})

test('a termination reads as a sentence, in the server’s words where it has them', () => {
  const root = team([], { termination_condition: or(limit(3), or(limit(4), limit(5))) })
  const { condition } = makeScene(catalogue, root, '', (pointer) =>
    pointer === '/config/termination_condition/config/conditions/0' ? 'three messages' : '',
  )
  assert.deepEqual(
    [condition.word, condition.parts[0].text, condition.parts[1].word],
    ['or', 'three messages', 'or'],
  )
  assert.deepEqual(
    condition.parts[1].parts.map((each) => each.text),
    ['max message 4', 'max message 5'],
  )
})

test('a kind has the title of the catalogue, and an unknown one its class', () => {
  assert.equal(typeLabel(limit(1).provider), 'Max message')
  assert.equal(typeLabel('elsewhere.Rocket'), 'Rocket')
})
