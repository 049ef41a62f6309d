import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyPatch, isExactly, patchOf, withSharedStructure } from '../../static/js/core/patch.js'

const text = (value) => JSON.stringify(value)
const roundTrip = (before, after) =>
  applyPatch(before, JSON.parse(text({ patch: patchOf(before, after) })).patch)

test('a patch brings the second value back, byte for byte', () => {
  const pairs = [
    [
      { a: 1, b: { c: [1, 2, 3] } },
      { a: 1, b: { c: [1, 4, 3] } },
    ],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
    [{ a: 1 }, { z: 0, a: 1 }],
    [
      { a: 1, b: 2 },
      { b: 2, c: null },
    ],
    [
      [{ x: 1 }, { x: 2 }, { x: 3 }],
      [{ x: 3 }, { x: 1 }, { x: 2 }],
    ],
    [[], [1, [2]]],
    [[1, 2], []],
    [{ a: [] }, { a: {} }],
    [{ a: '' }, { a: null }],
    [JSON.parse('{"__proto__": 1}'), JSON.parse('{"__proto__": {"a": 2}, "b": 1}')],
    [1, { a: 1 }],
  ]
  for (const [before, after] of pairs) {
    assert.equal(text(roundTrip(before, after)), text(after))
    assert.equal(text(roundTrip(after, before)), text(before))
  }
})

test('one field of a large document makes a small patch', () => {
  const before = {
    list: Array.from({ length: 300 }, (_, index) => ({
      name: `a${index}`,
      config: { text: 'x'.repeat(200) },
    })),
  }
  const after = structuredClone(before)
  after.list[150].config.text = 'y'
  assert.ok(text(patchOf(before, after)).length < 200)
})

test('an entry that moved is told by its place, not written again', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ name, text: 'x'.repeat(500) }))
  assert.ok(text(patchOf([a, b, c], [c, a, b])).length < 100)
})

test('equal values have no patch, and share everything', () => {
  const before = { a: [{ b: 1 }] }
  assert.equal(withSharedStructure(before, structuredClone(before)), before)
  assert.ok(isExactly(before, structuredClone(before)))
  const next = withSharedStructure(before, { a: [{ b: 1 }, { b: 2 }] })
  assert.equal(next.a[0], before.a[0])
})
