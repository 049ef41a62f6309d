import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problems } from '../../static/js/builder/document/findings.js'
import { exactFirst } from '../../static/js/builder/panels/component-picker.js'
import { follow } from '../../static/js/builder/panels/json-tab.js'
import { currentPointer } from '../../static/js/builder/document/pointer-tracking.js'
import { agent, team } from './team.mjs'

test('a part without an engine here is a problem, not a note', () => {
  const root = team([{ provider: 'acme.Swarm', component_type: 'team', config: {} }])
  const report = {
    errors: [],
    parts: [
      { where: '', status: 'loaded' },
      { where: '/config/participants/0', status: 'opaque' },
    ],
  }
  const [found, ...more] = problems(report, { component: root })
  assert.deepEqual(
    [found.message, found.where, more.length],
    ['`acme.Swarm` cannot run: no installed package provides it.', '/config/participants/0', 0],
  )
})

test('Enter in a search takes the very name that was typed, else the first found', () => {
  assert.equal(exactFirst(['Azure OpenAI', 'OpenAI'], 'openai '), 1)
  assert.equal(exactFirst(['Azure OpenAI', 'OpenAI'], 'azure'), 0)
  assert.equal(exactFirst([], 'azure'), 0)
})

test('a draft follows its component to another place and goes when it is removed', () => {
  const [a, b] = [agent('a'), agent('b')]
  const drafts = new Map([['/config/participants/1', { text: '{', problem: '', base: b }]])
  const [first, second, third] = [team([a, b]), team([b, a]), team([])]
  follow(drafts, second, (pointer) => currentPointer(first, second, pointer))
  assert.deepEqual([...drafts.keys()], ['/config/participants/0'])
  follow(drafts, third, (pointer) => currentPointer(second, third, pointer))
  assert.equal(drafts.size, 0)
})
