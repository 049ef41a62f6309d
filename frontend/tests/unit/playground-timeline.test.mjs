import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TimelineBars, place } from '../../static/js/playground/timeline-bars.js'
import { Totals } from '../../static/js/playground/totals.js'
import { batchOf, entriesOf, message } from './playground-entries.mjs'

test('a bar lasts from the entry before to its own', () => {
  const timeline = new TimelineBars(['writer'])
  timeline.apply(batchOf({ entries: entriesOf(['message', message('user', 'Task')], ['message', message('writer', 'a')]) }))
  assert.deepEqual(timeline.bars, [{ lane: 'writer', seq: 2, kind: 'message', start: 0, end: 1000 }])
})

test('the gauges that are told ahead of a message leave it its time', () => {
  const [task, progress, answer] = entriesOf(['message', message('user', 'Task')], ['explanation', { type: 'TerminationProgressEvent', path: [], conditions: [] }], ['message', message('writer', 'a')])
  progress.at = answer.at
  const timeline = new TimelineBars([])
  timeline.apply(batchOf({ entries: [task, progress, answer] }))
  assert.deepEqual(timeline.bars.map(({ start, end }) => [start, end]), [[0, 2000]])
})

test('a long hold takes little room', () => {
  const [task, paused, running, answer] = entriesOf(['message', message('user', 'Task')], ['state', { state: 'paused' }], ['state', { state: 'running' }], ['message', message('writer', 'a')])
  running.at = '2026-01-02T12:00:00Z'
  answer.at = '2026-01-02T12:00:02Z'
  const timeline = new TimelineBars([])
  timeline.apply(batchOf({ entries: [task, paused, running, answer] }))
  assert.equal(timeline.span, 1000 + 500 + 2000)
})

test('in order, each step has the same width', () => {
  const timeline = new TimelineBars([])
  timeline.apply(batchOf({ entries: entriesOf(['message', message('a', '1')], ['message', message('b', '2')]) }))
  assert.deepEqual(place(timeline, 'order').map(({ from, to }) => [from, to]), [[0, 0.5], [0.5, 1]])
})

test('totals count messages and events, states not', () => {
  const totals = new Totals()
  totals.apply(batchOf({ entries: entriesOf(['message', message('a', 'x', [5, 6])], ['event', { source: 'a', models_usage: { prompt_tokens: 1, completion_tokens: 2 } }], ['state', { state: 'finished' }]) }))
  assert.deepEqual([totals.usage, totals.messages], [{ prompt_tokens: 6, completion_tokens: 8 }, 1])
})

test('calls that show no message count as soon as the server tells', () => {
  const totals = new Totals()
  totals.apply(batchOf({ entries: entriesOf(['message', message('a', 'x', [5, 6])]) }))
  totals.tell({ prompt_tokens: 50, completion_tokens: 7 })
  assert.deepEqual(totals.usage, { prompt_tokens: 50, completion_tokens: 7 })
})
