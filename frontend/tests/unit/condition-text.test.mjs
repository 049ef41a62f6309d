import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Catalogue } from '../../static/js/builder/document/catalogue.js'
import { Editor } from '../../static/js/builder/editor.js'

globalThis.document ??= { querySelector: () => null, getElementById: () => null }

const limit = {
  provider: 'conditions.MaxMessageTermination',
  component_type: 'termination',
  config: { max_messages: 4 },
}
const entries = [
  {
    provider: limit.provider,
    component_type: 'termination',
    group: 'terminations',
    label: 'Max message',
    title: 'Max message',
    summary: '',
    slots: [],
    template: limit,
  },
]
const made = () =>
  new Editor(
    {
      name: 'Pair',
      component: {
        provider: 'teams.Team',
        component_type: 'team',
        config: { termination_condition: limit },
      },
      layout: {},
    },
    new Catalogue(entries),
  )
const WHERE = '/config/termination_condition'

test('a condition is called as the server words it, and nothing else before', () => {
  const editor = made()
  assert.equal(editor.titleAt(WHERE), '…')
  editor.setReport({ words: { [WHERE]: '4 messages are reached' } }, editor.root)
  assert.equal(editor.titleAt(WHERE), '4 messages are reached')
})

test('a condition that the server has no words for is called by its type, and is drawn again for that', () => {
  const editor = made()
  const told = []
  editor.addEventListener('report', (event) => told.push(event.detail.hasNewWords))
  editor.titleAt(WHERE)
  editor.setReport({ words: {} }, editor.root)
  assert.equal(editor.titleAt(WHERE), 'Max message')
  editor.setReport({ words: {} }, editor.root)
  assert.deepEqual(told, [true, false])
})
