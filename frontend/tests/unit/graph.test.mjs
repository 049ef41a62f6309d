import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addComponent,
  moveTo,
  removeAt,
  renameAgent,
  reorder,
  setValue,
} from '../../static/js/builder/document/commands.js'
import {
  addEdge,
  edgesFrom,
  groupsInto,
  isGraph,
  removeNode,
  startsOf,
  withActivation,
} from '../../static/js/builder/document/graph.js'
import {
  connect,
  connectNew,
  disconnect,
  removeBridged,
  startWith,
  turn,
  turnStart,
  waitFor,
} from '../../static/js/builder/document/connections.js'
import { endsOf, partAt } from '../../static/js/builder/document/parts.js'
import { duplicateCommand } from '../../static/js/builder/document/clipboard.js'
import { agent, catalogue, document, limit, or, selector, team } from './team.mjs'

const edge = (target, more = {}) => ({
  target,
  condition: null,
  activation_group: target,
  activation_condition: 'all',
  ...more,
})
const graph = (ways, start = null) => ({
  nodes: Object.fromEntries(
    Object.entries(ways).map(([name, edges]) => [
      name,
      {
        name,
        edges: edges.map((each) => (typeof each === 'string' ? edge(each) : each)),
        activation: 'all',
      },
    ]),
  ),
  default_start_node: start,
})
const flow = (ways, start) => ({
  ...team(
    Object.keys(ways).map((name) => agent(name)),
    { graph: graph(ways, start) },
  ),
  provider: 'x.GraphFlow',
})
const ways = (doc, at = doc.component) =>
  Object.fromEntries(
    Object.keys(at.config.graph.nodes).map((name) => [
      name,
      edgesFrom(at.config.graph, name).map((each) => each.target),
    ]),
  )
const names = (doc) => doc.component.config.participants.map((each) => each.config.name)

test('an added agent is a node without edges, a removed one takes its edges along', () => {
  const grown = addComponent('/config/participants', true, agent('a')).apply(
    document(flow({ a: ['b'], b: [] })),
  )
  assert.deepEqual(ways(grown), { a: ['b'], b: [], a_2: [] })
  assert.deepEqual(ways(removeAt('/config/participants/1', 'b').apply(grown)), { a: [], a_2: [] })
})

test('a renamed agent is renamed in its node, in edges, groups, the start, handoffs, conditions and on the canvas', () => {
  const component = flow({ a: ['b'], b: ['a'] }, 'a')
  component.config.participants[1].config.handoffs = [
    'a',
    { target: 'a', description: 'Handoff to a.', name: 'back', message: 'Over to you.' },
  ]
  component.config.termination_condition = or(limit(3), {
    provider: 'x.SourceMatch',
    component_type: 'termination',
    config: { sources: ['a', 'x'] },
  })
  const doc = { ...document(component), layout: { pins: { a: { x: 1, y: 2 } } } }
  const after = renameAgent('/config/participants/0', 'author').apply(doc)
  assert.deepEqual(ways(after), { author: ['b'], b: ['author'] })
  assert.equal(after.component.config.graph.nodes.author.name, 'author')
  assert.equal(edgesFrom(after.component.config.graph, 'b')[0].activation_group, 'author')
  assert.equal(after.component.config.graph.default_start_node, 'author')
  assert.deepEqual(after.component.config.participants[1].config.handoffs, [
    'author',
    { target: 'author', description: 'Handoff to author.', name: 'back', message: 'Over to you.' },
  ])
  assert.deepEqual(
    after.component.config.termination_condition.config.conditions[1].config.sources,
    ['author', 'x'],
  )
  assert.deepEqual(after.layout.pins, { author: { x: 1, y: 2 } })
})

test('a name that another has for a moment while it is typed costs neither its edges', () => {
  const doc = document(flow({ a: ['ab'], ab: ['c'], c: [] }))
  const typed = ['ab', 'abc'].reduce(
    (each, name) => renameAgent('/config/participants/0', name).apply(each),
    doc,
  )
  assert.deepEqual(ways(typed), { abc: ['ab'], ab: ['c'], c: [] })
})

test('order, copies and moves between teams keep the nodes in step', () => {
  const inner = flow({ x: ['y'], y: [] })
  const doc = document(team([agent('a'), inner]))
  const moved = moveTo(
    '/config/participants/0',
    '/config/participants/1/config/participants',
    true,
  ).apply(doc)
  assert.deepEqual(ways(moved, moved.component.config.participants[0]), { x: ['y'], y: [], a: [] })
  const own = document(flow({ a: ['b'], b: [] }))
  assert.deepEqual(ways(reorder('/config/participants/0', 1).apply(own)), { a: ['b'], b: [] })
  assert.deepEqual(
    Object.keys(ways(duplicateCommand(catalogue, own, ['/config/participants/0']).apply(own))),
    ['a', 'b', 'a_2'],
  )
})

