// Characters without ink are written out wherever code, arguments and messages are shown.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapeHidden, showHidden } from '../../static/js/core/hidden-characters.js'

test('what is drawn without ink is written out', () => {
  const hidden = [
    '\u034f',
    '\u115f',
    '\u17b4',
    '\u180b',
    '\u200b',
    '\u202e',
    '\u2065',
    '\u2800',
    '\u3164',
    '\ufe00',
    '\uffa0',
    '\ufff0',
    '\u{1d159}',
    '\u{e0041}',
    '\u{e0100}',
    '\ue000',
  ]
  for (const one of hidden) {
    assert.match(showHidden(`a${one}b`), /^a⟨U\+[0-9A-F]+⟩b$/u, one.codePointAt(0).toString(16))
    assert.equal(JSON.parse(escapeHidden(JSON.stringify(`a${one}b`))), `a${one}b`)
  }
})

test('nothing is told by choosing and joining pictures where there are none', () => {
  assert.equal(showHidden('ls\ufe0f\ufe0e'), 'ls⟨U+FE0F⟩⟨U+FE0E⟩')
  assert.equal(showHidden('✔\ufe0f\ufe0e'), '✔\ufe0f⟨U+FE0E⟩')
  assert.match(showHidden('a\u200d\u200d'), /⟨U\+200D⟩$/u)
})

test('pictures and letters of all languages stay', () => {
  for (const text of ['👩‍👩‍👧 ❤️ 1️⃣', 'naïve हिन्दी 日本語', 'a\tb\n'])
    assert.equal(showHidden(text), text)
})
