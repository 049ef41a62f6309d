import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Store } from '../../static/js/core/store.js'

const to = (value, key) => ({ label: `to ${value}`, key, apply: () => value })

test('undo and redo walk through every command', () => {
  const store = new Store('a')
  store.run(to('b'))
  store.run(to('c'))
  store.undo()
  assert.equal(store.doc, 'b')
  store.undo()
  assert.equal(store.doc, 'a')
  store.redo()
  store.redo()
  assert.equal(store.doc, 'c')
})

test('a typing burst is one step of undo, and a pause begins the next', () => {
  let now = 0
  const store = new Store('', () => now)
  for (const text of ['h', 'he', 'hey']) {
    store.run(to(text, 'name'))
    now += 200
  }
  now += 5000
  store.run(to('hey you', 'name'))
  store.undo()
  assert.equal(store.doc, 'hey')
  store.undo()
  assert.equal(store.doc, '')
})

test('a command that changes nothing leaves no step', () => {
  const store = new Store('a')
  assert.equal(store.run({ label: 'nothing', apply: (doc) => doc }), false)
  assert.equal(store.past.length, 0)
})

test('a new command after undo drops what was undone', () => {
  const store = new Store('a')
  store.run(to('b'))
  store.undo()
  store.run(to('c'))
  store.redo()
  assert.equal(store.doc, 'c')
})

test('undo gives back the selection of its time', () => {
  const store = new Store('a')
  const seen = []
  store.addEventListener('change', (event) => seen.push(event.detail.select))
  store.run(to('b'), '/config/participants/1')
  store.undo()
  assert.equal(seen.at(-1), '/config/participants/1')
})
