import assert from 'node:assert/strict'
import { test } from 'node:test'
import { get } from '../../static/js/core/pointer.js'
import {
  addComponent,
  addEntry,
  addToEach,
  combine,
  moveTo,
  ownerOf,
  removeAt,
  renameAgent,
  reorder,
  setValue,
  shifted,
} from '../../static/js/builder/document/commands.js'
import { agent, document, limit, model, or, team, tool } from './team.mjs'

const names = (doc) => doc.component.config.participants.map((each) => each.config.name)
const pair = () => document(team([agent('writer', { tools: [tool('search')] }), agent('critic')]))

test('an added agent gets a name that nobody has', () => {
  const command = addComponent('/config/participants', true, agent('writer'))
  const doc = command.apply(pair())
  assert.deepEqual(names(doc), ['writer', 'critic', 'writer_2'])
  assert.equal(command.select, '/config/participants/2')
})

test('an agent is added at the place where it was dropped', () => {
  assert.deepEqual(
    names(addComponent('/config/participants', true, agent('new'), 1).apply(pair())),
    ['writer', 'new', 'critic'],
  )
})

test('a component replaces what a single slot holds', () => {
  const slot = '/config/participants/1/config/model_client'
  const doc = addComponent(slot, false, model('b')).apply(
    addComponent(slot, false, model('a')).apply(pair()),
  )
  assert.equal(get(doc.component, `${slot}/config/model`), 'b')
})

test('one model for every agent makes copies, not one shared object', () => {
  const slots = [
    '/config/participants/0/config/model_client',
    '/config/participants/1/config/model_client',
  ]
  const doc = addToEach(slots, model('a')).apply(pair())
  const [first, second] = slots.map((slot) => get(doc.component, slot))
  assert.deepEqual(first, second)
  assert.notEqual(first, second)
})

test('participants change places and the moved one stays selected', () => {
  const command = reorder('/config/participants/0', 1)
  assert.deepEqual(names(command.apply(pair())), ['critic', 'writer'])
  assert.equal(command.select, '/config/participants/1')
})

test('a place out of range changes nothing', () => {
  const doc = pair()
  assert.equal(reorder('/config/participants/0', 2).apply(doc), doc)
})

test('a tool moves from one agent to another', () => {
  const command = moveTo(
    '/config/participants/0/config/tools/0',
    '/config/participants/1/config/tools',
    true,
  )
  const doc = command.apply(pair())
  assert.deepEqual(get(doc.component, '/config/participants/0/config/tools'), [])
  assert.equal(get(doc.component, command.select).config.name, 'search')
})

test('nothing moves into itself', () => {
  const doc = document(team([team([agent('a')])]))
  assert.equal(
    moveTo('/config/participants/0', '/config/participants/0/config/participants', true).apply(doc),
    doc,
  )
})

test('pointers behind a removed entry move up', () => {
  assert.equal(
    shifted('/config/participants/2/config/tools', '/config/participants/0'),
    '/config/participants/1/config/tools',
  )
  assert.equal(
    shifted('/config/participants/0/config/tools', '/config/participants/1'),
    '/config/participants/0/config/tools',
  )
  assert.equal(shifted('/config/other', '/config/participants/1'), '/config/other')
})

test('removing selects what is around', () => {
  const command = removeAt('/config/participants/0/config/tools/0', 'search')
  assert.equal(command.select, '/config/participants/0')
  assert.equal(ownerOf('/config/participants/0/config/tools'), '/config/participants/0')
})

test('two conditions are joined in one slot', () => {
  const doc = document(team([], { termination_condition: limit(3) }))
  const joined = combine('/config/termination_condition', or(), limit(5)).apply(doc)
  assert.deepEqual(
    get(joined.component, '/config/termination_condition/config/conditions').map(
      (each) => each.config.max_messages,
    ),
    [3, 5],
  )
})

test('a pinned card stays pinned when its agent is renamed', () => {
  const doc = { ...pair(), layout: { pins: { writer: { x: 1, y: 2 } } } }
  assert.deepEqual(renameAgent('/config/participants/0', 'author').apply(doc).layout.pins, {
    author: { x: 1, y: 2 },
  })
})

test('writing the same value again is no change', () => {
  const doc = pair()
  assert.equal(setValue('/config/participants/0/config/name', 'writer').apply(doc), doc)
})

test('a condition that takes the place of the group it was in leaves nothing of it behind', () => {
  const doc = document(team([], { termination_condition: or(limit(3), limit(5)) }))
  const after = moveTo(
    '/config/termination_condition/config/conditions/0',
    '/config/termination_condition',
    false,
  ).apply(doc)
  assert.deepEqual(after.component.config.termination_condition, limit(3))
})

test('what moves to the list it stands in keeps its name and its place', () => {
  const doc = pair()
  assert.equal(moveTo('/config/participants/0', '/config/participants', true).apply(doc), doc)
})

test('an entry is added to a list that is not there yet, and all else stays the same object', () => {
  const doc = pair()
  const after = addEntry('/config/participants/1/config/handoffs', 'writer').apply(doc)
  assert.deepEqual(get(after.component, '/config/participants/1/config/handoffs'), ['writer'])
  assert.equal(
    get(after.component, '/config/participants/0'),
    get(doc.component, '/config/participants/0'),
  )
  assert.deepEqual(
    get(
      addEntry('/config/participants/1/config/handoffs', 'a', 0).apply(after).component,
      '/config/participants/1/config/handoffs',
    ),
    ['a', 'writer'],
  )
})
