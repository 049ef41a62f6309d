import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChatSlots } from '../../static/js/playground/chat/chat-slots.js'
import { EntryPages, pageFrom } from '../../static/js/playground/log/entry-pages.js'
import { RowHeights } from '../../static/js/playground/chat/row-heights.js'
import { LiveItems } from '../../static/js/playground/chat/live-items.js'
import { readRun } from '../../static/js/playground/log/read-run.js'
import { RunIndex, lightEntry } from '../../static/js/playground/log/run-index.js'
import { Search } from '../../static/js/playground/log/search.js'
import { Thread } from '../../static/js/playground/chat/thread.js'
import { batchOf, entriesOf, message } from './playground-entries.mjs'

const request = (source, id) => [
  'event',
  {
    id: `r${id}`,
    type: 'ToolCallRequestEvent',
    source,
    content: [{ id, name: 'look', arguments: '{}' }],
  },
]
const result = (source, id, isError = false) => [
  'event',
  {
    id: `e${id}`,
    type: 'ToolCallExecutionEvent',
    source,
    content: [{ call_id: id, name: 'look', content: 'x', is_error: isError }],
  },
]
const decision = (chosen) => [
  'explanation',
  {
    type: 'SpeakerDecisionEvent',
    source: 'team',
    path: [],
    chosen: [chosen],
    candidates: [chosen],
    reason: 'Its turn.',
    edges: [],
    attempts: [],
  },
]

const LOG = entriesOf(
  ['command', { command: 'start', by: 'you' }],
  ['state', { state: 'running', reason: 'start' }],
  ['message', message('user', 'Task')],
  decision('writer'),
  request('writer', 'c1'),
  result('writer', 'c1', true),
  ['event', { type: 'ThoughtEvent', source: 'writer', id: 't', content: 'Hm.' }],
  ['message', message('writer', 'First')],
  ['state', { state: 'paused', reason: 'breakpoint' }],
  ['command', { command: 'resume', by: 'you' }],
  ['message', { ...message('critic', 'Over to you'), type: 'HandoffMessage', target: 'writer' }],
  result('writer', 'unknown'),
  ['state', { state: 'failed', reason: 'error', error: { message: 'No.' } }],
)

/** What the server's index says of these entries. */
function pageOf(entries) {
  const index = new RunIndex()
  index.takeEntries(entries)
  const words = []
  const word = (text) => (words.includes(text) ? words.indexOf(text) : words.push(text) - 1)
  const { rows } = index
  return {
    began_at: entries[0].at,
    after: 0,
    seq: rows.map((row, place) => row.seq - (rows[place - 1]?.seq ?? 0)),
    at: rows.map((row) => row.at - rows[0].at),
    kind: rows.map((row) => word(row.kind)),
    type: rows.map((row) => word(row.type)),
    source: rows.map((row) => word(row.source)),
    note: rows.map((row) => word(row.note)),
    prompt_tokens: rows.map((row) => row.input),
    completion_tokens: rows.map((row) => row.output),
    size: rows.map((row) => row.size),
    marks: rows.map((row) => (row.isError ? 1 : 0) + (row.isQuestion ? 2 : 0)),
    words,
  }
}

test('the index knows which entries the thread makes items of', () => {
  const index = new RunIndex()
  index.takeEntries(LOG)
  const thread = new Thread()
  thread.apply(batchOf({ entries: LOG }))
  const items = thread.takeChanges().items.map(({ seq, kind }) => [seq, kind])
  assert.deepEqual(
    index.rows.filter(({ item }) => item !== '').map(({ seq, item }) => [seq, item]),
    items,
  )
})

test("the server's index and the entries themselves give the same rows", () => {
  const [told, own] = [new RunIndex(), new RunIndex()]
  told.takePage(pageOf(LOG))
  own.takeEntries(LOG)
  assert.deepEqual(told.rows, own.rows)
  assert.equal(told.lastSeq, 13)
})

test('what an entry is shown by: its own item, that of its call, or the next one', () => {
  const index = new RunIndex()
  index.takeEntries(LOG)
  assert.deepEqual(
    [8, 6, 4].map((seq) => index.itemOf(seq)),
    [8, 5, 5],
  )
  assert.deepEqual([...index.failed], [5, 13])
  assert.deepEqual(
    [...index.sources],
    [
      ['user', 1],
      ['writer', 4],
      ['critic', 1],
    ],
  )
})

