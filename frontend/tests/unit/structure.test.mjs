import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detours } from '../../static/js/builder/canvas/links/detours.js'
import { routesBetween, shortLabel, spread } from '../../static/js/builder/canvas/links/routes.js'
import { makeScene } from '../../static/js/builder/canvas/draw/scene.js'
import {
  groupWithNext,
  joinTo,
  toggleOperator,
  ungroup,
} from '../../static/js/builder/document/conditions.js'
import { connectRefusal } from '../../static/js/builder/document/connections.js'
import { openingAt, viewOf } from '../../static/js/builder/document/views.js'
import { Catalogue } from '../../static/js/builder/document/catalogue.js'
import {
  agent,
  catalogue as shared,
  document,
  limit,
  or,
  proxy,
  team,
  TITLES,
  tool,
} from './team.mjs'

const one = (field, accepts) => ({ field, accepts, many: false, required: true })
const agentTool = (inner) => ({
  ...tool(''),
  provider: 'x.AgentTool',
  label: 'AgentTool',
  config: { agent: inner },
})
const society = (name, inner) => ({
  ...agent(name),
  provider: 'x.SocietyOfMindAgent',
  config: { name, team: inner },
})
const swarm = (...members) => ({ ...team(members), provider: 'x.Swarm' })
const and = (...conditions) => ({
  ...or(...conditions),
  provider: 'x.AndTerminationCondition',
  label: 'AndTerminationCondition',
})
const made = (template, group, slots, more = {}) => ({
  provider: template.provider,
  component_type: template.component_type,
  group,
  label: template.label,
  title: TITLES[template.label] ?? template.label,
  summary: '',
  slots,
  template,
  ...more,
})
const catalogue = new Catalogue([
  ...shared.entries.map((entry) =>
    entry.provider === 'x.AssistantAgent'
      ? { ...entry, schema: { properties: { handoffs: {} } } }
      : entry.provider === 'x.AndTerminationCondition'
        ? { ...entry, template: and() }
        : entry,
  ),
  made(agentTool(agent('a')), 'tools', [one('agent', ['agent'])]),
  made(society('s', team([])), 'agents', [one('team', ['team']), one('model_client', ['model'])]),
  made(
    swarm(),
    'teams',
    [{ field: 'participants', accepts: ['agent', 'team'], many: true, required: true }],
    { drawn_as: 'handoffs' },
  ),
])

test('what opens is a team, the team inside an agent, and an agent used as a tool', () => {
  const root = team([
    agent('lead', { tools: [agentTool(agent('helper')), tool('plain')] }),
    society('thinker', team([agent('x')])),
    team([agent('y')]),
  ])
  assert.equal(openingAt(catalogue, root, '/config/participants/0'), undefined)
  assert.equal(
    openingAt(catalogue, root, '/config/participants/0/config/tools/0'),
    '/config/participants/0/config/tools/0',
  )
  assert.equal(openingAt(catalogue, root, '/config/participants/0/config/tools/1'), undefined)
  assert.equal(
    openingAt(catalogue, root, '/config/participants/1'),
    '/config/participants/1/config/team',
  )
  assert.equal(openingAt(catalogue, root, '/config/participants/2'), '/config/participants/2')
  const { cards } = makeScene(catalogue, root, '/config/participants/0/config/tools/0')
  assert.deepEqual(
    cards.map((card) => card.name),
    ['helper'],
  )
  assert.deepEqual(
    makeScene(catalogue, root, '').cards.map((card) => card.opening?.count),
    [undefined, 1, 1],
  )
})

