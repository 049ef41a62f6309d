import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFeed } from '../../static/js/playground/log/feed.js'
import {
  callSummary,
  clip,
  excerpt,
  isLong,
  listTime,
  prettyJson,
  tokens,
} from '../../static/js/playground/format.js'
import { hostOf, safeLink, safePicture } from '../../static/js/playground/chat/links.js'
import { partsOf, pictureUrl } from '../../static/js/playground/chat/message-parts.js'
import {
  colourBook,
  participantsOf,
  plannedEdges,
} from '../../static/js/playground/flow/participants.js'
import { MAX_IMAGE_BYTES, refusal, taskOf } from '../../static/js/playground/chat/images.js'
import { allowed, badge, ending, rowStatus } from '../../static/js/playground/run-status.js'
import { StreamedText } from '../../static/js/playground/chat/streamed-text.js'
import { underscoreGuard } from '../../static/js/playground/chat/underscores.js'
import { suggestion } from '../../static/js/playground/welcome.js'
import { agent, batchOf, entriesOf, message, team } from './playground-entries.mjs'

test('pieces of a text join by their offset, each character once', () => {
  const text = new StreamedText()
  assert.equal(text.add(0, 'Hello'), 'Hello')
  assert.equal(text.add(0, 'Hello wor'), ' wor')
  assert.equal(text.add(3, 'lo'), '')
  assert.equal(text.add(11, '!'), '')
  assert.equal(text.add(9, 'ld'), 'ld!')
  assert.equal(text.text, 'Hello world!')
})

test('an entry is handed on once, and a failing view does not starve the others', () => {
  const seen = []
  const failures = []
  const feed = createFeed(
    {
      broken: () => {
        throw new Error('x')
      },
      good: ({ entries }) => seen.push(...entries.map((entry) => entry.seq)),
    },
    (name) => failures.push(name),
  )
  const entries = entriesOf(['message', message('a', '1')], ['message', message('a', '2')])
  feed.push(batchOf({ entries }))
  feed.push(batchOf({ entries }))
  assert.deepEqual([seen, failures], [[1, 2], ['broken']])
})

test('links lead only to the web, mail or this studio', () => {
  assert.equal(safeLink('javascript:alert(1)'), null)
  assert.equal(safeLink(' JavaScript:alert(1)'), null)
  assert.equal(safeLink('data:text/html,x'), null)
  assert.equal(safeLink('//evil.example'), null)
  for (const trick of [
    '/\\evil.example',
    '/\t/evil.example',
    'java\nscript:alert(1)',
    '\u0000javascript:x',
    'https://a b',
  ])
    assert.equal(safeLink(trick), null, trick)
  assert.equal(safeLink('https://example.org/a_b'), 'https://example.org/a_b')
  assert.equal(safeLink('/runs/1#seq-2'), '/runs/1#seq-2')
})

test('pictures are never fetched', () => {
  assert.equal(safePicture('https://example.org/x.png'), null)
  assert.equal(safePicture('data:image/svg+xml;base64,AAAA'), null)
  assert.equal(pictureUrl('iVBORw0KGgoAAA'), 'data:image/png;base64,iVBORw0KGgoAAA')
  assert.equal(pictureUrl('https://example.org/x.png'), null)
})

test('the parts of a message keep their order', () => {
  assert.deepEqual(partsOf({ content: ['See', { data: '/9j/AAA' }] }), [
    { kind: 'text', value: 'See' },
    { kind: 'image', value: 'data:image/jpeg;base64,/9j/AAA' },
  ])
  assert.deepEqual(partsOf({ content: { score: 1 } }), [{ kind: 'json', value: '{"score":1}' }])
})

test('underscores inside words stay, wherever the text is cut', () => {
  for (const pieces of [
    ['call travel_summary_agent now'],
    ['call travel', '_', 'summary', '_agent now'],
    ['call travel_', 'summary_a', 'gent now'],
  ]) {
    let written = ''
    const guard = underscoreGuard(
      (text) => {
        written += text
      },
      () => false,
    )
    for (const piece of pieces) guard.write(piece)
    guard.end()
    assert.equal(written, 'call travel\\_summary\\_agent now')
  }
})

test('emphasis, code and a last underscore stay as they are', () => {
  const run = (text, isVerbatim = false) => {
    let written = ''
    const guard = underscoreGuard(
      (piece) => {
        written += piece
      },
      () => isVerbatim,
    )
    guard.write(text)
    guard.end()
    return written
  }
  assert.equal(run('_soft_ and __hard__'), '_soft_ and __hard__')
  assert.equal(run('snake_case', true), 'snake_case')
  assert.equal(run('end_'), 'end_')
})

test('participants have the colour of their place, people none', () => {
  const colours = colourBook(
    participantsOf(
      team('RoundRobinGroupChat', [agent('a'), agent('human', 'UserProxyAgent'), agent('b')]),
    ),
  )
  assert.deepEqual(['a', 'human', 'b', 'user', 'new', 'new'].map(colours.hueOf), [
    '0',
    'user',
    '2',
    'user',
    '3',
    '3',
  ])
})

test('what the design says is drawn before the run', () => {
  assert.deepEqual(plannedEdges(team('RoundRobinGroupChat', [agent('a'), agent('b')])), [
    ['user', 'a'],
    ['a', 'b'],
    ['b', 'a'],
  ])
  const graph = {
    nodes: { a: { name: 'a', edges: [{ target: 'b' }] }, b: { name: 'b', edges: [] } },
  }
  assert.deepEqual(plannedEdges(team('GraphFlow', [agent('a'), agent('b')], { graph })), [
    ['user', 'a'],
    ['a', 'b'],
  ])
  assert.deepEqual(plannedEdges(null), [])
})

