import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeScene } from '../../static/js/builder/canvas/draw/scene.js'
import {
  alike,
  headline,
  noTeam,
  sorted,
  wrapInTeam,
} from '../../static/js/builder/document/findings.js'
import { agent, catalogue, document, limit, or, team } from './team.mjs'

const NOTHING = { errors: [], warnings: [], parts: [], needs: [], capabilities: [] }

test('a condition that stands alone shows all that it is made of', () => {
  const { condition, conditionSlot, kind } = makeScene(
    catalogue,
    or(or(limit(1), limit(2)), limit(3)),
    '',
  )
  assert.deepEqual(
    [kind, condition.pointer, condition.word, conditionSlot],
    ['termination', '', 'or', '/config/conditions'],
  )
  assert.deepEqual(
    condition.parts.map((each) => each.parts.length),
    [2, 0],
  )
  const alone = makeScene(catalogue, limit(3), '')
  assert.deepEqual([alone.condition.text, alone.conditionSlot], ['max message 3', ''])
})

test('what is no team says so instead of being ready', () => {
  const doc = document(or(limit(1)))
  assert.equal(
    noTeam(doc),
    'This is a termination condition, not a team: it can be tried alone, or used in a team.',
  )
  assert.equal(headline(sorted(NOTHING, doc), true).text, 'Not a team')
  assert.match(noTeam(document(agent('a'))), /^This is an agent, not a team/)
  assert.equal(noTeam(document(team([]))), '')
  assert.equal(headline(sorted(NOTHING, document(team([]))), true).text, 'Ready')
})

test('an agent is put into a team as its only member', () => {
  const wrapped = wrapInTeam(team([])).apply(document(agent('a')))
  assert.deepEqual(wrapped.component, team([agent('a')]))
  assert.equal(noTeam(wrapped), '')
})

test('only members that speak in order have numbers', () => {
  assert.equal(makeScene(catalogue, team([agent('a')]), '').isNumbered, true)
  assert.equal(makeScene(catalogue, agent('a'), '').isNumbered, false)
})

test('equal warnings on many places is one group', () => {
  const of = (where, message) => ({ code: 'x', message, fix: '', where })
  const findings = [of('/a', 'one'), of('/b', 'two'), of('/c', 'one')]
  assert.deepEqual(alike(findings), [[findings[0], findings[2]], [findings[1]]])
})
