import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alignments } from '../../static/js/playground/chat/message-blocks.js'

test('the columns of each table are aligned as its second line says, and code is no table', () => {
  const text =
    'a | b | c\n--|:-:|--:\n1 | 2 | 3\n\n```\n| x |\n|--:|\n```\n\n| y |\n| :-- |\n\n---\n'
  assert.deepEqual(alignments(text), [['', 'center', 'end'], ['']])
})
