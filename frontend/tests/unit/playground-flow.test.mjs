import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FlowCounts } from '../../static/js/playground/flow/flow-counts.js'
import { pathThrough, shelve } from '../../static/js/playground/flow/flow-layout.js'
import { agent, batchOf, entriesOf, message, team } from './playground-entries.mjs'

const pair = team('RoundRobinGroupChat', [agent('writer'), agent('critic')])
const counts = (flow) =>
  Object.fromEntries(
    [...flow.edges.values()].map(({ from, to, seqs }) => [`${from}>${to}`, seqs.length]),
  )

test('a message goes to the agent that answers it', () => {
  const flow = new FlowCounts(pair)
  flow.apply(
    batchOf({
      entries: entriesOf(
        ['message', message('user', 'Task')],
        ['message', message('writer', 'a')],
        ['message', message('critic', 'b')],
        ['message', message('writer', 'c')],
      ),
    }),
  )
  assert.deepEqual(counts(flow), { 'user>writer': 1, 'writer>critic': 1, 'critic>writer': 1 })
  assert.equal(flow.edgeOf(2)?.to, 'critic')
  assert.equal(flow.edgeOf(4), undefined)
  assert.equal(flow.sourceOf(4), 'writer')
})

test('the first word of an answer moves the message, and only once', () => {
  const flow = new FlowCounts(pair)
  const chunk = { message_id: 'm', source: 'writer', offset: 0, text: 'x' }
  const travelled = flow.apply(
    batchOf({ entries: entriesOf(['message', message('user', 'Task')]), chunks: [chunk, chunk] }),
  )
  assert.deepEqual(
    travelled.map((edge) => [edge.from, edge.to]),
    [['user', 'writer']],
  )
  assert.equal(flow.speaker, 'writer')
})

test('a handoff goes to the agent it names', () => {
  const flow = new FlowCounts(team('Swarm', [agent('a'), agent('b')]))
  flow.apply(
    batchOf({
      entries: entriesOf(
        ['message', { ...message('a', 'x'), type: 'HandoffMessage', target: 'b' }],
        ['message', message('b', 'y')],
      ),
    }),
  )
  assert.equal(counts(flow)['a>b'], 1)
})

test('a message that says for whom it is goes to each of them, whoever speaks next', () => {
  const flow = new FlowCounts(team('Program', [agent('a'), agent('b'), agent('c')]))
  const to = (/** @type {string} */ source, /** @type {string[]} */ names) => ({
    ...message(source, 'x'),
    metadata: { recipients: names.join('\n') },
  })
  flow.apply(
    batchOf({
      entries: entriesOf(
        ['message', to('a', ['b', 'c'])],
        ['message', to('c', ['a'])],
        ['message', to('b', [])],
        ['message', to('a', ['c'])],
      ),
    }),
  )
  assert.deepEqual(counts(flow), { 'a>b': 1, 'a>c': 2, 'c>a': 1 })
})

test('agents that nobody has heard are there from the start', () => {
  const flow = new FlowCounts(team('SelectorGroupChat', [agent('a'), agent('b')]))
  assert.deepEqual([...flow.nodes.keys()], ['user', 'a', 'b'])
  assert.equal(flow.edges.size, 0)
})

test('a team inside is shown by those who speak in it', () => {
  const desk = team('RoundRobinGroupChat', [agent('reporter'), agent('checker')], { name: 'desk' })
  const flow = new FlowCounts(team('RoundRobinGroupChat', [desk, agent('editor')]))
  assert.deepEqual([...flow.nodes.keys()].sort(), ['checker', 'editor', 'reporter', 'user'])
  assert.deepEqual(Object.keys(counts(flow)).sort(), [
    'checker>editor',
    'checker>reporter',
    'editor>reporter',
    'reporter>checker',
    'user>reporter',
  ])
})

test('an agent that holds others speaks for itself', () => {
  const author = {
    provider: 'studio.teams.NestedChatAgent',
    config: { name: 'author', participants: [agent('critic')] },
  }
  const flow = new FlowCounts(team('RoundRobinGroupChat', [author, agent('editor')]))
  assert.deepEqual([...flow.nodes.keys()].sort(), ['author', 'editor', 'user'])
})

test("the choice of a speaker is nobody's turn", () => {
  const flow = new FlowCounts(pair)
  flow.apply(
    batchOf({
      entries: entriesOf([
        'event',
        { type: 'SelectSpeakerEvent', source: 'selector', content: ['critic'] },
      ]),
    }),
  )
  assert.equal(flow.nodes.has('selector'), false)
})

test('tokens of messages and events are counted at their agent', () => {
  const flow = new FlowCounts(pair)
  const request = {
    type: 'ToolCallRequestEvent',
    source: 'writer',
    content: [],
    models_usage: { prompt_tokens: 3, completion_tokens: 4 },
  }
  flow.apply(
    batchOf({
      entries: entriesOf(['event', request], ['message', message('writer', 'a', [10, 20])]),
    }),
  )
  assert.equal(flow.nodes.get('writer')?.tokens, 37)
})

test('a message for somebody inside an agent goes to that agent, and what goes on inside is not held against the design', () => {
  const council = {
    provider: 'x.SocietyOfMindAgent',
    component_type: 'agent',
    config: {
      name: 'council',
      team: team('RoundRobinGroupChat', [agent('elder'), agent('scribe')]),
    },
  }
  const flow = new FlowCounts(team('RoundRobinGroupChat', [agent('writer'), council]))
  flow.apply(
    batchOf({
      entries: entriesOf(
        ...['user', 'writer', 'elder', 'scribe', 'council'].map(
          (name) => /** @type {const} */ (['message', message(name, 'a')]),
        ),
      ),
    }),
  )
  const used = [...flow.edges.values()].filter((edge) => edge.seqs.length > 0)
  assert.deepEqual(
    used.map(({ from, to }) => `${from} ${to}`),
    ['user writer', 'writer council', 'elder scribe', 'scribe council'],
  )
  assert.deepEqual(
    used.map((edge) => flow.isUnplanned(edge)),
    [false, false, false, false],
  )
  assert.deepEqual(flow.nodes.get('scribe')?.inside, ['council'])
})

test('boxes without edges stand in rows inside the room', () => {
  const boxes = ['a', 'b', 'c'].map((id) => ({ id, width: 100, height: 30 }))
  const placed = shelve(
    { nodes: new Map(), edges: new Map(), frames: [], width: 0, height: 10 },
    boxes,
    260,
  )
  assert.deepEqual(
    ['a', 'b', 'c'].map((id) => placed.nodes.get(id)?.y),
    [25, 25, 67],
  )
  assert.ok(placed.width <= 260)
})

test('a path starts and ends at its points', () => {
  assert.equal(
    pathThrough([
      { x: 0, y: 0 },
      { x: 0, y: 10 },
    ]),
    'M0 0 L0 10',
  )
  assert.equal(
    pathThrough([
      { x: 0, y: 0 },
      { x: 5, y: 5 },
      { x: 0, y: 10 },
    ]),
    'M0 0 Q5 5 0 10',
  )
})
