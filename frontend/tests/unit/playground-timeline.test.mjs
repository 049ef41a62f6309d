import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TimelineBars } from '../../static/js/playground/timeline/timeline-bars.js'
import { layoutBars } from '../../static/js/playground/timeline/timeline-canvas.js'
import { TimelineView } from '../../static/js/playground/timeline/timeline-view.js'
import { barText } from '../../static/js/playground/timeline/timeline-labels.js'
import { Totals } from '../../static/js/playground/totals.js'
import { batchOf, entriesOf, message } from './playground-entries.mjs'

test('a bar lasts from the entry before to its own', () => {
  const timeline = new TimelineBars(['writer'])
  timeline.apply(
    batchOf({
      entries: entriesOf(['message', message('user', 'Task')], ['message', message('writer', 'a')]),
    }),
  )
  assert.deepEqual(
    timeline.bars.map(({ lane, seq, kind, start, end }) => ({ lane, seq, kind, start, end })),
    [{ lane: 'writer', seq: 2, kind: 'message', start: 0, end: 1000 }],
  )
})

test('the gauges that are told ahead of a message leave it its time', () => {
  const [task, progress, answer] = entriesOf(
    ['message', message('user', 'Task')],
    ['explanation', { type: 'TerminationProgressEvent', path: [], conditions: [] }],
    ['message', message('writer', 'a')],
  )
  progress.at = answer.at
  const timeline = new TimelineBars([])
  timeline.apply(batchOf({ entries: [task, progress, answer] }))
  assert.deepEqual(
    timeline.bars.map(({ start, end }) => [start, end]),
    [[0, 2000]],
  )
})

test('a bar begins where its agent got the word, whatever the run is told meanwhile', () => {
  const [task, decided, pause, answer] = entriesOf(
    ['message', message('user', 'Task')],
    [
      'explanation',
      {
        type: 'SpeakerDecisionEvent',
        path: [],
        chosen: ['writer'],
        created_at: '2026-01-01T12:00:00.500Z',
      },
    ],
    ['command', { command: 'pause' }],
    ['message', message('writer', 'a')],
  )
  const timeline = new TimelineBars([])
  timeline.apply(batchOf({ entries: [task, decided, pause, answer] }))
  assert.deepEqual(
    timeline.bars.map(({ start, end }) => [start, end]),
    [[500, 3000]],
  )
})

test('those within a participant have their lanes below it, and a team that says nothing has its name', () => {
  const inside = new Map([
    ['researcher', ['thinker']],
    ['drafter', ['thinker', 'office']],
    ['checker', ['thinker', 'office']],
  ])
  const timeline = new TimelineBars(['thinker', 'writer'], (name) => inside.get(name) ?? [])
  timeline.apply(
    batchOf({
      entries: entriesOf(
        ...['drafter', 'researcher', 'checker'].map(
          (name) => /** @type {const} */ (['message', message(name, 'a')]),
        ),
      ),
    }),
  )
  assert.deepEqual(
    timeline.lanes.map((lane) => '-'.repeat(timeline.depthOf(lane)) + lane),
    ['thinker', '-office', '--drafter', '--checker', '-researcher', 'writer'],
  )
  assert.deepEqual(
    timeline.lanes.filter((lane) => timeline.isHolder(lane)),
    ['office'],
  )
})

test('a long hold takes little room', () => {
  const [task, paused, running, answer] = entriesOf(
    ['message', message('user', 'Task')],
    ['state', { state: 'paused' }],
    ['state', { state: 'running' }],
    ['message', message('writer', 'a')],
  )
  running.at = '2026-01-02T12:00:00Z'
  answer.at = '2026-01-02T12:00:02Z'
  const timeline = new TimelineBars([])
  timeline.apply(batchOf({ entries: [task, paused, running, answer] }))
  assert.equal(timeline.span, 1000 + 500 + 2000)
})

test('in order, each step has the same width', () => {
  const timeline = new TimelineBars([])
  timeline.apply(
    batchOf({ entries: entriesOf(['message', message('a', '1')], ['message', message('b', '2')]) }),
  )
  assert.deepEqual(
    timeline.bars.map(({ on }) => on.order),
    [
      [0, 1],
      [1, 2],
    ],
  )
  assert.equal(timeline.extent('order'), 2)
})

test('totals count messages and events, states not', () => {
  const totals = new Totals()
  totals.apply(
    batchOf({
      entries: entriesOf(
        ['message', message('a', 'x', [5, 6])],
        ['event', { source: 'a', models_usage: { prompt_tokens: 1, completion_tokens: 2 } }],
        ['state', { state: 'finished' }],
      ),
    }),
  )
  assert.deepEqual([totals.usage, totals.messages], [{ prompt_tokens: 6, completion_tokens: 8 }, 1])
})

test('calls that show no message count as soon as the server tells', () => {
  const totals = new Totals()
  totals.apply(batchOf({ entries: entriesOf(['message', message('a', 'x', [5, 6])]) }))
  totals.tell({ prompt_tokens: 50, completion_tokens: 7 })
  assert.deepEqual(totals.usage, { prompt_tokens: 50, completion_tokens: 7 })
})

test('on the axes of tokens and cost a bar is as wide as what it used', () => {
  const timeline = new TimelineBars([])
  timeline.apply(
    batchOf({
      entries: entriesOf(
        ['message', message('a', '1', [5, 5])],
        ['message', message('b', '2', [30, 10])],
      ),
    }),
  )
  assert.equal(timeline.extent('cost'), 0)
  timeline.price([{ seq: 2, micro_usd: 250_000 }])
  assert.deepEqual(
    timeline.bars.map(({ on }) => [on.tokens, on.cost]),
    [
      [
        [0, 10],
        [0, 0],
      ],
      [
        [10, 50],
        [0, 0.25],
      ],
    ],
  )
  assert.deepEqual([timeline.extent('tokens'), timeline.extent('cost')], [50, 0.25])
  assert.equal(barText(timeline.bars[1], 'b'), 'b, message, 1.0 s, 40 tokens, $0.25')
})

test('only bars in view are drawn, and of many within a pixel one', () => {
  const timeline = new TimelineBars([])
  const many = Array.from({ length: 5000 }, (_, turn) => [
    'message',
    message(turn % 2 ? 'a' : 'b', String(turn), [1, 1]),
  ])
  timeline.apply(batchOf({ entries: entriesOf(...many) }))
  const view = new TimelineView()
  const selected = timeline.barOf(2501)
  const whole = layoutBars(timeline, 'order', view, 300, selected)
  assert.ok(whole.length < 700)
  assert.ok(whole.some(({ bar }) => bar === selected))
  view.zoom(0.5, 500)
  const close = layoutBars(timeline, 'order', view, 300, selected)
  assert.ok(close.length >= 10 && close.length <= 13)
  assert.ok(close.every(({ x, width }) => x + width >= -1 && x <= 301))
})

test('the view zooms around a place, stays within the run, and brings what is asked for', () => {
  const view = new TimelineView()
  view.zoom(0.25, 4)
  assert.deepEqual([view.from, view.to], [0.1875, 0.4375])
  view.pan(-10)
  assert.deepEqual([view.from, view.to], [0, 0.25])
  view.bring(0.9, 0.91)
  assert.ok(view.from <= 0.9 && view.to >= 0.91)
  view.zoom(0.5, 0.0001)
  assert.equal(view.isWhole, true)
})