test('pictures that are too large or of another kind are refused in words', () => {
  assert.match(
    refusal({ name: 'big.png', type: 'image/png', size: MAX_IMAGE_BYTES + 1 }),
    /big\.png has 5\.0 MB\. Images can be up to 5 MB/,
  )
  assert.match(
    refusal({ name: 'notes.pdf', type: 'application/pdf', size: 1 }),
    /notes\.pdf is not a supported image/,
  )
  assert.equal(refusal({ name: 'a.webp', type: 'image/webp', size: 1 }), '')
})

test('a task is text, or a list when pictures go with it', () => {
  assert.equal(taskOf('Go', []), 'Go')
  assert.deepEqual(taskOf('', ['data:x']), [{ image: 'data:x' }])
})

test('buttons follow the state', () => {
  const on = (state) =>
    Object.entries(allowed({ reason: '', pending: null, ...state }))
      .filter(([, can]) => can)
      .map(([name]) => name)
  assert.deepEqual(on({ state: 'running' }), ['pause', 'stop', 'cancel'])
  assert.deepEqual(on({ state: 'paused', reason: 'user' }), ['step', 'resume', 'stop', 'cancel'])
  assert.deepEqual(on({ state: 'paused', reason: 'input' }), ['stop', 'cancel'])
  assert.deepEqual(on({ state: 'finished' }), [])
})

test('the badge says what the run does and why', () => {
  const run = { state: 'running', reason: 'start', pending: null }
  assert.equal(badge(run).word, 'Running')
  assert.deepEqual(badge({ ...run, finishing: true }, { worker: 'writer' }), {
    word: 'Pausing',
    look: 'paused',
    more: 'writer is still finishing',
  })
  assert.equal(
    badge({ ...run, finishing: true }, { isStopping: true }).word,
    'Stopping after this turn',
  )
  assert.equal(
    badge({
      state: 'paused',
      reason: 'input',
      pending: { request_id: 'q', prompt: '?', source: 'human' },
    }).more,
    'human',
  )
})

test('an ending is one line', () => {
  assert.equal(
    ending({
      state: 'finished',
      reason: 'condition',
      detail: 'Maximum number of messages 6 reached',
    }).line,
    'Finished: Maximum number of messages 6 reached',
  )
  assert.equal(
    ending({ state: 'cancelled', reason: 'user', detail: 'Cancelled.' }).line,
    'Cancelled',
  )
  assert.equal(
    ending({ state: 'stopped', reason: 'user', detail: 'Stopped by the user.' }, { by: 'user' })
      .line,
    'Stopped by you',
  )
  assert.equal(
    ending({ state: 'interrupted', reason: 'killed', detail: '' }).line,
    'Interrupted: the server crashed',
  )
})

test('a run that waits for a person says so in the list', () => {
  assert.equal(rowStatus({ state: 'paused', reason: 'input' }).words, 'Waiting for you')
  assert.equal(rowStatus({ state: 'paused', reason: 'user' }).words, 'Paused')
})

test('a task with a picture is named in words, and a comparison keeps its sign', () => {
  assert.equal(excerpt('Describe this\n<image>'), 'Describe this [picture]')
  assert.equal(excerpt('> quoted\nis 3 > 2?'), 'quoted is 3 > 2?')
})

test('twelve lines are shown whole, more are folded', () => {
  assert.equal(isLong('line\n'.repeat(11)), false)
  assert.equal(isLong('line\n'.repeat(12)), true)
  assert.equal(isLong('word '.repeat(300)), true)
})

test('values are written short and safe', () => {
  assert.equal(tokens(12_345), '12.3k')
  assert.equal(callSummary('{"city":"Lisbon","days":3}'), 'city: "Lisbon", days: 3')
  assert.equal(callSummary('not json'), 'not json')
  assert.equal(prettyJson('{"a":1}'), '{\n  "a": 1\n}')
  assert.equal(excerpt('## Title\n\n**bold** text', 12), 'Title bold…')
  assert.match(clip('x'.repeat(30), 10), /^x{10}\n… 20 more characters/)
  assert.equal(listTime('', new Date()), '')
})

test('a description tells what the team is and what to try', () => {
  assert.deepEqual(suggestion('Two agents take turns. Try: Write a label. Scripted.'), {
    about: 'Two agents take turns.',
    task: 'Write a label.',
  })
  assert.deepEqual(suggestion('A team that waits for a :class:`Task`.'), { about: '', task: '' })
  assert.deepEqual(suggestion(null), { about: '', task: '' })
})

test('the host of a link is the one that it leads to', () => {
  assert.equal(hostOf('https://accounts.example@evil.test:8443/x'), 'evil.test:8443')
  assert.equal(hostOf('https://аpple.com'), 'xn--pple-43d.com')
  assert.equal(hostOf('mailto:a@b.c'), '')
  assert.equal(hostOf('https://'), '')
  assert.equal(hostOf('/runs/1'), '')
})

test('what cannot be seen is written out in code and arguments', () => {
  assert.equal(prettyJson('{"a":"x\u202ey"}'), '{\n  "a": "x\\u202ey"\n}')
  assert.deepEqual(JSON.parse(prettyJson('["\u{e0041}\u200b"]')), ['\u{e0041}\u200b'])
  assert.equal(prettyJson('if admin:\u2066\n\tgo()\u{e0041}'), 'if admin:⟨U+2066⟩\n\tgo()⟨U+E0041⟩')
  assert.equal(callSummary('{"path":"a\u200bb"}'), 'path: "a⟨U+200B⟩b"')
  assert.equal(prettyJson('👩‍💻 é नि'), '👩‍💻 é नि')
})