test('rows come once, and none after the place that is known otherwise', () => {
  const index = new RunIndex()
  index.takePage(pageOf(LOG), 8)
  assert.equal(index.lastSeq, 8)
  index.takeEntries(LOG)
  assert.equal(index.rows.length, LOG.length)
})

test('a light entry tells pictures what they ask a whole one', () => {
  const index = new RunIndex()
  index.takeEntries(
    entriesOf(
      ['message', { ...message('a', 'x', [5, 6]), type: 'HandoffMessage', target: 'b' }],
      ['state', { state: 'paused', reason: 'user' }],
    ),
  )
  const [said, paused] = index.rows.map(lightEntry)
  assert.deepEqual(
    [said.body.source, said.body.target, said.body.models_usage],
    ['a', 'b', { prompt_tokens: 5, completion_tokens: 6 }],
  )
  assert.deepEqual(
    [paused.body.state, paused.body.reason, paused.at],
    ['paused', 'user', '2026-01-01T12:00:01.000Z'],
  )
})

function slotsOf(entries, level = 2) {
  const index = new RunIndex()
  index.takeEntries(entries)
  const slots = new ChatSlots(index, level)
  slots.takeChanges()
  return { index, slots, seqs: () => slots.rows.map(({ seq }) => seq) }
}

test('each level of detail shows more', () => {
  const { slots, seqs } = slotsOf(LOG)
  const shown = [0, 1, 2, 3].map((level) => {
    slots.choose({ level })
    return seqs()
  })
  assert.deepEqual(shown, [
    [3, 8, 9, 10, 11, 13],
    [3, 5, 8, 9, 10, 11, 12, 13],
    [3, 5, 7, 8, 9, 10, 11, 12, 13],
    LOG.map(({ seq }) => seq),
  ])
})

test('a filter shows one agent, or one kind at any level', () => {
  const { slots, seqs } = slotsOf(LOG, 0)
  const filtered = (agent, kind) => {
    slots.choose({ filter: { agent, kind } })
    return seqs()
  }
  assert.deepEqual(filtered('writer', ''), [8])
  assert.deepEqual(filtered('', 'tools'), [5, 12])
  assert.deepEqual(filtered('', 'errors'), [5, 13])
  assert.deepEqual(filtered('', 'thoughts'), [7])
  assert.deepEqual(filtered('', 'decisions'), [4, 11])
  assert.deepEqual(filtered('writer', 'decisions'), [4, 11])
  assert.deepEqual(filtered('critic', 'tools'), [])
})

test('what is not shown has no place, and news are added to what is', () => {
  const { index, slots } = slotsOf(LOG.slice(0, 8))
  assert.deepEqual([slots.shownAt(6), slots.shownAt(8)], [1, 3])
  index.takeEntries(LOG)
  assert.equal(slots.takeChanges(), 5)
  slots.choose({ level: 0 })
  assert.equal(slots.shownAt(7), -1)
})

test('the same one going on needs no second name', () => {
  const { slots } = slotsOf(LOG)
  assert.deepEqual(
    slots.rows.map((_, place) => slots.goesOn(place, (row) => row.source === 'user')),
    [false, false, true, true, false, false, false, false, false],
  )
})

test('heights are summed and found like a plain list of them', () => {
  const plain = Array.from({ length: 200 }, (_, row) => (row * 37) % 90)
  const heights = new RowHeights(plain.slice(0, 120))
  for (const px of plain.slice(120)) heights.push(px)
  for (const row of [0, 3, 64, 127, 199]) heights.set(row, (plain[row] = row + 5))
  const above = (row) => plain.slice(0, row).reduce((sum, px) => sum + px, 0)
  for (const row of [0, 1, 63, 64, 65, 128, 199, 200])
    assert.equal(heights.above(row), above(row), `above ${row}`)
  for (const px of [0, 1, 500, above(100), above(100) + 1, above(200) - 1]) {
    const row = plain.findIndex((height, place) => above(place) <= px && px < above(place) + height)
    assert.equal(heights.at(px), row, `at ${px}`)
  }
  assert.equal(heights.at(above(200) + 50), 199)
  assert.equal(new RowHeights().at(10), 0)
})