test('a removed member of the list does not make its neighbours follow each other', () => {
  const swarm = (one, other) =>
    team([agent(one, { handoffs: [other] }), agent(other, { handoffs: [one] })])
  const doc = document(team([swarm('a', 'b'), swarm('b', 'c')]))
  assert.deepEqual(
    removeAt('/config/participants/0', 'x').apply(doc).component.config.participants[0],
    swarm('b', 'c'),
  )
})

test('what a change wrote into the graph itself stays as it was written', () => {
  const doc = document(flow({ a: ['b'], b: [] }))
  const written = flow({ a: [], c: [] })
  const after = { label: '', apply: (each) => ({ ...each, component: written }) }.apply(doc)
  assert.deepEqual(ways(after), { a: [], c: [] })
})

test('removing with reconnection leads from those before to those after, on the same conditions', () => {
  const doc = document(
    flow({ a: [edge('m', { condition: 'yes' })], b: ['m'], m: ['c', 'd', 'a'], c: [], d: [] }),
  )
  const after = removeBridged('/config/participants/2').apply(doc)
  assert.deepEqual(ways(after), { a: ['c', 'd'], b: ['c', 'd', 'a'], c: [], d: [] })
  assert.deepEqual(edgesFrom(after.component.config.graph, 'a')[0], edge('c', { condition: 'yes' }))
  assert.deepEqual(names(after), ['a', 'b', 'c', 'd'])
})

test('removing with reconnection passes handoffs on, too', () => {
  const doc = document(
    team([agent('a', { handoffs: ['b'] }), agent('b', { handoffs: ['a', 'c'] }), agent('c')]),
  )
  const after = removeBridged('/config/participants/1').apply(doc)
  assert.deepEqual(
    after.component.config.participants.map((each) => each.config.handoffs),
    [['c'], undefined],
  )
})

test('an edge that leads back is in a group of its own, and the start stays the start', () => {
  const { nodes, default_start_node } = addEdge(graph({ a: ['b'], b: [] }), 'b', 'a')
  assert.deepEqual(nodes.b.edges, [
    edge('a', { activation_group: 'back from b', activation_condition: 'any' }),
  ])
  assert.equal(default_start_node, 'a')
})

test('an edge into a group waits as the others of the group do', () => {
  const joined = addEdge(
    withActivation(graph({ a: ['c'], b: [], c: [] }), 'c', 'c', 'any'),
    'b',
    'c',
  )
  assert.deepEqual(groupsInto(joined, 'c'), [
    { group: 'c', activation: 'any', sources: ['a', 'b'] },
  ])
})

test('edges are connected, turned, moved and disconnected by their pointers', () => {
  const doc = document(flow({ a: ['b'], b: [], c: [] }))
  const made = connect('', '/config/participants/1', 'c')
  const grown = made.apply(doc)
  assert.equal(made.select, '/config/graph/nodes/b/edges/0')
  assert.deepEqual(endsOf(grown.component, made.select), { from: 'b', to: 'c' })
  assert.deepEqual(ways(turn('/config/graph/nodes/a/edges/0', 'c').apply(grown)), {
    a: ['c'],
    b: ['c'],
    c: [],
  })
  const moved = turnStart('/config/graph/nodes/a/edges/0', '/config/participants/2')
  assert.deepEqual(ways(moved.apply(grown)), { a: [], b: ['c'], c: ['b'] })
  assert.equal(moved.select, '/config/graph/nodes/c/edges/0')
  assert.deepEqual(ways(disconnect(made.select).apply(grown)), ways(doc))
})

test('handoffs are connected, turned, moved and disconnected by their pointers, in the words they are written in', () => {
  const doc = document(
    team([
      agent('a', { handoffs: [{ target: 'b', name: 'transfer_to_b' }] }),
      agent('b'),
      agent('c'),
    ]),
  )
  const made = connect('', '/config/participants/0', 'c')
  const grown = made.apply(doc)
  assert.equal(made.select, '/config/participants/0/config/handoffs/1')
  assert.deepEqual(grown.component.config.participants[0].config.handoffs[1], { target: 'c' })
  assert.deepEqual(
    turn('/config/participants/0/config/handoffs/0', 'c').apply(doc).component.config
      .participants[0].config.handoffs,
    [{ target: 'c', name: 'transfer_to_c' }],
  )
  const moved = turnStart(made.select, '/config/participants/1').apply(grown)
  assert.deepEqual(
    moved.component.config.participants.map((each) => each.config.handoffs?.length),
    [1, 1, undefined],
  )
  assert.deepEqual(disconnect(made.select).apply(grown).component, doc.component)
})

test('a new agent at the end of a drawn edge comes in one step', () => {
  const command = connectNew('', '/config/participants/0', '/config/participants', agent('a'))
  const after = command.apply(document(flow({ a: [] })))
  assert.deepEqual(ways(after), { a: ['a_2'], a_2: [] })
  assert.equal(command.select, '/config/participants/1')
})

