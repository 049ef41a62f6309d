// Documents that no person would write: what was imported, pasted or half edited must not bring the
// page down.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { get, remove, set } from '../../static/js/core/pointer.js'
import { makeScene } from '../../static/js/builder/canvas/draw/scene.js'
import { namesOf, removeMany } from '../../static/js/builder/document/bulk.js'
import { kindOfType, titleOf } from '../../static/js/builder/document/catalogue.js'
import { duplicateCommand, unpacked } from '../../static/js/builder/document/clipboard.js'
import {
  connect,
  connectNew,
  disconnect,
  removeBridged,
} from '../../static/js/builder/document/connections.js'
import { keyOf } from '../../static/js/builder/document/findings.js'
import {
  addEdge,
  addNode,
  edgesFrom,
  removeEdge,
  turnEdge,
} from '../../static/js/builder/document/graph.js'
import { kindsText } from '../../static/js/builder/document/naming.js'
import { pinOf } from '../../static/js/builder/document/pins.js'
import { treeRows } from '../../static/js/builder/document/tree.js'
import { agent, catalogue, document, team, tool } from './team.mjs'

const STRANGE = [null, 5, 'writer', {}, []]
const graphOf = (nodes) => ({ nodes })

test('commands leave a team alone whose participants are no components', () => {
  for (const strange of STRANGE) {
    const doc = document(team([strange, agent('b', { handoffs: ['a'] })]))
    const slot = '/config/participants'
    assert.doesNotThrow(
      () => connectNew('', `${slot}/0`, slot, agent('new')).apply(doc),
      `connectNew ${JSON.stringify(strange)}`,
    )
    assert.equal(connect('', `${slot}/0`, 'b').apply(doc), doc)
    assert.doesNotThrow(() => removeBridged(`${slot}/0`).apply(doc))
    assert.doesNotThrow(() => removeBridged(`${slot}/1`).apply(doc))
    assert.equal(duplicateCommand(catalogue, doc, [`${slot}/0`]).apply(doc), doc)
    assert.doesNotThrow(() =>
      duplicateCommand(catalogue, doc, [`${slot}/0`, `${slot}/1`]).apply(doc),
    )
  }
})

test('only what is selected and is a component is duplicated', () => {
  const edge = '/config/graph/nodes/a/edges/0'
  const doc = document(
    team([agent('a'), agent('b')], {
      graph: graphOf({ a: { name: 'a', edges: [{ target: 'b' }] }, b: { name: 'b', edges: [] } }),
    }),
  )
  const after = duplicateCommand(catalogue, doc, [edge, '/config/participants/1']).apply(doc)
  assert.deepEqual(after.component.config.participants.map(titleOf), ['a', 'b', 'b_2'])
  assert.equal(after.component.config.graph.nodes.a.edges.length, 1)
})

test('a title is a text whatever stands in its place', () => {
  assert.equal(titleOf({ provider: 'a.Thing', label: 5 }), 'Thing')
  for (const strange of [...STRANGE, undefined]) assert.equal(titleOf(strange), '')
  assert.equal(titleOf({ provider: 'a.Thing' }), 'Thing')
})

test('a type that objects inherit is no kind', () => {
  assert.equal(kindOfType('constructor'), 'other')
  assert.equal(
    kindsText([catalogue.typeOf({ provider: 'x', component_type: 5, config: {} })]),
    'a component',
  )
})

test('a key named like a prototype is written, and nothing inherited is read', () => {
  const doc = JSON.parse('{"config": {}}')
  const after = set(doc, '/config/__proto__/x', 1)
  assert.equal(JSON.stringify(after), '{"config":{"__proto__":{"x":1}}}')
  assert.equal(Object.getPrototypeOf(after.config), Object.prototype)
  assert.equal(
    JSON.stringify(set(doc, '/config/constructor/x', 1)),
    '{"config":{"constructor":{"x":1}}}',
  )
  assert.equal(get(doc, '/config/__proto__'), undefined)
})

test('removing what is not there changes nothing', () => {
  const doc = { list: ['a'], map: {} }
  for (const pointer of ['/list/5', '/list/x', '/list/length', '/map/a', '/map/a/b', '/list/0/b'])
    assert.equal(remove(doc, pointer), doc, pointer)
})

test('an agent may be called as an object calls its own parts', () => {
  for (const name of ['constructor', '__proto__', 'toString']) {
    const graph = addEdge(addNode(graphOf({}), name), name, 'b')
    assert.equal(Object.getOwnPropertyDescriptor(graph.nodes, name).value.name, name)
    assert.equal(edgesFrom(graph, name)[0].target, 'b')
    assert.equal(pinOf({}, name), undefined)
  }
})

test('edges keep their places though others are no edges', () => {
  const graph = graphOf({
    a: { name: 'a', edges: [null, { target: 'b' }, 7] },
    b: { name: 'b', edges: [] },
  })
  const doc = document(team([agent('a'), agent('b')], { graph }))
  const scene = makeScene(catalogue, doc.component, '')
  assert.deepEqual(
    scene.edges.map((each) => each.pointer),
    ['/config/graph/nodes/a/edges/1'],
  )
  assert.deepEqual(turnEdge(graph, 'a', 1, 'c').nodes.a.edges, [null, { target: 'c' }, 7])
  assert.deepEqual(removeEdge(graph, 'a', 1).nodes.a.edges, [null, 7])
  assert.deepEqual(
    disconnect('/config/graph/nodes/a/edges/0').apply(doc).component.config.graph.nodes.a.edges,
    [{ target: 'b' }, 7],
  )
  const source = {
    catalogue,
    root: doc.component,
    folded: new Set(),
    wordsAt: (pointer) => titleOf(get(doc.component, pointer)),
  }
  assert.ok(treeRows(source).length > 3)
})

test('a component without a config has a place in the outline, on the canvas and in the checklist', () => {
  const bare = { provider: 'x.AssistantAgent', component_type: 'agent' }
  const root = team([bare])
  assert.doesNotThrow(() => makeScene(catalogue, root, ''))
  assert.equal(
    keyOf({ code: 'c', where: '/config/participants/0', message: '', fix: '' }, document(root)),
    'c config participants 0',
  )
  assert.equal(
    keyOf({ code: 'c', where: '/constructor/name', message: '', fix: '' }, document(root)),
    'c constructor name',
  )
  assert.doesNotThrow(() =>
    removeMany(catalogue, root, ['/config/participants/0']).apply(document(root)),
  )
})

test('one part is counted as one', () => {
  const root = team([agent('a', { handoffs: ['b'] }), tool('t')])
  assert.equal(namesOf(root, ['/config/participants/0/config/handoffs/0']), 'a → b')
  assert.equal(namesOf(root, ['/nowhere']), '1 part')
})

test('JSON nested deeper than any team is refused in words', () => {
  const deep = `${'{"provider":"x","config":{"a":'.repeat(2000)}1${'}}'.repeat(2000)}`
  assert.match(unpacked(deep).problem, /nested/)
  const lists = `[{"provider":"x","config":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}]`
  assert.match(unpacked(lists).problem, /nested/)
})

test('pasted keys of prototypes stay plain data', () => {
  const read = unpacked(
    '{"team-studio": {"components": [{"provider": "x.A", "config": {"__proto__": {"polluted": 1}}}], "pins": {"__proto__": {"x": 1, "y": 2}}}}',
  )
  assert.ok('parcel' in read)
  assert.equal({}.polluted, undefined)
  assert.equal(Object.getPrototypeOf(read.parcel.pins), Object.prototype)
})
