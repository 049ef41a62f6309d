import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inDocumentOrder, outermost, toggled } from '../../static/js/builder/document/selection.js'
import {
  inOneList,
  moveBlock,
  moveManyTo,
  removeMany,
} from '../../static/js/builder/document/bulk.js'
import { pinKey, pinMany, pinsIn, tidy } from '../../static/js/builder/document/pins.js'
import { agent, catalogue, document, limit, or, team, tool } from './team.mjs'

const at = (index) => `/config/participants/${index}`
const names = (doc, list = doc.component.config.participants) =>
  list.map((each) => each.config.name)
const four = () => document(team([agent('a'), agent('b'), agent('c'), agent('d')]))

test('a place is added to a selection and taken out again, but the last one stays', () => {
  assert.deepEqual(toggled([at(0)], at(2)), [at(0), at(2)])
  assert.deepEqual(toggled([at(0), at(2)], at(0)), [at(2)])
  assert.deepEqual(toggled([at(2)], at(2)), [at(2)])
})

test('a part and what lies around it are never selected together', () => {
  assert.deepEqual(toggled([at(0), `${at(1)}/config/tools/0`], at(1)), [at(0), at(1)])
  assert.deepEqual(toggled([at(0), at(1)], `${at(1)}/config/tools/0`), [
    at(0),
    `${at(1)}/config/tools/0`,
  ])
  assert.deepEqual(outermost([at(1), `${at(1)}/config/tools/0`, at(10)]), [at(1), at(10)])
})

test('entry 2 stands before entry 10', () => {
  assert.deepEqual(inDocumentOrder([at(10), at(2), `${at(2)}/config/tools/0`]), [
    at(2),
    `${at(2)}/config/tools/0`,
    at(10),
  ])
})

test('several parts are removed in one step, whatever their order', () => {
  const command = removeMany(catalogue, four().component, [at(2), at(0), at(3)])
  assert.equal(command.label, 'Remove 3 parts')
  assert.deepEqual(names(command.apply(four())), ['b'])
})

test('a joint that is left with one condition gives way to it, and an empty one goes', () => {
  const place = '/config/termination_condition'
  const doc = document(
    team([agent('a')], { termination_condition: or(limit(1), or(limit(2), limit(3))) }),
  )
  const inner = `${place}/config/conditions/1/config/conditions`
  const one = removeMany(catalogue, doc.component, [`${inner}/0`]).apply(doc)
  assert.deepEqual(one.component.config.termination_condition, or(limit(1), limit(3)))
  const both = removeMany(catalogue, doc.component, [`${inner}/0`, `${inner}/1`]).apply(doc)
  assert.deepEqual(both.component.config.termination_condition, limit(1))
  const all = removeMany(catalogue, doc.component, [
    `${inner}/0`,
    `${inner}/1`,
    `${place}/config/conditions/0`,
  ]).apply(doc)
  assert.equal(all.component.config.termination_condition, undefined)
})

test('a block of agents moves before another, in its own order', () => {
  const command = moveBlock([at(3), at(1)], 0)
  assert.deepEqual(names(command.apply(four())), ['b', 'd', 'a', 'c'])
  assert.deepEqual(command.select, [at(0), at(1)])
  assert.deepEqual(names(moveBlock([at(0), at(1)], 3).apply(four())), ['c', 'a', 'b', 'd'])
})

test('a block that already stands there changes nothing', () => {
  const doc = four()
  assert.equal(moveBlock([at(1), at(2)], 1).apply(doc), doc)
})

test('only entries of one list make a block', () => {
  assert.equal(inOneList([at(0), at(3)]), true)
  assert.equal(inOneList([at(0), '/config/termination_condition']), false)
  assert.equal(inOneList([]), false)
})

test('tools of several agents move to one agent and are selected there', () => {
  const doc = document(
    team([
      agent('a', { tools: [tool('t')] }),
      agent('b', { tools: [tool('u')] }),
      agent('c', { tools: [tool('t')] }),
    ]),
  )
  const command = moveManyTo(
    doc.component,
    [`${at(1)}/config/tools/0`, `${at(0)}/config/tools/0`],
    `${at(2)}/config/tools`,
  )
  const after = command.apply(doc).component.config.participants
  assert.deepEqual(
    after.map((each) => names(null, each.config.tools)),
    [[], [], ['t', 't_2', 'u']],
  )
  assert.deepEqual(command.select, [`${at(2)}/config/tools/1`, `${at(2)}/config/tools/2`])
})

test('agents that stood before a nested team still find it when they move into it', () => {
  const doc = document(team([agent('a'), team([agent('x')]), agent('b')]))
  const command = moveManyTo(doc.component, [at(0), at(2)], `${at(1)}/config/participants`)
  const after = command.apply(doc)
  assert.deepEqual(names(after, after.component.config.participants[0].config.participants), [
    'x',
    'a',
    'b',
  ])
  assert.deepEqual(command.select, [
    `${at(0)}/config/participants/1`,
    `${at(0)}/config/participants/2`,
  ])
})

test('cards of equal names in different teams have places of their own, and tidying one team leaves the other', () => {
  const inner = { ...team([agent('a')]), label: 'Inner' }
  const doc = document(team([agent('a'), inner]))
  const nested = `${at(1)}/config/participants/0`
  assert.equal(pinKey(doc.component, at(0)), 'a')
  assert.equal(pinKey(doc.component, nested), 'Inner/a')
  const pinned = pinMany(
    doc.component,
    [
      { pointer: at(0), at: { x: 1, y: 2 } },
      { pointer: nested, at: { x: 3, y: 4 } },
    ],
    'Move',
  ).apply(doc)
  assert.deepEqual(pinsIn(pinned, at(1)), { a: { x: 3, y: 4 } })
  assert.deepEqual(tidy('').apply(pinned).layout.pins, { 'Inner/a': { x: 3, y: 4 } })
  assert.equal(tidy('').apply(doc), doc)
})

test('what stands in the list already keeps its name when others are moved there', () => {
  const root = team([
    agent('a', { tools: [tool('search')] }),
    agent('b', { tools: [tool('read')] }),
  ])
  const slot = '/config/participants/1/config/tools'
  const command = moveManyTo(root, ['/config/participants/0/config/tools/0', `${slot}/0`], slot)
  const after = command.apply(document(root))
  assert.deepEqual(
    after.component.config.participants[1].config.tools.map((each) => each.config.name),
    ['read', 'search'],
  )
  assert.deepEqual(command.select, [`${slot}/1`, `${slot}/0`])
})

test('connections and components that are selected together go together, in one step', () => {
  const root = team([
    agent('a', { handoffs: ['b', 'c'] }),
    agent('b', { handoffs: ['c'] }),
    agent('c'),
  ])
  const after = removeMany(catalogue, root, [
    '/config/participants/1',
    '/config/participants/0/config/handoffs/1',
  ]).apply(document(root))
  assert.deepEqual(
    after.component.config.participants.map((each) => each.config.name),
    ['a', 'c'],
  )
  assert.deepEqual(after.component.config.participants[0].config.handoffs, [])
})
