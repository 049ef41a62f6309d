import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  warningsOf,
  applyFix,
  dismiss,
  headline,
  keyOf,
  referTo,
  showAgain,
  sorted,
} from '../../static/js/builder/document/findings.js'
import { Store } from '../../static/js/core/store.js'
import { agent, team } from './team.mjs'

const finding = (code, where, fixes) => ({
  code,
  where,
  message: 'It is so.',
  fix: '',
  ...(fixes && { fixes }),
})
const report = (warnings, more = {}) => ({
  errors: [],
  warnings,
  capabilities: [],
  parts: [],
  needs: [],
  words: {},
  isKnown: true,
  ...more,
})
const doc = (...members) => ({ name: 'Pair', component: team(members), layout: {} })

test('the button says the worst there is, and nothing before the first answer', () => {
  const here = doc(agent('a'))
  const line = (of, isKnown = true) => headline(sorted(of, here), isKnown).text
  const [error, warning, need] = [
    finding('missing', ''),
    finding('x', ''),
    {
      ...finding('missing_secret', ''),
      name: 'k',
      places: [],
      reference: 'secret:k',
      is_stored: false,
    },
  ]
  assert.equal(line(report([], { errors: [error] }), false), 'Checking')
  assert.equal(line(report([warning], { errors: [error], needs: [need] })), '1 error')
  assert.equal(line(report([warning], { needs: [need, need] })), '2 secrets missing')
  assert.equal(line(report([warning, warning])), '2 warnings')
  assert.equal(line(report([])), 'Ready')
})

test('a part of an unknown kind is told once, as an error', () => {
  const unknown = report([finding('unknown_provider', '/config/participants/0/provider')], {
    parts: [{ where: '/config/participants/0', status: 'opaque' }],
  })
  const { problems, warnings } = sorted(
    unknown,
    doc({ provider: 'acme.Bot', component_type: 'agent', config: {} }),
  )
  assert.deepEqual([problems.map((each) => each.code), warnings], [['opaque'], []])
})

test('what nobody has approved yet is asked for', () => {
  const capabilities = [
    { kind: 'host', text: 'a', detail: '', where: '', approved: true },
    { kind: 'host', text: 'b', detail: '', where: '' },
  ]
  assert.deepEqual(
    sorted(report([], { capabilities }), doc(agent('a'))).asked.map((each) => each.text),
    ['b'],
  )
})

test('a dismissed warning follows its agent to another place and comes back by undo', () => {
  const store = new Store(doc(agent('a'), agent('b')))
  const first = store.doc
  store.run(dismiss(finding('no_description', '/config/participants/1/config/description')))
  assert.deepEqual(
    warningsOf(
      report([finding('no_description', '/config/participants/1/config/description')]),
      store.doc,
    ),
    [],
  )
  const moved = { ...store.doc, component: team([agent('b'), agent('a')]) }
  const [onA, onB] = [
    finding('no_description', '/config/participants/1/config/description'),
    finding('no_description', '/config/participants/0/config/description'),
  ]
  assert.deepEqual(warningsOf(report([onA, onB]), moved), [onA])
  store.undo()
  assert.equal(store.doc, first)
})

test('a warning that was dismissed under the former name of its code stays dismissed', () => {
  const here = { ...doc(agent('a')), layout: { dismissed: ['lenient config timeout'] } }
  assert.deepEqual(warningsOf(report([finding('coerced', '/config/timeout')]), here), [])
})

test('a warning is dismissed once, and showing it again leaves no trace', () => {
  const here = doc(agent('a'))
  const warning = finding('x', '/config')
  const twice = dismiss(warning).apply(dismiss(warning).apply(here))
  assert.deepEqual(twice.layout.dismissed, [keyOf(warning, here)])
  assert.deepEqual(showAgain(warning).apply(twice), here)
})

test('a remedy is one step that writes one value', () => {
  const store = new Store(doc(agent('a')))
  store.run(
    applyFix({ label: 'Rename to b', pointer: '/config/participants/0/config/name', value: 'b' }),
  )
  assert.equal(store.doc.component.config.participants[0].config.name, 'b')
  assert.deepEqual(
    store.past.map((step) => step.label),
    ['Rename to b'],
  )
})

test('a stored secret is named wherever its variable was read', () => {
  const here = doc(agent('a'), agent('b'))
  const places = [0, 1].map((index) => `/config/participants/${index}/config/key`)
  const after = referTo(places, 'mine').apply(here)
  assert.deepEqual(
    after.component.config.participants.map((each) => each.config.key),
    ['secret:mine', 'secret:mine'],
  )
})
