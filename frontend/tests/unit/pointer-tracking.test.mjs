import assert from 'node:assert/strict'
import { test } from 'node:test'
import { remove, set } from '../../static/js/core/pointer.js'
import { removeMany } from '../../static/js/builder/document/bulk.js'
import { reorder, setValue } from '../../static/js/builder/document/commands.js'
import { currentPointer } from '../../static/js/builder/document/pointer-tracking.js'
import { Editor } from '../../static/js/builder/editor.js'
import { agent, catalogue, document, model, team } from './team.mjs'

globalThis.document ??= { getElementById: () => null }
const at = (index) => `/config/participants/${index}`
const three = () => team([agent('a'), agent('b', { model_client: model('m') }), agent('c')])

test('a place goes where its component goes, and ends with it', () => {
  const before = three()
  const after = remove(before, at(0))
  assert.equal(
    currentPointer(before, after, `${at(1)}/config/model_client`),
    `${at(0)}/config/model_client`,
  )
  assert.equal(currentPointer(before, after, at(0)), undefined)
  assert.equal(currentPointer(before, after, '/config/participants'), '/config/participants')
})

test('a component that was changed and moved at once is known by its name', () => {
  const before = three()
  const after = team([agent('b', { system_message: 'new' }), agent('c')])
  assert.equal(currentPointer(before, after, at(1)), at(0))
})

test('a component that was renamed where it stands is still the same', () => {
  const before = three()
  assert.equal(currentPointer(before, set(before, `${at(1)}/config/name`, 'other'), at(1)), at(1))
})

test('a slot that nothing stands in goes with its component', () => {
  const before = three()
  assert.equal(
    currentPointer(before, remove(before, at(0)), `${at(2)}/config/tools`),
    `${at(1)}/config/tools`,
  )
  assert.equal(currentPointer(before, remove(before, at(0)), `${at(0)}/config/tools`), undefined)
  assert.equal(
    currentPointer(before, set(before, '/label', 'x'), '/config/termination_condition'),
    '/config/termination_condition',
  )
})

test('a list of plain values keeps its places', () => {
  assert.equal(currentPointer({ list: [1, 1, 2] }, { list: [1, 1, 3] }, '/list/1'), '/list/1')
})

test('what others change leaves the selection at its component', () => {
  const editor = new Editor(document(three()), catalogue)
  editor.select(at(1))
  const without = { ...editor.doc, component: remove(editor.root, at(0)) }
  editor.run({ label: 'From elsewhere', apply: () => without })
  assert.equal(editor.selection, at(0))
  assert.equal(editor.titleAt(editor.selection), 'b')
})

test('what others remove leaves the selection at what held it', () => {
  const editor = new Editor(document(three()), catalogue)
  editor.select(at(1))
  editor.run({
    label: 'From elsewhere',
    apply: (doc) => ({ ...doc, component: remove(doc.component, at(1)) }),
  })
  assert.equal(editor.selection, '')
})

test('a place is found again after waiting', () => {
  const editor = new Editor(document(three()), catalogue)
  const placeOf = editor.keepPlace(at(2))
  editor.run({ label: '', apply: (doc) => ({ ...doc, component: remove(doc.component, at(0)) }) })
  editor.run({ label: '', apply: (doc) => ({ ...doc, component: remove(doc.component, at(0)) }) })
  assert.equal(placeOf(), at(0))
})

test('several that are selected stay selected when a list changes its order', () => {
  const editor = new Editor(document(three()), catalogue)
  editor.selectAll([at(0), at(1)])
  const { label, apply } = reorder(at(2), 0)
  editor.run({ label, apply })
  assert.deepEqual(
    editor.selected.map((each) => editor.titleAt(each)),
    ['a', 'b'],
  )
})

test('an open team stays open when another before it goes', () => {
  const editor = new Editor(document(team([agent('a'), team([agent('x')])])), catalogue)
  editor.open(at(1))
  const { label, apply } = removeMany(catalogue, editor.root, [at(0)])
  editor.run({ label, apply })
  assert.deepEqual([editor.view, editor.selection], [at(0), at(0)])
})

test('parts of the page are told where a place went', () => {
  const editor = new Editor(document(three()), catalogue)
  let placeOf
  editor.addEventListener('doc', (event) => {
    placeOf = event.detail.placeNow
  })
  editor.run({ label: '', apply: (doc) => ({ ...doc, component: remove(doc.component, at(0)) }) })
  assert.deepEqual([placeOf(at(2)), placeOf(at(0))], [at(1), undefined])
  editor.undo()
  assert.equal(placeOf(at(0)), at(1))
})

test('typing in a field leaves everything selected', () => {
  const editor = new Editor(document(three()), catalogue)
  editor.select(at(1))
  editor.run(setValue(`${at(1)}/config/name`, 'beta'))
  assert.equal(editor.selection, at(1))
})
