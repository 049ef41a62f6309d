import assert from 'node:assert/strict'
import { test } from 'node:test'
import { positionsIn } from '../../static/js/core/json-positions.js'
import { rebase } from '../../static/js/builder/document/rebase.js'

test('a document keeps its own words for what did not change', () => {
  const doc = {
    provider: 'x',
    note: 'mine',
    config: { name: 'a', list: [{ id: 1, odd: true }, { id: 2 }] },
  }
  const before = {
    provider: 'x',
    label: 'X',
    config: { name: 'a', limit: 3, list: [{ id: 1 }, { id: 2, size: 0 }] },
  }
  assert.equal(rebase(doc, before, structuredClone(before)), doc)
  const after = structuredClone(before)
  after.config.limit = 4
  after.config.list[1].size = 5
  assert.deepEqual(rebase(doc, before, after), {
    provider: 'x',
    note: 'mine',
    config: {
      name: 'a',
      list: [
        { id: 1, odd: true },
        { id: 2, size: 5 },
      ],
      limit: 4,
    },
  })
})

test('what was removed or moved is removed or moved', () => {
  const doc = {
    list: [
      { id: 1, odd: true },
      { id: 2, odd: false },
    ],
    gone: 1,
    unsaid: 2,
  }
  const before = { list: [{ id: 1 }, { id: 2 }], gone: 1 }
  assert.deepEqual(rebase(doc, before, { list: [{ id: 2 }, { id: 3 }, { id: 1 }] }), {
    list: [{ id: 2, odd: false }, { id: 3 }, { id: 1, odd: true }],
    unsaid: 2,
  })
})

test('another kind of component brings nothing along', () => {
  const after = { provider: 'y', config: {} }
  assert.equal(
    rebase(
      { provider: 'x', note: 'old', config: { a: 1 } },
      { provider: 'x', config: { a: 1 } },
      after,
    ),
    after,
  )
})

test('an error at a pointer is shown where its value begins in the text', () => {
  const text = '{\n  "a/b": [1, {"é": "x,]}\\"", "c": null}],\n  "d": {}\n}'
  const wanted = ['', '/a~1b', '/a~1b/1/é', '/a~1b/1/c', '/d', '/d/missing/deeper']
  const found = positionsIn(text, new Set(wanted))
  assert.deepEqual(
    wanted.map((each) => [found.get(each).line, found.get(each).column]),
    [
      [1, 1],
      [2, 10],
      [2, 20],
      [2, 35],
      [3, 8],
      [3, 8],
    ],
  )
})
