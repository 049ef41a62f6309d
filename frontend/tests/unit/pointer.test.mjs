import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  get,
  insert,
  isSame,
  isWithin,
  join,
  last,
  parent,
  remove,
  renameKey,
  set,
  steps,
} from '../../static/js/core/pointer.js'

const doc = { config: { participants: [{ name: 'a' }, { name: 'b' }], 'odd/key': { '~': 1 } } }

test('a pointer walks lists and objects', () => {
  assert.equal(get(doc, '/config/participants/1/name'), 'b')
  assert.equal(get(doc, ''), doc)
  assert.equal(get(doc, '/config/nothing/here'), undefined)
})

test('slashes and tildes in keys are escaped and read back', () => {
  const pointer = join('/config', 'odd/key', '~')
  assert.equal(pointer, '/config/odd~1key/~0')
  assert.deepEqual(steps(pointer), ['config', 'odd/key', '~'])
  assert.equal(get(doc, pointer), 1)
})

test('a change copies only the way to it', () => {
  const next = set(doc, '/config/participants/0/name', 'c')
  assert.equal(next.config.participants[0].name, 'c')
  assert.equal(doc.config.participants[0].name, 'a')
  assert.equal(next.config.participants[1], doc.config.participants[1])
})

test('entries of lists and objects are inserted, removed and renamed in place', () => {
  assert.deepEqual(
    insert(doc, '/config/participants/1', { name: 'x' }).config.participants.map(
      (each) => each.name,
    ),
    ['a', 'x', 'b'],
  )
  assert.deepEqual(remove(doc, '/config/participants/0').config.participants, [{ name: 'b' }])
  assert.deepEqual(Object.keys(renameKey({ env: { A: 1, B: 2, C: 3 } }, '/env/B', 'D').env), [
    'A',
    'D',
    'C',
  ])
})

test('a place inside another is told from one with the same beginning', () => {
  assert.ok(isWithin('/a/1/b', '/a/1'))
  assert.ok(!isWithin('/a/10', '/a/1'))
  assert.equal(parent('/a/b'), '/a')
  assert.equal(last('/a/b~1c'), 'b/c')
})

test('JSON is the same whatever the order of its keys, and a list is no object', () => {
  assert.ok(isSame({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }))
  assert.ok(!isSame({ a: 1 }, { a: 1, b: undefined }))
  assert.ok(!isSame([], {}))
})