test('the start is set, and given back to those that nothing leads to', () => {
  const doc = document(flow({ a: ['b'], b: [], c: [] }))
  assert.deepEqual(startsOf(doc.component.config.graph), ['a', 'c'])
  const set = startWith('', 'c').apply(doc)
  assert.deepEqual(startsOf(set.component.config.graph), ['c'])
  assert.deepEqual(startsOf(startWith('', 'c').apply(set).component.config.graph), ['a', 'c'])
})

test('all edges of a group are told alike how many must be taken', () => {
  const doc = waitFor('', 'c', 'c', 'any').apply(document(flow({ a: ['c', 'b'], b: ['c'], c: [] })))
  const { a, b } = doc.component.config.graph.nodes
  assert.deepEqual(
    [...a.edges, ...b.edges].map((each) => each.activation_condition),
    ['any', 'all', 'any'],
  )
})

test('what is written on one edge of a group about how many must be taken is written on all', () => {
  const doc = setValue('/config/graph/nodes/a/edges/0/activation_condition', 'any').apply(
    document(flow({ a: ['c', 'b'], b: ['c'], c: [] })),
  )
  const { a, b } = doc.component.config.graph.nodes
  assert.deepEqual(
    [...a.edges, ...b.edges].map((each) => each.activation_condition),
    ['any', 'all', 'any'],
  )
})

test('parts of a config have pointers of known shapes', () => {
  assert.deepEqual(partAt('/config/participants/1/config/graph/nodes/a~1b/edges/2'), {
    kind: 'edge',
    team: '/config/participants/1',
    from: 'a/b',
    index: 2,
  })
  assert.deepEqual(partAt('/config/graph/nodes/a'), { kind: 'node', team: '', from: 'a' })
  assert.deepEqual(partAt('/config/participants/1/config/handoffs/0'), {
    kind: 'handoff',
    team: '',
    agent: '/config/participants/1',
    index: 0,
  })
  assert.equal(partAt('/config/graph/nodes/a/edges/0/condition'), undefined)
  assert.equal(partAt('/config/participants/1'), undefined)
})

// Random editing: a small generator with a seed, so that a failure can be repeated.
const random = (seed) => () => {
  seed = (seed * 1664525 + 1013904223) % 4294967296
  return seed / 4294967296
}

const operations = [
  (pick) => addComponent('/config/participants', true, agent(pick('abcdef'))),
  (pick, members) => removeAt(`/config/participants/${pick(members)}`, ''),
  (pick, members) => removeBridged(`/config/participants/${pick(members)}`),
  (pick, members) =>
    renameAgent(`/config/participants/${pick(members)}`, `${pick('abcdef')}${pick('1234')}`),
  (pick, members, _called, doc) =>
    duplicateCommand(catalogue, doc, [`/config/participants/${pick(members)}`]),
  (pick, members) => reorder(`/config/participants/${pick(members)}`, Number(pick(members))),
  (pick, members, called) => connect('', `/config/participants/${pick(members)}`, pick(called)),
  (pick, _members, called) => disconnect(`/config/graph/nodes/${pick(called)}/edges/0`),
  (pick, _members, called) => turn(`/config/graph/nodes/${pick(called)}/edges/0`, pick(called)),
  (pick, members, called) =>
    turnStart(
      `/config/graph/nodes/${pick(called)}/edges/0`,
      `/config/participants/${pick(members)}`,
    ),
  (pick, _members, called) => startWith('', pick(called)),
]

for (let seed = 1; seed <= 60; seed += 1) {
  test(`after any editing the nodes are the participants and every edge leads to one (seed ${seed})`, () => {
    const next = random(seed)
    const pick = (from) => from[Math.floor(next() * from.length)]
    let doc = document(flow({ a: ['b'], b: ['c', 'a'], c: [] }, 'a'))
    for (let step = 0; step < 40; step += 1) {
      const called = names(doc)
      const before = structuredClone(doc)
      const changed = pick(operations)(pick, Object.keys(called), called, doc).apply(doc)
      assert.deepEqual(doc, before, 'a command leaves the old document as it was')
      if (new Set(names(changed)).size !== names(changed).length || names(changed).length < 2)
        continue
      doc = changed
      const { nodes, default_start_node: start } = doc.component.config.graph
      assert.deepEqual(Object.keys(nodes).toSorted(), names(doc).toSorted())
      for (const [name, node] of Object.entries(nodes)) {
        assert.equal(node.name, name)
        for (const each of node.edges)
          assert.ok(Object.hasOwn(nodes, each.target), `${name} leads to ${each.target}`)
      }
      assert.ok(start === null || start === undefined || Object.hasOwn(nodes, start))
    }
  })
}

test('a graph without the node loses nothing else', () => {
  const whole = graph({ a: ['b', 'c'], b: ['c'], c: ['c'] })
  assert.deepEqual(removeNode(whole, 'zero'), whole)
  assert.ok(isGraph(whole) && !isGraph([]) && !isGraph({ nodes: [] }))
  assert.ok(selector([]))
})
