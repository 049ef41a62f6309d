import assert from 'node:assert/strict'
import { test } from 'node:test'
import { docAt, historyOf, lengthOf, linkTo } from '../../static/js/core/history-chain.js'
import { set } from '../../static/js/core/pointer.js'
import { Store } from '../../static/js/core/store.js'
import { extractedKeys, withReferences } from '../../static/js/builder/document/secret-drafts.js'

const write = (pointer, value) => ({
  label: `set ${pointer}`,
  apply: (doc) => set(doc, pointer, value),
})

/** A history as it is kept and read again. */
const kept = (store) => {
  const links = Array.from({ length: lengthOf(store) - 1 }, (_, index) => linkTo(store, index + 1))
  const first = docAt(store, 0)
  return historyOf(structuredClone(first), JSON.parse(JSON.stringify(links)), store.past.length)
}

test('a kept history goes all the way back and forth', () => {
  const store = new Store({ list: [{ name: 'a' }], n: 0 })
  const first = JSON.stringify(store.doc)
  for (let step = 1; step <= 20; step += 1) store.run(write('/n', step), `/n/${step}`)
  const last = JSON.stringify(store.doc)
  for (let step = 0; step < 7; step += 1) store.undo()
  const again = new Store(null)
  again.load(kept(store))
  assert.equal(JSON.stringify(again.doc), JSON.stringify(store.doc))
  assert.deepEqual([again.past.length, again.future.length], [13, 7])
  assert.equal(again.past.at(-1).label, 'set /n')
  while (again.future.length > 0) again.redo()
  assert.equal(JSON.stringify(again.doc), last)
  while (again.past.length > 0) again.undo()
  assert.equal(JSON.stringify(again.doc), first)
})

test('five thousand steps go back to the first document and forth to the last', () => {
  const agents = Array.from({ length: 50 }, (_, index) => ({
    name: `agent_${index}`,
    text: 'x'.repeat(100),
  }))
  const store = new Store({ agents })
  const first = JSON.stringify(store.doc)
  for (let step = 0; step < 5000; step += 1)
    store.run(write(`/agents/${step % 50}/text`, `step ${step}`))
  const last = JSON.stringify(store.doc)
  const again = new Store(null)
  again.load(kept(store))
  assert.equal(again.past.length, 5000)
  while (again.past.length > 0) again.undo()
  assert.equal(JSON.stringify(again.doc), first)
  while (again.future.length > 0) again.redo()
  assert.equal(JSON.stringify(again.doc), last)
})

test('a key that the server took out leaves every step of the history', () => {
  const store = new Store({ model: { api_key: null, name: 'sk-1' }, other: {} })
  store.run(write('/model/api_key', 'sk-1'))
  store.run(write('/other/x', 1))
  store.undo()
  const references = extractedKeys(store.doc, {
    model: { api_key: 'secret:KEY', name: 'sk-1' },
    other: {},
  })
  store.rewrite(withReferences(references))
  assert.equal(store.doc.model.api_key, 'secret:KEY')
  store.redo()
  assert.equal(store.doc.model.api_key, 'secret:KEY')
  assert.ok(!JSON.stringify([store.past, store.doc]).includes('"api_key":"sk-1"'))
  assert.equal(store.doc.model.name, 'sk-1')
  while (store.past.length > 0) store.undo()
  assert.equal(store.doc.model.api_key, null)
})

test('a reference is no key, and another component that came in between is not the same one', () => {
  const part = (name, key) => ({ provider: 'x.Model', config: { name, api_key: key } })
  assert.equal(extractedKeys({ api_key: 'env:MINE' }, { api_key: 'secret:theirs' }).size, 0)
  assert.equal(extractedKeys({ api_key: '' }, { api_key: 'secret:theirs' }).size, 0)
  const found = extractedKeys(
    { list: [part('a', 'sk-1')] },
    { list: [part('new', 'env:OTHER'), part('a', 'secret:A')] },
  )
  assert.deepEqual([...found.values()], ['secret:A'])
})