test('what is selected is in view where it stands as a card or as a part of one', () => {
  const root = team([
    agent('lead', { tools: [agentTool(agent('helper', { model_client: {} }))] }),
    society('thinker', team([agent('x')])),
    team([agent('y')], { termination_condition: limit(1) }),
  ])
  const seen = (pointer, shown = '') => viewOf(catalogue, root, pointer, shown)
  assert.equal(seen('/config/participants/0'), '')
  assert.equal(seen('/config/participants/0/config/tools/0'), '')
  assert.equal(
    seen('/config/participants/0/config/tools/0/config/agent'),
    '/config/participants/0/config/tools/0',
  )
  assert.equal(seen('/config/participants/1/config/team'), '/config/participants/1')
  assert.equal(
    seen('/config/participants/1/config/team/config/participants/0'),
    '/config/participants/1/config/team',
  )
  assert.equal(
    seen('/config/participants/2/config/termination_condition'),
    '/config/participants/2',
  )
  assert.equal(seen('/config/participants/2', '/config/participants/2'), '/config/participants/2')
})

test('a swarm without handoffs is drawn as one, so that they can be drawn', () => {
  const { flow, marks } = makeScene(catalogue, swarm(agent('a'), agent('b')), '')
  assert.equal(flow, 'handoffs')
  assert.deepEqual(
    marks.map(({ card, kind }) => [card, kind]),
    [[0, 'start']],
  )
})

test('handoffs to somebody outside are marked on the card', () => {
  const { marks, edges } = makeScene(
    catalogue,
    swarm(agent('a', { handoffs: ['user', 'b'] }), agent('b')),
    '',
  )
  assert.deepEqual(
    marks.filter((mark) => mark.kind === 'leaves').map(({ text, pointer }) => [text, pointer]),
    [['user', '/config/participants/0/config/handoffs/0']],
  )
  assert.deepEqual(
    edges.map((edge) => edge.pointer),
    ['/config/participants/0/config/handoffs/1'],
  )
})

test('marks tell where a graph starts and how many edges a node waits for', () => {
  const nodes = {
    a: { edges: [{ target: 'c' }] },
    b: {
      edges: [{ target: 'c' }, { target: 'c', activation_group: 'g', activation_condition: 'any' }],
    },
    c: { edges: [] },
  }
  const root = team([agent('a'), agent('b'), agent('c')], { graph: { nodes } })
  const { marks } = makeScene(catalogue, root, '')
  assert.deepEqual(
    marks.map(({ card, text }) => [card, text]),
    [
      [0, 'Start'],
      [1, 'Start'],
      [2, 'all of 2'],
    ],
  )
})

test('who cannot be connected is told why', () => {
  const root = swarm(agent('a', { handoffs: ['b'] }), agent('b'), proxy('user'))
  const why = (from, to, turned) =>
    connectRefusal(catalogue, root, '', `/config/participants/${from}`, to, turned)
  assert.equal(why(1, 'a'), '')
  assert.match(why(0, 'b'), /already/)
  assert.match(why(0, 'a'), /itself/)
  assert.match(why(2, 'a'), /does not support handoffs/)
  assert.equal(why(0, 'b', '/config/participants/0/config/handoffs/0'), '')
})

const STOP = '/config/termination_condition'
const shape = (condition) =>
  condition.config.conditions
    ? { [condition.provider.includes('Or') ? 'or' : 'and']: condition.config.conditions.map(shape) }
    : condition.config.max_messages
const ended = (condition) => document(team([], { termination_condition: condition }))
const after = (doc, command) => shape(command.apply(doc).component.config.termination_condition)

test('a condition is joined to another as a group, or beside it where the word is the same', () => {
  const doc = ended(or(limit(1), limit(2), limit(3)))
  const join = (target, word, what) =>
    after(doc, joinTo(catalogue, doc.component, `${STOP}/config/conditions/${target}`, word, what))
  const from = (index) => ({ from: `${STOP}/config/conditions/${index}` })
  assert.deepEqual(join(0, 'and', from(2)), { or: [{ and: [1, 3] }, 2] })
  assert.deepEqual(join(2, 'and', from(0)), { or: [2, { and: [3, 1] }] })
  assert.deepEqual(join(2, 'or', from(0)), { or: [2, 3, 1] })
  assert.deepEqual(join(0, 'or', from(2)), { or: [1, 3, 2] })
  assert.deepEqual(join(1, 'and', { component: limit(9) }), { or: [1, { and: [2, 9] }, 3] })
  assert.deepEqual(join(1, 'or', { component: limit(9) }), { or: [1, 2, 9, 3] })
})