test('a page is understood by what stands around it', () => {
  const { items, entries } = pageFrom(LOG, 5, 5)
  assert.deepEqual([...items.keys()], [5])
  assert.deepEqual([...entries.keys()], [5])
  assert.equal(items.get(5)?.calls[0].isError, true)
  assert.equal(items.get(5)?.why[0].reason, 'Its turn.')
})

test('pages are read once, kept while they are looked at, and not for ever', async () => {
  const asked = []
  const pages = new EntryPages(async (after) => {
    asked.push(after)
    return []
  })
  await Promise.all([pages.bring(1), pages.bring(2)])
  assert.equal(asked.length, 1)
  for (let page = 1; page <= 16; page += 1) {
    await pages.bring(page * 160 + 1)
    pages.find(1)
  }
  assert.ok(pages.find(1))
  assert.equal(pages.find(161), undefined)
})

test('the end of a run is kept, and what is far above it forgotten', () => {
  const live = new LiveItems()
  const entries = entriesOf(
    ...Array.from({ length: 3000 }, (_, turn) => ['message', message('a', `${turn}`)]),
  )
  for (let from = 0; from < entries.length; from += 100)
    live.apply(batchOf({ entries: entries.slice(from, from + 100) }))
  assert.ok(live.items.size <= 1500)
  assert.equal(live.items.size, live.entries.size)
  assert.equal(live.items.has(live.from), true)
  assert.equal(live.items.has(live.from - 1), false)
  assert.equal(live.items.has(3000), true)
})

const hit = (seq) => ({ seq, before: '', match: 'x', after: '' })

test('a search asks for more when its hits are walked through, and goes round at the end', async () => {
  const asked = []
  const search = new Search(async (_, after) => {
    asked.push(after)
    return after === 0
      ? { hits: [hit(3), hit(7)], next_after: 7 }
      : after === 7
        ? { hits: [], next_after: 50 }
        : { hits: [hit(60)], next_after: null }
  })
  await search.start('x')
  assert.equal(search.words(3), '1 of 2+')
  assert.equal((await search.neighbour(7, 1))?.seq, 60)
  assert.deepEqual(asked, [0, 7, 50])
  assert.equal((await search.neighbour(60, 1))?.seq, 3)
  assert.equal((await search.neighbour(3, -1))?.seq, 60)
  assert.equal(search.words(null), '3 hits')
})

test('an empty search says so, and finds what comes later', async () => {
  let hits = []
  const search = new Search(async () => ({ hits, next_after: null }))
  await search.start('y')
  assert.equal(search.words(null), 'Nothing found')
  hits = [hit(9)]
  search.grown()
  assert.equal((await search.neighbour(0, 1))?.seq, 9)
})

test('the answer to an older question is not taken', async () => {
  let answer = () => {}
  const search = new Search((text) =>
    text === 'a'
      ? new Promise((resolve) => {
          answer = () => resolve({ hits: [hit(1)], next_after: null })
        })
      : Promise.resolve({ hits: [hit(2)], next_after: null }),
  )
  const first = search.start('a')
  assert.equal(await search.start('ab'), true)
  answer()
  assert.equal(await first, false)
  assert.deepEqual(
    search.hits.map(({ seq }) => seq),
    [2],
  )
})

test('a run that is left before its pictures are drawn draws none over those of the next one', async () => {
  globalThis.requestAnimationFrame = (callback) => setTimeout(callback, 1)
  const life = new AbortController()
  const pushed = []
  const asked = { id: 'a', tail: Promise.resolve({ entries: [], isWhole: true }), wholeIndex: null }
  const into = {
    index: new RunIndex({}),
    items: { begin: () => {} },
    push: (_, to) => pushed.push(to),
    pictures: ['flow'],
    signal: life.signal,
  }
  await assert.rejects(
    readRun(asked, into, () => life.abort()),
    { name: 'AbortError' },
  )
  assert.deepEqual(pushed, [['chat']])
  const long = { id: 'b', tail: Promise.resolve({ entries: [], isWhole: false }) }
  const left = readRun({ ...long, wholeIndex: Promise.resolve([]) }, into, () => {})
  await assert.rejects(left, { name: 'AbortError' })
  assert.deepEqual(pushed.splice(1), [['chat']])
  const stays = { ...into, signal: new AbortController().signal }
  assert.equal(await readRun(asked, stays, () => {}), true)
  assert.deepEqual(pushed.slice(1), [['chat'], ['flow', 'gauges']])
})
