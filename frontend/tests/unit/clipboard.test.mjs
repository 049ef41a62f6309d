import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  asText,
  duplicateCommand,
  packed,
  pasteCommand,
  unpacked,
} from '../../static/js/builder/document/clipboard.js'
import { MASK, withoutKeys } from '../../static/js/builder/document/secrets.js'
import { agent, catalogue, document, limit, model, team, tool } from './team.mjs'

const at = (index) => `/config/participants/${index}`
const names = (doc) => doc.component.config.participants.map((each) => each.config.name)
const edge = (target) => ({
  target,
  condition: null,
  activation_group: target,
  activation_condition: 'all',
})
const graph = (...ways) => ({
  nodes: Object.fromEntries(
    ways.map(([name, ...targets]) => [name, { name, edges: targets.map(edge) }]),
  ),
})

/** Copy from one document and paste into another, as text. */
function carried(from, pointers, to, target = '', options = {}) {
  const read = unpacked(asText(packed(catalogue, from, pointers)))
  return pasteCommand(catalogue, to.component, read.parcel, target, options)
}

test('agents are pasted behind the selected one, in their order and under fresh names', () => {
  const doc = document(team([agent('a'), agent('b'), agent('c')]))
  const { command, refused } = carried(doc, [at(1), at(0)], doc, at(0))
  assert.deepEqual(names(command.apply(doc)), ['a', 'a_2', 'b_2', 'b', 'c'])
  assert.deepEqual(command.select, [at(1), at(2)])
  assert.deepEqual(refused, [])
  assert.equal(command.label, 'Paste 2 parts')
})

test('handoffs between copied agents follow their new names, those to others stay behind', () => {
  const doc = document(
    team([
      agent('a', { handoffs: ['b', 'c'] }),
      agent('b', { handoffs: [{ target: 'a', name: 'transfer_to_a', message: 'Yours.' }] }),
      agent('c'),
    ]),
  )
  const after = carried(doc, [at(0), at(1)], doc).command.apply(doc).component.config.participants
  assert.deepEqual(
    after.slice(3).map((each) => [each.config.name, each.config.handoffs]),
    [
      ['a_2', ['b_2']],
      ['b_2', [{ target: 'a_2', name: 'transfer_to_a_2', message: 'Yours.' }]],
    ],
  )
  const kept = carried(doc, [at(0), at(1)], doc, '', { isLinked: true }).command.apply(doc)
    .component.config.participants
  assert.deepEqual(kept[3].config.handoffs, ['b_2', 'c'])
})

test('edges between copied agents come along into the graph, those to others stay behind', () => {
  const from = document(
    team([agent('a'), agent('b'), agent('c')], {
      graph: graph(['a', 'b', 'c'], ['b', 'c'], ['c']),
    }),
  )
  const to = document(team([agent('b')], { graph: graph(['b']) }))
  const after = carried(from, [at(0), at(1)], to).command.apply(to)
  assert.deepEqual(names(after), ['b', 'a', 'b_2'])
  assert.deepEqual(after.component.config.graph.nodes, graph(['b'], ['a', 'b_2'], ['b_2']).nodes)
})

test('places on the canvas come along, a little aside', () => {
  const doc = { ...document(team([agent('a')])), layout: { pins: { a: { x: 10, y: 20 } } } }
  const after = carried(doc, [at(0)], doc).command.apply(doc)
  assert.deepEqual(after.layout.pins, { a: { x: 10, y: 20 }, a_2: { x: 50, y: 60 } })
})

test('parts of different kinds go each where it fits, and what fits nowhere is told', () => {
  const from = document(team([agent('a', { tools: [tool('t')], model_client: model('m') })]))
  const to = document(team([agent('b')]))
  const { command } = carried(
    from,
    [`${at(0)}/config/tools/0`, `${at(0)}/config/model_client`],
    to,
    at(0),
  )
  const after = command.apply(to).component.config.participants[0].config
  assert.deepEqual([after.tools[0].config.name, after.model_client.config.model], ['t', 'm'])
  const alone = document(limit(1))
  assert.deepEqual(carried(from, [`${at(0)}/config/tools/0`], alone).refused, [
    'Max message has no slot for a tool.',
  ])
})

test('a part that could go to several places is not put into any', () => {
  const from = document(team([agent('a', { tools: [tool('t')] })]))
  const to = document(team([agent('b'), agent('c')]))
  const { command, refused } = carried(from, [`${at(0)}/config/tools/0`], to, '')
  assert.equal(command, null)
  assert.deepEqual(refused, ['t could go to 2 slots: select one.'])
})

test('plain component JSON and lists of it are read, other text says why not', () => {
  assert.deepEqual(unpacked(JSON.stringify(agent('a'))).parcel.components, [agent('a')])
  assert.equal(unpacked(JSON.stringify([agent('a'), agent('b')])).parcel.components.length, 2)
  assert.match(unpacked('').problem, /Nothing to paste/)
  assert.match(unpacked('hello').problem, /JSON of components/)
  assert.match(unpacked('{"a": 1}').problem, /needs a "provider"/)
  assert.match(unpacked(JSON.stringify([agent('a'), 3])).problem, /Entry 2/)
  assert.match(unpacked('{"team-studio": {"components": []}}').problem, /no component/)
})

test('keys in the open stay behind, references to keys come along', () => {
  const keyed = {
    ...model('m'),
    config: {
      model: 'm',
      api_key: 'sk-123',
      default_headers: { 'X-Api-Key': 'abc', Authorization: 'Bearer {secret:mine}' },
      max_tokens: 3,
    },
  }
  const clean = withoutKeys(catalogue, keyed).config
  assert.deepEqual(clean, {
    model: 'm',
    api_key: MASK,
    default_headers: { 'X-Api-Key': MASK, Authorization: 'Bearer {secret:mine}' },
    max_tokens: 3,
  })
  assert.equal(
    withoutKeys(catalogue, { ...model('m'), config: { api_key: 'env:OPENAI_API_KEY' } }).config
      .api_key,
    'env:OPENAI_API_KEY',
  )
  assert.equal(
    withoutKeys(catalogue, { ...model('m'), config: { eos_token: '</s>' } }).config.eos_token,
    '</s>',
  )
})

test('copies stand behind the last original, linked to each other and to the same neighbours', () => {
  const doc = document(team([agent('a', { handoffs: ['b', 'c'] }), agent('b'), agent('c')]))
  const command = duplicateCommand(catalogue, doc, [at(0), at(1)])
  const after = command.apply(doc)
  assert.deepEqual(names(after), ['a', 'b', 'a_2', 'b_2', 'c'])
  assert.deepEqual(after.component.config.participants[2].config.handoffs, ['b_2', 'c'])
  assert.deepEqual(command.select, [at(2), at(3)])
})

test('copies in several lists are all selected where they come to stand', () => {
  const doc = document(team([agent('a'), agent('b', { tools: [tool('t')] })]))
  const command = duplicateCommand(catalogue, doc, [at(0), `${at(1)}/config/tools/0`])
  const after = command.apply(doc)
  assert.deepEqual(names(after), ['a', 'a_2', 'b'])
  assert.deepEqual(command.select, [at(1), `${at(2)}/config/tools/1`])
  assert.equal(after.component.config.participants[2].config.tools[1].config.name, 't_2')
})
