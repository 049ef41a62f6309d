import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Thread } from '../../static/js/playground/chat/thread.js'
import { batchOf, entriesOf, message } from './playground-entries.mjs'

/** @param {Thread} thread */
function itemsOf(thread) {
  const items = new Map()
  return (batch = {}) => {
    thread.apply({ entries: [], chunks: [], state: null, live: true, ...batch })
    const { items: changed, removed } = thread.takeChanges()
    for (const item of changed) items.set(item.key, item)
    for (const key of removed) items.delete(key)
    return [...items.values()]
  }
}

const asked = {
  type: 'ToolCallRequestEvent',
  source: 'clerk',
  content: [
    { id: 'c1', name: 'add', arguments: '{"a":1}' },
    { id: 'c2', name: 'sub', arguments: '{}' },
  ],
}
const done = {
  type: 'ToolCallExecutionEvent',
  source: 'clerk',
  content: [{ call_id: 'c2', name: 'sub', content: 'no', is_error: true }],
}

test('a tool call gets its result, its error state and the time between', () => {
  const show = itemsOf(new Thread())
  const [tools] = show({ entries: entriesOf(['event', asked], ['event', done]) })
  assert.equal(tools.calls[0].result, null)
  assert.deepEqual(
    [tools.calls[1].result, tools.calls[1].isError, tools.calls[1].durationMs],
    ['no', true, 1000],
  )
})

test('a result whose call is not on the page is shown alone', () => {
  const [tools] = itemsOf(new Thread())({ entries: entriesOf(['event', done]) })
  assert.deepEqual([tools.kind, tools.calls[0].name, tools.calls[0].result], ['tools', 'sub', 'no'])
})

test('a streamed message and its log entry are one item', () => {
  const show = itemsOf(new Thread())
  const [writing] = show({
    chunks: [{ message_id: 'm1', source: 'writer', offset: 0, text: 'Hel' }],
  })
  const [finished, ...rest] = show({
    entries: entriesOf(['message', { ...message('writer', 'Hello'), id: 'm1' }]),
  })
  assert.deepEqual(
    [writing.streaming, finished.streaming, finished.key === writing.key, rest.length],
    [true, false, true, 0],
  )
})

test('a chunk that comes after its message changes nothing', () => {
  const show = itemsOf(new Thread())
  show({ entries: entriesOf(['message', { ...message('writer', 'Hello'), id: 'm1' }]) })
  assert.equal(
    show({ chunks: [{ message_id: 'm1', source: 'writer', offset: 0, text: 'Hel' }] }).length,
    1,
  )
})

test('a chunk that comes after the end opens no message', () => {
  const show = itemsOf(new Thread())
  const chunk = { message_id: 'm1', source: 'writer', offset: 0, text: 'Hel' }
  show({
    entries: entriesOf(['state', { state: 'cancelled', reason: 'user', detail: '' }]),
    chunks: [chunk],
  })
  assert.deepEqual(
    show({ chunks: [chunk] }).map((item) => item.kind),
    ['end'],
  )
  const again = show({
    entries: entriesOf(['state', { state: 'running', reason: 'resume' }]),
    chunks: [chunk],
  })
  assert.deepEqual(
    again.map((item) => [item.kind, item.streaming]),
    [
      ['end', false],
      ['message', true],
    ],
  )
})

test('text that was streamed under another id gives way to the message of its agent', () => {
  const show = itemsOf(new Thread())
  show({ chunks: [{ message_id: 'm1', source: 'writer', offset: 0, text: 'Hel' }] })
  const items = show({
    entries: entriesOf(['message', { ...message('writer', 'Hello'), id: 'other' }]),
  })
  assert.deepEqual(
    items.map((item) => [item.streaming, item.parts[0].value]),
    [[false, 'Hello']],
  )
})

test('a question is asked once, however many tell of it, and stays as a record', () => {
  const show = itemsOf(new Thread())
  const pending = { request_id: 'q1', prompt: 'Go on?', source: 'human' }
  show({
    entries: entriesOf(
      [
        'event',
        { type: 'UserInputRequestedEvent', source: 'human', request_id: 'q1', content: '' },
      ],
      ['state', { state: 'paused', reason: 'input', pending }],
    ),
  })
  const open = show({ state: { state: 'paused', reason: 'input', pending } })
  assert.deepEqual(
    open.map((item) => [item.kind, item.label, item.answer]),
    [['input', 'Go on?', 'open']],
  )
  const answered = show({
    entries: entriesOf([
      'command',
      { command: 'answer', by: 'you', request_id: 'q1', text: 'Yes' },
    ]),
  })
  assert.equal(answered[0].answer, 'answered')
  assert.equal(show({ state: { state: 'paused', reason: 'input', pending } }).length, 1)
})

test('the end closes what was open and says why', () => {
  const show = itemsOf(new Thread())
  show({
    chunks: [{ message_id: 'm1', source: 'writer', offset: 0, text: 'Hel' }],
    state: {
      state: 'paused',
      reason: 'input',
      pending: { request_id: 'q', prompt: '?', source: 'human' },
    },
  })
  const items = show({
    entries: entriesOf([
      'state',
      {
        state: 'failed',
        reason: 'error',
        detail: 'No answer.',
        error: { message: 'No answer.', fix: 'Is it running?' },
      },
    ]),
  })
  assert.deepEqual(
    items.map((item) => [item.kind, item.streaming, item.answer]),
    [
      ['message', false, ''],
      ['input', false, 'unanswered'],
      ['end', false, ''],
    ],
  )
  assert.deepEqual(
    [items[2].label, items[2].parts[0].value],
    ['Failed: No answer.', 'Is it running?'],
  )
})