test('of two joined conditions a group takes the place of both', () => {
  const doc = ended(or(limit(1), limit(2)))
  assert.deepEqual(
    after(
      doc,
      joinTo(catalogue, doc.component, `${STOP}/config/conditions/0`, 'and', {
        from: `${STOP}/config/conditions/1`,
      }),
    ),
    { and: [1, 2] },
  )
})

test('words are changed, groups are made and dissolved', () => {
  const doc = ended(or(limit(1), and(limit(2), limit(3)), limit(4)))
  assert.deepEqual(after(doc, toggleOperator(catalogue, doc.component, STOP)), {
    and: [1, { and: [2, 3] }, 4],
  })
  assert.deepEqual(
    after(doc, groupWithNext(catalogue, doc.component, `${STOP}/config/conditions/2`)),
    { or: [1, { and: [{ and: [2, 3] }, 4] }] },
  )
  assert.deepEqual(after(doc, ungroup(catalogue, doc.component, `${STOP}/config/conditions/1`)), {
    or: [1, 2, 3, 4],
  })
  assert.equal(ungroup(catalogue, doc.component, STOP), undefined)
})

const box = (x, y) => ({ x, y, width: 236, height: 100 })

test('ports keep their order, their distance and the card', () => {
  assert.deepEqual(spread([50], 0, 100), [50])
  assert.deepEqual(spread([50, 50, 50], 0, 100), [50, 66, 82])
  assert.deepEqual(spread([95, 99, 300], 0, 100), [68, 84, 100])
  assert.deepEqual(spread([10, 20, 30, 40], 0, 30), [0, 10, 20, 30])
})

/**
 * The corners of a path that runs along the axes.
 * @param {string} path
 */
const corners = (path) =>
  [...path.matchAll(/(-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) }))

test('a way between moved cards goes around what stands between them', () => {
  const boxes = [box(0, 0), box(340, 0), box(680, 0)]
  const [route] = detours([{ from: 0, to: 2, label: '' }], boxes)
  const points = corners(route.path)
  for (const { x, y } of points)
    assert.ok(!(x > 340 && x < 576 && y > 0 && y < 100), `${x} ${y} lies in the card between`)
  assert.ok(points.some(({ y }) => y < 0 || y > 100))
})

test('two ways between the same cards do not lie upon each other', () => {
  const [there, back] = detours(
    [
      { from: 0, to: 1, label: '' },
      { from: 1, to: 0, label: '' },
    ],
    [box(0, 0), box(400, 0)],
  )
  assert.notEqual(there.start.y, back.end.y)
})

test('what leads to the same card is drawn as a loop beside it', () => {
  const [layered] = routesBetween([{ from: 0, to: 0, label: 'x' }], [box(0, 0)], [[]], false)
  assert.ok(layered.label.y > 100)
  const [free] = detours([{ from: 0, to: 0, label: 'x' }], [box(0, 0)])
  assert.ok(corners(free.path).length > 3)
})

test('a way follows the lane that the layout left free, in both directions of reading', () => {
  const boxes = [box(0, 0), box(340, 0), box(680, 0)]
  const [across] = routesBetween(
    [{ from: 0, to: 2, label: '' }],
    boxes,
    [[{ x: 458, y: 160 }]],
    false,
  )
  assert.deepEqual(across.start, { x: 236, y: 86 })
  assert.match(across.path, /332 160.*584 160/)
  const upright = boxes.map(({ x, y, width, height }) => ({
    x: y,
    y: x,
    width: height,
    height: width,
  }))
  const [down] = routesBetween(
    [{ from: 0, to: 2, label: '' }],
    upright,
    [[{ x: 160, y: 458 }]],
    true,
  )
  assert.deepEqual(down.start, { x: 86, y: 236 })
})

test('long labels are cut', () => {
  assert.equal(shortLabel('short'), 'short')
  assert.equal(shortLabel('x'.repeat(50)).length, 30)
})
