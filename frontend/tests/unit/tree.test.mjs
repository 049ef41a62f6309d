import assert from 'node:assert/strict'
import { test } from 'node:test'
import { titleOf } from '../../static/js/builder/document/catalogue.js'
import { treeRows } from '../../static/js/builder/document/tree.js'
import { get } from '../../static/js/core/pointer.js'
import { agent, catalogue, limit, model, team, tool } from './team.mjs'

const rows = (root, folded = []) =>
  treeRows({
    catalogue,
    root,
    folded: new Set(folded),
    wordsAt: (pointer) =>
      catalogue.kindOf(get(root, pointer)) === 'termination'
        ? 'after 4 messages'
        : titleOf(get(root, pointer)),
  })
const shown = (root, folded) =>
  rows(root, folded).map((row) => `${'  '.repeat(row.level - 1)}${row.label}`)

test('a tree shows every component in its slot, in the order of the document', () => {
  const root = team(
    [agent('writer', { model_client: model('big'), tools: [tool('add')] }), agent('critic')],
    { termination_condition: limit(4) },
  )
  assert.deepEqual(shown(root), [
    'Pair',
    '  writer',
    '    big',
    '    add',
    '  critic',
    '  after 4 messages',
  ])
  assert.equal(rows(root)[2].spoken, 'big, OpenAI, model client')
})

test('what is folded keeps its parts to itself and says so', () => {
  const root = team([agent('writer', { tools: [tool('add')] })])
  assert.deepEqual(shown(root, ['/config/participants/0']), ['Pair', '  writer'])
  assert.deepEqual(
    rows(root, ['/config/participants/0']).map((row) => row.isOpen),
    [true, false],
  )
  assert.equal(rows(root).at(-1).isOpen, null)
})

test('handoffs stand below their agent', () => {
  const [, , row] = rows(team([agent('writer', { handoffs: ['critic'] }), agent('critic')]))
  assert.deepEqual(
    [row.label, row.spoken, row.isConnection, row.pointer],
    ['critic', 'Handoff from writer to critic', true, '/config/participants/0/config/handoffs/0'],
  )
})

test('edges of a graph stand below the agent that they leave', () => {
  const graph = {
    nodes: {
      writer: { name: 'writer', edges: [{ target: 'critic', condition: 'DONE' }] },
      critic: { name: 'critic', edges: [] },
    },
  }
  const found = rows(team([agent('writer'), agent('critic')], { graph }))
  assert.deepEqual(found.map((row) => [row.label, row.type]).slice(1), [
    ['writer', 'Assistant'],
    ['critic', 'DONE'],
    ['critic', 'Assistant'],
  ])
  assert.equal(found[2].pointer, '/config/graph/nodes/writer/edges/0')
})

test('each row knows its place among its neighbours', () => {
  const found = rows(team([agent('a'), agent('b')], { termination_condition: limit(1) }))
  assert.deepEqual(
    found.slice(1).map((row) => [row.place, row.count]),
    [
      [1, 3],
      [2, 3],
      [3, 3],
    ],
  )
})
