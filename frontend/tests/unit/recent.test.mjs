import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recent, remember } from '../../static/js/core/recent.js'

const storage = (get) =>
  Object.defineProperty(globalThis, 'localStorage', { configurable: true, get })

test('what was used last comes first, each once, and no more than wanted', () => {
  const kept = new Map()
  storage(() => ({
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
  }))
  for (const each of ['a', 'b', 'a', 'c']) remember('list', each, 2)
  assert.deepEqual(recent('list'), ['c', 'a'])
  kept.set('list', '{"strange": 1}')
  assert.deepEqual(recent('list'), [])
})

test('a browser that keeps nothing keeps nobody from choosing', () => {
  storage(() => {
    throw new DOMException('denied', 'SecurityError')
  })
  assert.doesNotThrow(() => remember('list', 'a', 2))
  assert.deepEqual(recent('list'), [])
})
