import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  filesIn,
  filesOf,
  size,
  withoutFileTexts,
} from '../../static/js/playground/files/file-words.js'
import { rowsOf } from '../../static/js/playground/files/table-text.js'

const FILE = { name: 'a.csv', sha256: 'a'.repeat(64), size: 3, media_type: 'text/csv' }

test('sizes have the unit that people read', () => {
  assert.deepEqual([0, 1, 1024, 1_572_864, 2 ** 31].map(size), [
    '0 bytes',
    '1 byte',
    '1 KB',
    '1.5 MB',
    '2 GB',
  ])
})

test('files are told by the metadata of a message or the event of a tool, and nothing odd is', () => {
  assert.deepEqual(filesOf({ metadata: { files: JSON.stringify([FILE]) } }), [FILE])
  assert.deepEqual(filesOf({ type: 'ToolEvent', name: 'files', content: [FILE] }), [FILE])
  for (const odd of ['{', '{}', '[1]', '[{"name":"a","sha256":"../x"}]'])
    assert.deepEqual(filesOf({ metadata: { files: odd } }), [])
  assert.deepEqual(filesOf({}), [])
})

test('a message is shown without the texts of its files', () => {
  const metadata = { files: JSON.stringify([FILE]), written: '3' }
  assert.equal(withoutFileTexts({ content: 'Go.\n\na.csv:\n```\nx\n```', metadata }).content, 'Go.')
  const picture = { data: 'iVBORw0KGgo' }
  assert.deepEqual(withoutFileTexts({ content: ['Go.', 'a.csv: x', picture], metadata }).content, [
    'Go.',
    picture,
  ])
  assert.equal(withoutFileTexts({ content: 'All of it.' }).content, 'All of it.')
})

test('the files of a task can be given again', () => {
  assert.deepEqual(filesIn(['Go.', { file: FILE, use: 'text', text: 'x' }, { image: 'data:' }]), [
    { id: FILE.sha256, name: 'a.csv', size: 3, use: 'text' },
  ])
  assert.deepEqual(filesIn('Go.'), [])
})

test('cells may hold separators, quotes and line breaks', () => {
  assert.deepEqual(rowsOf('a,"b,""c""\nd"\r\n1,2', ',', 10), [
    ['a', 'b,"c"\nd'],
    ['1', '2'],
  ])
  assert.equal(rowsOf('x\n'.repeat(50), ',', 10).length, 10)
  assert.deepEqual(rowsOf('', ',', 10), [])
})
