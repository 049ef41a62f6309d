import assert from 'node:assert/strict'
import { test } from 'node:test'
import { citationGuard } from '../../static/js/playground/chat/citation-guard.js'

/**
 * What the guard makes of a text that comes in pieces: citations in angle brackets.
 * @param {string[]} pieces
 */
function guarded(...pieces) {
  let out = ''
  const guard = citationGuard(
    (text) => (out += text),
    (citation) => (out += `<${citation}>`),
  )
  for (const piece of pieces) guard.write(piece)
  guard.end()
  return out
}

test('citations are found however they are cut into pieces', () => {
  const text = 'See [a_b (v2).pdf, p. 2][c.md, section 13] and [d.pdf, p. 4]: yes.'
  const wanted = 'See <[a_b (v2).pdf, p. 2]><[c.md, section 13]> and <[d.pdf, p. 4]>: yes.'
  assert.equal(guarded(text), wanted)
  assert.equal(guarded(...text), wanted)
  assert.equal(guarded('[a.pdf, p. 1]'), '<[a.pdf, p. 1]>')
})

test('what only looks like a citation is passed on', () => {
  for (const text of [
    '[leave.pdf, p. 2](https://example.com)',
    '![a, p. 2](data:image/png;base64,AA==)',
    '[ ] open [x] done',
    '[a.pdf, p. two]',
    '[a\n.pdf, p. 2]',
    `[${'x'.repeat(400)}, p. 2]`,
    '[unfinished, p. 2',
  ])
    for (const pieces of [[text], [...text]]) assert.equal(guarded(...pieces), text)
})

test('words are not kept back for a bracket that cannot become a citation', () => {
  let out = ''
  const guard = citationGuard(
    (text) => (out += text),
    () => {},
  )
  guard.write(`[${'x'.repeat(400)}`)
  assert.equal(out.length, 401)
})