test('a handoff names who is next', () => {
  const [item] = itemsOf(new Thread())({
    entries: entriesOf([
      'message',
      { ...message('planner', 'Yours'), type: 'HandoffMessage', target: 'weather' },
    ]),
  })
  assert.deepEqual([item.kind, item.label], ['handoff', 'weather'])
})

test('an event of a type that is not known is still shown', () => {
  const [item] = itemsOf(new Thread())({
    entries: entriesOf(['event', { type: 'BrandNewThingEvent', source: 'x', content: 'hi' }]),
  })
  assert.deepEqual([item.kind, item.label, item.parts[0].value], ['note', 'Brand new thing', 'hi'])
})

test('a call that is open when the run ends is not shown as working for ever', () => {
  const [tools] = itemsOf(new Thread())({
    entries: entriesOf(['event', asked], ['state', { state: 'cancelled', reason: 'user' }]),
  })
  assert.deepEqual(
    tools.calls.map((call) => [call.result, call.lost]),
    [
      [null, 'cancelled'],
      [null, 'cancelled'],
    ],
  )
})

test('a cancelled run says so once, at its end', () => {
  const items = itemsOf(new Thread())({
    entries: entriesOf(
      ['command', { command: 'cancel', by: 'you' }],
      ['message', message('writer', 'Cut off')],
      ['state', { state: 'cancelled', reason: 'user', detail: 'Cancelled.' }],
    ),
  })
  assert.deepEqual(
    items.map((item) => item.label || item.parts[0]?.value),
    ['Cut off', 'Cancelled by you'],
  )
})

test('a message that a person changes shows what the others hear, and keeps what was written', () => {
  const show = itemsOf(new Thread())
  show({
    entries: entriesOf(
      ['message', { ...message('writer', 'Draft'), id: 'm1' }],
      ['command', { command: 'amend', message_id: 'm1', text: 'Better', by: 'you' }],
    ),
  })
  const [changed] = show({
    entries: entriesOf([
      'command',
      { command: 'amend', message_id: 'm1', text: 'Best', by: 'you' },
    ]).map((entry) => ({ ...entry, seq: 9 })),
  })
  assert.deepEqual([changed.parts[0].value, changed.written[0].value], ['Best', 'Draft'])
  const [dropped] = show({
    entries: entriesOf([
      'command',
      { command: 'amend', message_id: 'm1', text: null, by: 'you' },
    ]).map((entry) => ({ ...entry, seq: 10 })),
  })
  assert.deepEqual([dropped.parts, dropped.written[0].value], [[], 'Draft'])
})

test('what a person says waits until the team hears it, and is one item', () => {
  const said = ['command', { command: 'inject', source: 'user', text: 'Be brief.', by: 'ann' }]
  const heard = { ...message('user', 'Be brief.'), metadata: { handed_in_by: 'ann' } }
  const thread = new Thread()
  const [first, second] = entriesOf(said, ['message', heard])
  thread.apply(batchOf({ entries: [first] }))
  const [waiting] = thread.takeChanges().items
  assert.deepEqual(
    [waiting.seq, waiting.state, waiting.parts[0].value],
    [0, 'waiting', 'Be brief.'],
  )
  thread.apply(batchOf({ entries: [second] }))
  const [item] = thread.takeChanges().items
  assert.deepEqual([item.seq, item.state, item.key], [2, '', waiting.key])
})

test('what nobody heard is marked at the end, but not in a run that goes on from there', () => {
  const said = ['command', { command: 'inject', text: 'Be brief.', by: 'ann' }]
  const thread = new Thread()
  thread.apply(
    batchOf({ entries: entriesOf(said, ['state', { state: 'finished', reason: 'end' }]) }),
  )
  assert.equal(thread.takeChanges().items.find((item) => item.kind === 'message').state, 'unheard')
  const fork = new Thread()
  fork.apply(batchOf({ entries: entriesOf(said, ['command', { command: 'fork', from: 'x' }]) }))
  assert.deepEqual(fork.takeChanges(), { items: [], removed: ['said-1'] })
})

test('passages of a knowledge base are told from other memories, and name their documents', () => {
  const metadata = { base: 'Handbook', file: 'leave.pdf', page: 2, section: 2, heading: '' }
  const found = { ...metadata, citation: '[leave.pdf, p. 2]', score: 1.5, is_used: true }
  const [memory, other, tool, answer] = itemsOf(new Thread())({
    entries: entriesOf(
      [
        'event',
        {
          type: 'MemoryQueryEvent',
          source: 'clerk',
          content: [{ content: 'Two days.', metadata: found }],
        },
      ],
      [
        'event',
        {
          type: 'MemoryQueryEvent',
          source: 'clerk',
          content: [{ content: 'A note.', metadata: null }],
        },
      ],
      [
        'event',
        {
          type: 'ToolEvent',
          source: 'clerk',
          name: 'knowledge',
          content: [{ ...found, file: 'b.pdf', text: 'Three.' }, 'odd'],
        },
      ],
      ['message', message('clerk', 'Two days.')],
    ),
  })
  assert.deepEqual(
    [memory.label, memory.excerpts[0].text],
    ['Found 1 passage in Handbook', 'Two days.'],
  )
  assert.deepEqual([other.label, other.excerpts], ['Looked up in memory', undefined])
  assert.deepEqual([tool.label, tool.excerpts.length], ['Found 1 passage in Handbook', 1])
  assert.deepEqual(
    [...answer.sources],
    [
      ['leave.pdf', 'Handbook'],
      ['b.pdf', 'Handbook'],
    ],
  )
})
