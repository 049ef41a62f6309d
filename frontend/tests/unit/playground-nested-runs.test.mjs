import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NestedRuns, nestingText, placesIn } from '../../static/js/playground/log/nested-runs.js'
import { RunIndex } from '../../static/js/playground/log/run-index.js'
import { agent, entriesOf, message, team } from './playground-entries.mjs'

/**
 * @param {string} name
 * @param {object} config
 */
const holder = (name, config, kind = 'NestedChatAgent') => ({
  provider: `studio.teams.${kind}`,
  component_type: 'agent',
  config: { name, ...config },
})
const office = {
  ...team('RoundRobinGroupChat', [agent('drafter'), agent('checker')]),
  config: { name: 'office', participants: [agent('drafter'), agent('checker')] },
}
const design = team('RoundRobinGroupChat', [
  agent('writer'),
  holder('thinker', { participants: [agent('researcher'), office] }),
  holder(
    'council',
    { team: team('RoundRobinGroupChat', [agent('elder'), agent('writer')]) },
    'SocietyOfMindAgent',
  ),
])

/** @param {string[]} path */
const told = (path) =>
  /** @type {const} */ (['explanation', { type: 'TerminationProgressEvent', path, conditions: [] }])
/**
 * @param {string[]} path
 * @param {string} chosen
 */
const decided = (path, chosen) =>
  /** @type {const} */ (['explanation', { type: 'SpeakerDecisionEvent', path, chosen: [chosen] }])
/** @param {string} source */
const says = (source) => /** @type {const} */ (['message', message(source, 'a')])

/**
 * @param {any} component
 * @param {Parameters<typeof entriesOf>} log
 */
function heard(component, ...log) {
  const index = new RunIndex(component)
  index.takeEntries(entriesOf(...log))
  return index.rows
    .filter(({ kind }) => kind !== 'explanation')
    .map(({ source, inside }) => [source, ...inside].join(' < '))
}

test('the design tells who stands within whom, also in several places', () => {
  assert.deepEqual(
    Object.fromEntries(
      [...placesIn(design)].map(([name, places]) => [name, places.map(nestingText)]),
    ),
    {
      writer: ['', 'council'],
      thinker: ['', 'thinker'],
      council: [''],
      researcher: ['thinker'],
      drafter: ['thinker › office'],
      checker: ['thinker › office'],
      elder: ['council'],
    },
  )
})

test('what an agent says in its own chats is told from its answer', () => {
  const log = [
    told([]),
    says('user'),
    decided([], 'thinker'),
    says('thinker'),
    says('researcher'),
    says('thinker'),
    told(['thinker', 'office']),
    decided(['thinker', 'office'], 'drafter'),
    told(['thinker', 'office']),
    says('drafter'),
    told([]),
    says('thinker'),
  ]
  assert.deepEqual(heard(design, ...log), [
    'user',
    'thinker < thinker',
    'researcher < thinker',
    'thinker < thinker',
    'drafter < thinker < office',
    'thinker',
  ])
})

test('a name that is used twice is where its team has just told something', () => {
  const log = [
    decided([], 'writer'),
    told([]),
    says('writer'),
    decided([], 'council'),
    told(['council']),
    decided(['council'], 'writer'),
    ['event', { type: 'ThoughtEvent', source: 'writer' }],
    told(['council']),
    says('writer'),
  ]
  assert.deepEqual(heard(design, ...log), ['writer', 'writer < council', 'writer < council'])
})

test('a log without explanations is read by the design alone', () => {
  assert.deepEqual(heard(design, says('user'), says('writer'), says('elder'), says('council')), [
    'user',
    'writer',
    'elder < council',
    'council',
  ])
})

test('the same place is the same array, so that groups are found at no cost', () => {
  const nested = new NestedRuns(design)
  assert.equal(nested.pathOf('drafter'), nested.pathOf('checker'))
})

test('the index tells the same from the rows of the server', () => {
  const index = new RunIndex(design)
  const words = [
    '',
    'explanation',
    'TerminationProgressEvent',
    '["council"]',
    'message',
    'TextMessage',
    'writer',
  ]
  index.takePage({
    began_at: '2026-01-01T12:00:00Z',
    words,
    seq: [1, 1],
    at: [0, 1],
    kind: [1, 4],
    type: [2, 5],
    source: [0, 6],
    note: [3, 0],
    prompt_tokens: [0, 0],
    completion_tokens: [0, 0],
    size: [1, 1],
    marks: [0, 0],
  })
  assert.deepEqual(index.rows[1].inside, ['council'])
})
