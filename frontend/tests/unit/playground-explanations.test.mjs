import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Decisions } from '../../static/js/playground/decisions.js'
import { Termination } from '../../static/js/playground/termination.js'
import { Thread } from '../../static/js/playground/chat/thread.js'
import { batchOf, entriesOf, message } from './playground-entries.mjs'

/** @param {string[]} chosen */
const decision = (chosen, path = [], source = 'Manager') => ({
  type: 'SpeakerDecisionEvent',
  source,
  team: path.at(-1) ?? 'team',
  path,
  chosen,
  candidates: chosen,
  rule: 'model',
  reason: `for ${chosen}`,
  prompt: '',
  attempts: [],
  edges: [],
})
/** @param {object[]} conditions */
const progress = (conditions, path = [], stop_reason = null) => ({
  type: 'TerminationProgressEvent',
  source: 'Manager',
  team: 'team',
  path,
  conditions,
  stop_reason,
})
const at = (place, within, words, more = {}) => ({
  where: `/config/termination_condition${place}`,
  within,
  in_words: words,
  so_far: `${words} so far`,
  has_fired: false,
  ...more,
})
/**
 * @param {Decisions} decisions
 * @param {string} source
 */
const reasons = (decisions, source) => decisions.takeFor(source).map((one) => one.reason)
/** @param {...object} bodies */
function termination(...bodies) {
  const made = new Termination()
  for (const entry of entriesOf(...bodies.map((body) => ['explanation', body]))) made.add(entry)
  return made
}

test('a decision belongs to the first thing heard of who was chosen, and to no other', () => {
  const decisions = new Decisions()
  decisions.add(decision(['writer']))
  assert.deepEqual(
    [reasons(decisions, 'Manager'), reasons(decisions, 'writer'), reasons(decisions, 'writer')],
    [[], ['for writer'], []],
  )
})

test('who speaks in a nested team has the decisions of both teams, the outer one first', () => {
  const decisions = new Decisions()
  decisions.add(decision(['inner']))
  decisions.add(decision(['reader'], ['inner']))
  assert.deepEqual(reasons(decisions, 'reader'), ['for inner', 'for reader'])
  decisions.add(decision(['editor'], ['inner']))
  assert.deepEqual(reasons(decisions, 'editor'), ['for editor'])
})

test('of those who speak side by side each has the decision once', () => {
  const decisions = new Decisions()
  decisions.add(decision(['a', 'b']))
  assert.deepEqual(
    [reasons(decisions, 'b'), reasons(decisions, 'b'), reasons(decisions, 'a')],
    [['for a,b'], [], ['for a,b']],
  )
})

test('a decision for nobody belongs to what the team itself says', () => {
  const decisions = new Decisions()
  decisions.add(decision([]))
  assert.deepEqual(reasons(decisions, 'Manager'), ['for '])
})

test('an agent that answers in the name of another one keeps its decision', () => {
  const decisions = new Decisions()
  decisions.add(decision(['filter']))
  assert.deepEqual(
    [reasons(decisions, 'user'), reasons(decisions, 'wrapped')],
    [[], ['for filter']],
  )
})

test('a later decision of the same team takes the place of one that nobody answered', () => {
  const decisions = new Decisions()
  decisions.add(decision(['a']))
  decisions.add(decision(['b']))
  assert.deepEqual([reasons(decisions, 'b'), reasons(decisions, 'a')], [['for b'], []])
})

test('a turn has its decision in the conversation, the line of the manager has none', () => {
  const thread = new Thread()
  thread.apply(
    batchOf({
      entries: entriesOf(
        ['explanation', decision(['a'])],
        ['event', { type: 'SelectSpeakerEvent', source: 'Manager', content: ['a'] }],
        ['message', message('a', 'hi')],
        ['message', message('a', 'more')],
      ),
    }),
  )
  assert.deepEqual(
    thread.takeChanges().items.map((item) => [item.source, item.why.length]),
    [
      ['Manager', 0],
      ['a', 1],
      ['a', 0],
    ],
  )
})

test('gauges warn from four fifths of a limit on, and when it is reached', () => {
  const counted = (done) =>
    at('', [], 'x', { done, limit: 10, unit: 'messages', has_fired: done >= 10 })
  const looks = [7, 8, 10].map((done) => termination(progress([counted(done)])).gauges[0].parts[0])
  assert.deepEqual(
    looks.map(({ look, share }) => [look, share]),
    [
      ['', 0.7],
      ['near', 0.8],
      ['fired', 1],
    ],
  )
})

test('conditions that must all fire are one group; any of the outermost stops the team', () => {
  const [{ parts }] = termination(
    progress([
      { ...at('', [], 'turns'), where: '/config/max_turns' },
      at('/config/conditions/0', ['or'], 'a'),
      at('/config/conditions/1/config/conditions/0', ['or', 'and'], 'b'),
      at('/config/conditions/1/config/conditions/1/config/conditions/0', ['or', 'and', 'or'], 'c'),
      at('/config/conditions/1/config/conditions/1/config/conditions/1', ['or', 'and', 'or'], 'd'),
    ]),
  ).gauges
  const shape = (part) =>
    'parts' in part ? { [part.join]: part.parts.map(shape) } : part.stopsWhen
  assert.deepEqual(parts.map(shape), ['turns', 'a', { and: ['b', { or: ['c', 'd'] }] }])
})

test('gauges of a nested team go when its turn is over', () => {
  const inner = progress([at('', [], 'inner')], ['team'])
  const outer = progress([at('', [], 'outer')])
  assert.deepEqual(
    termination(outer, inner).gauges.map(({ name }) => name),
    ['', 'team'],
  )
  assert.deepEqual(
    termination(outer, inner, outer).gauges.map(({ name }) => name),
    [''],
  )
})

test('the end of a run names the conditions that made it stop, and no half of a pair', () => {
  const conditions = [
    at('/config/conditions/0', ['or'], '"DONE" is mentioned', { has_fired: true }),
    at('/config/conditions/1/config/conditions/0', ['or', 'and'], 'a has spoken', {
      has_fired: true,
    }),
    at('/config/conditions/1/config/conditions/1', ['or', 'and'], 'a stop message arrives'),
  ]
  const thread = new Thread()
  thread.apply(
    batchOf({
      entries: entriesOf(
        ['explanation', progress(conditions, [], 'Text mentioned')],
        ['state', { state: 'finished', reason: 'condition', detail: 'Text mentioned' }],
      ),
    }),
  )
  const [end] = thread.takeChanges().items
  assert.deepEqual([end.label, end.parts], ['Finished because "DONE" is mentioned', []])
})
