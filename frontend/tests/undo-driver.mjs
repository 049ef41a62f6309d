// Runs the builder's commands over documents that come in as JSON lines, and answers with what the
// history says. One line: {catalogue} first, then {document, steps: [[name, ...numbers]]}; numbers
// choose among what there is.
import { createInterface } from 'node:readline'
import { Catalogue, isComponent } from '../static/js/builder/document/catalogue.js'
import * as alike from '../static/js/builder/document/shared-fields.js'
import * as bulk from '../static/js/builder/document/bulk.js'
import * as clipboard from '../static/js/builder/document/clipboard.js'
import * as commands from '../static/js/builder/document/commands.js'
import * as conditions from '../static/js/builder/document/conditions.js'
import * as connections from '../static/js/builder/document/connections.js'
import * as annotations from '../static/js/builder/document/annotations.js'
import * as mocks from '../static/js/builder/document/mocks.js'
import * as models from '../static/js/builder/document/models.js'
import * as findings from '../static/js/builder/document/findings.js'
import * as imported from '../static/js/builder/document/import-findings.js'
import * as pins from '../static/js/builder/document/pins.js'
import { targetsNear } from '../static/js/builder/document/slot-targets.js'
import { docAt, historyOf, lengthOf, linkTo } from '../static/js/core/history-chain.js'
import { get, join } from '../static/js/core/pointer.js'
import { Store } from '../static/js/core/store.js'

const VALUES = [
  '',
  'text',
  'two\nlines',
  0,
  1,
  2.5,
  true,
  false,
  null,
  [],
  ['writer'],
  {},
  { a: 1 },
]
const NAMES = ['writer', 'critic', 'a', 'b_2', '']

const listIn = (value) => (Array.isArray(value) ? value : [])

/** What the document offers to choose from, each by a number. */
function offers(catalogue, doc, numbers) {
  let next = 0
  const choose = (list) => list[(numbers[next++] ?? 0) % Math.max(1, list.length)]
  const parts = [...catalogue.walk(doc.component)].map((each) => each.pointer)
  const inner = parts.filter((each) => each !== '')
  const fields = parts.flatMap((each) =>
    Object.keys(get(doc.component, each)?.config ?? {}).map((key) => join(each, 'config', key)),
  )
  const lists = fields.filter((each) => Array.isArray(get(doc.component, each)))
  const maps = fields.filter((each) => {
    const value = get(doc.component, each)
    return (
      typeof value === 'object' && value !== null && !isComponent(value) && !Array.isArray(value)
    )
  })
  const entries = lists.flatMap((each) =>
    get(doc.component, each).map((_entry, index) => join(each, index)),
  )
  const keys = maps.flatMap((each) =>
    Object.keys(get(doc.component, each)).map((key) => join(each, key)),
  )
  const teams = parts.filter((each) =>
    Array.isArray(get(doc.component, each)?.config?.participants),
  )
  const edges = teams.flatMap((each) =>
    Object.entries(get(doc.component, each).config.graph?.nodes ?? {}).flatMap(([name, node]) =>
      listIn(node?.edges).map((_edge, index) =>
        join(each, 'config', 'graph', 'nodes', name, 'edges', index),
      ),
    ),
  )
  const handoffs = inner.flatMap((each) =>
    listIn(get(doc.component, each).config?.handoffs).map((_handoff, index) =>
      join(each, 'config', 'handoffs', index),
    ),
  )
  const members = teams.flatMap((each) =>
    get(doc.component, each).config.participants.map((_member, index) =>
      join(each, 'config', 'participants', index),
    ),
  )
  const conditions = inner.filter(
    (each) => catalogue.kindOf(get(doc.component, each)) === 'termination',
  )
  const some = (list) => [choose(list), choose(list)].filter((each) => each !== undefined)
  const fresh = () => structuredClone(choose(catalogue.entries).template)
  return {
    choose,
    some,
    fresh,
    parts,
    inner,
    fields,
    lists,
    entries,
    keys,
    teams,
    links: [...edges, ...handoffs],
    edges,
    members,
    conditions,
    value: () => choose(VALUES),
    name: () => choose(NAMES),
    index: () => numbers[next++] ?? 0,
    nameOf: (pointer) => get(doc.component, pointer ?? '/none')?.config?.name ?? 'nobody',
  }
}

const modelTemplate = (o, catalogue) =>
  structuredClone(
    o.choose(catalogue.entries.filter((each) => catalogue.kindOf(each.template) === 'model'))
      .template,
  )

/**
 * Every command there is, with arguments from what is offered; null where the document has no place
 * for it.
 */
const MAKERS = {
  setValue: (o) => commands.setValue(o.choose(o.fields), o.value()),
  nameTeam: (o) => commands.nameTeam(o.name() || 'team'),
  renameAgent: (o) => o.members.length > 0 && commands.renameAgent(o.choose(o.members), o.name()),
  addComponent: (o, catalogue, doc) => {
    const part = o.fresh()
    return o.choose(targetsNear(catalogue, doc.component, part, o.choose(o.parts)))?.command
  },
  addToEach: (o) => commands.addToEach(o.some(o.inner), o.fresh()),
  replaceComponent: (o) => commands.replaceComponent(o.choose(o.inner), o.fresh()),
  removeAt: (o) => commands.removeAt(o.choose([...o.inner, ...o.entries, ...o.keys]), 'it'),
  reorder: (o) => o.entries.length > 0 && commands.reorder(o.choose(o.entries), o.index() % 4),
  moveTo: (o) => o.lists.length > 0 && commands.moveTo(o.choose(o.inner), o.choose(o.lists), true),
  applyToAll: (o) =>
    o.members.length > 1 &&
    alike.applyToAll(
      commands.setValue(join(o.members[0], 'config', 'description'), o.value()),
      o.members[0],
      o.members.slice(1, 2),
    ),
  inOneStep: (o) =>
    o.members.length > 0 &&
    commands.inOneStep('Both', [
      commands.renameAgent(o.choose(o.members), o.name()),
      commands.removeAt(o.choose(o.members), 'it'),
    ]),
  addEntry: (o) =>
    o.lists.length > 0 && commands.addEntry(o.choose(o.lists), o.value(), o.index() % 4),
  clearValue: (o) => o.fields.length > 0 && commands.clearValue(o.choose(o.fields)),
  combine: (o, catalogue) =>
    commands.combine(
      o.choose(o.inner),
      structuredClone(
        catalogue.entries.find((each) => each.provider.endsWith('OrTerminationCondition')).template,
      ),
      o.fresh(),
    ),
  renameEntry: (o) => o.keys.length > 0 && commands.renameEntry(o.choose(o.keys), o.name()),
  removeMany: (o, catalogue, doc) => bulk.removeMany(catalogue, doc.component, o.some(o.inner)),
  moveBlock: (o) =>
    o.members.length > 0 &&
    bulk.moveBlock(
      o
        .some(o.members)
        .filter((each, _index, all) => each.replace(/\d+$/, '') === all[0].replace(/\d+$/, '')),
      o.index() % 4,
    ),
  moveManyTo: (o, _catalogue, doc) =>
    o.lists.length > 0 && bulk.moveManyTo(doc.component, o.some(o.inner), o.choose(o.lists)),
  pasteCommand: (o, catalogue, doc) =>
    clipboard.pasteCommand(
      catalogue,
      doc.component,
      clipboard.packed(catalogue, doc, o.some(o.inner)),
      o.choose(o.parts),
      { isLinked: o.index() % 2 === 0 },
    ).command,
  duplicateCommand: (o, catalogue, doc) =>
    o.members.length > 0 && clipboard.duplicateCommand(catalogue, doc, o.some(o.members)),
  connect: (o) =>
    o.teams.length > 0 &&
    o.members.length > 0 &&
    connections.connect(o.choose(o.teams), o.choose(o.members), o.nameOf(o.choose(o.members))),
  connectNew: (o) => {
    const team = o.choose(o.teams)
    return (
      team !== undefined &&
      o.members.length > 0 &&
      connections.connectNew(
        team,
        o.choose(o.members),
        join(team, 'config', 'participants'),
        o.fresh(),
      )
    )
  },
  disconnect: (o) => o.links.length > 0 && connections.disconnect(o.choose(o.links)),
  disconnectAll: (o) => o.links.length > 0 && connections.disconnectAll(o.some(o.links)),
  turn: (o) =>
    o.links.length > 0 && connections.turn(o.choose(o.links), o.nameOf(o.choose(o.members))),
  turnStart: (o) =>
    o.links.length > 0 &&
    o.members.length > 0 &&
    connections.turnStart(o.choose(o.links), o.choose(o.members)),
  startWith: (o) =>
    o.teams.length > 0 && connections.startWith(o.choose(o.teams), o.nameOf(o.choose(o.members))),
  waitFor: (o) =>
    o.teams.length > 0 &&
    connections.waitFor(
      o.choose(o.teams),
      o.nameOf(o.choose(o.members)),
      o.nameOf(o.choose(o.members)),
      o.index() % 2 ? 'any' : 'all',
    ),
  removeBridged: (o) => o.members.length > 0 && connections.removeBridged(o.choose(o.members)),
  dismiss: (o) =>
    findings.dismiss({ code: 'warning', message: '', fix: '', where: o.choose(o.fields) }),
  showAgain: (o) =>
    findings.showAgain({ code: 'warning', message: '', fix: '', where: o.choose(o.fields) }),
  applyFix: (o) =>
    findings.applyFix({ label: 'Fix', pointer: o.choose(o.fields), value: o.value() }),
  referTo: (o) => findings.referTo(o.some(o.fields), 'KEY'),
  pinMany: (o, _catalogue, doc) =>
    pins.pinMany(
      doc.component,
      o.some(o.inner).map((pointer) => ({ pointer, at: { x: o.index(), y: 0 } })),
      'Move',
      o.index() % 2 ? 'nudge' : undefined,
    ),
  tidy: (o) => o.teams.length > 0 && pins.tidy(o.choose(o.teams)),
  joinTo: (o, catalogue, doc) =>
    o.conditions.length > 0 &&
    conditions.joinTo(
      catalogue,
      doc.component,
      o.choose(o.conditions),
      o.index() % 2 ? 'and' : 'or',
      o.index() % 2 ? { from: o.choose(o.conditions) } : { component: o.fresh() },
    ),
  toggleOperator: (o, catalogue, doc) =>
    o.conditions.length > 0 &&
    conditions.toggleOperator(catalogue, doc.component, o.choose(o.conditions)),
  groupWithNext: (o, catalogue, doc) =>
    o.conditions.length > 0 &&
    conditions.groupWithNext(catalogue, doc.component, o.choose(o.conditions)),
  ungroup: (o, catalogue, doc) =>
    o.conditions.length > 0 && conditions.ungroup(catalogue, doc.component, o.choose(o.conditions)),
  useForAll: (o, catalogue, doc) =>
    models.useForAll(catalogue, doc.component, modelTemplate(o, catalogue)),
  replaceEverywhere: (o, catalogue, doc) => {
    const old = o.choose(models.modelsInTeam(catalogue, doc.component))
    return (
      old !== undefined &&
      models.replaceEverywhere(catalogue, doc.component, old.component, modelTemplate(o, catalogue))
    )
  },
  putAt: (o, catalogue, doc) =>
    models.putAt(
      'Choose',
      o.some(models.modelPlaces(catalogue, doc.component)).map((each) => each.slot),
      modelTemplate(o, catalogue),
    ),
  addNote: (o, _catalogue, doc) =>
    o.teams.length > 0 &&
    annotations.addNote(doc.component, o.choose(o.teams), { x: o.index(), y: 0 }, `n${o.index()}`),
  changeNote: (o, _catalogue, doc) => {
    const [id] = Object.keys(doc.layout.notes ?? {})
    return (
      id !== undefined &&
      annotations.changeNote(id, o.index() % 2 ? { text: o.name() } : { x: o.index() })
    )
  },
  removeNote: (_o, _catalogue, doc) => {
    const [id] = Object.keys(doc.layout.notes ?? {})
    return id !== undefined && annotations.removeNote(id)
  },
  groupParts: (o, _catalogue, doc) =>
    o.members.length > 0 &&
    annotations.groupParts(doc.component, o.some(o.members), o.name(), `g${o.index()}`),
  removeGroup: (_o, _catalogue, doc) => {
    const [id] = Object.keys(doc.layout.groups ?? {})
    return id !== undefined && annotations.removeGroup(id)
  },
  setMock: (o) => {
    const part = o.choose(o.inner)
    return (
      part !== undefined &&
      mocks.setMock(
        part,
        o.index() % 2 ? { kind: 'fixed', text: o.name() } : { kind: 'disable' },
        'it',
      )
    )
  },
  removeMock: (_o, _catalogue, doc) => {
    const [place] = Object.keys(doc.layout.mocks ?? {})
    return place !== undefined && mocks.removeMock(place, 'it')
  },
  markSeen: (_o, _catalogue, doc) => {
    const [unseen] = imported.unseenIn(doc)
    return unseen !== undefined && imported.markSeen(doc.component, unseen.pointer, 'it')
  },
  markAllSeen: (_o, _catalogue, doc) => imported.unseenIn(doc).length > 0 && imported.markAllSeen(),
  wrapInTeam: (_o, catalogue) =>
    findings.wrapInTeam(
      structuredClone(
        catalogue.entries.find((each) => each.provider.endsWith('RoundRobinGroupChat')).template,
      ),
    ),
  replaceAll: (o) => ({
    label: 'Restore',
    apply: (doc) => structuredClone({ ...doc, name: o.name() }),
  }),
}

/** All documents of the history as text, the first first. */
const texts = (store) =>
  Array.from({ length: lengthOf(store) }, (_, index) => JSON.stringify(docAt(store, index)))

function play(catalogue, document, steps) {
  let now = 0
  const store = new Store(structuredClone(document), () => now)
  const first = JSON.stringify(store.doc)
  const done = []
  const crashes = []
  for (const [name, ...numbers] of steps) {
    now += (numbers[0] ?? 0) % 3 === 0 ? 5000 : 100
    if (name === 'undo') store.undo()
    else if (name === 'redo') store.redo()
    else {
      const before = JSON.stringify(store.doc)
      try {
        const command = MAKERS[name](offers(catalogue, store.doc, numbers), catalogue, store.doc)
        if (command && store.run(command)) done.push(name)
      } catch (error) {
        // A document that is wrong may be beyond a command; then it must be left as it was.
        crashes.push(`${name}: ${error.stack}`)
        if (JSON.stringify(store.doc) !== before) throw error
      }
    }
  }
  while (store.future.length > 0) store.redo()
  const history = texts(store)
  const walked = { back: [], forth: [] }
  while (store.past.length > 0) {
    store.undo()
    walked.back.unshift(JSON.stringify(store.doc))
  }
  const undone = JSON.stringify(store.doc)
  while (store.future.length > 0) {
    store.redo()
    walked.forth.push(JSON.stringify(store.doc))
  }
  const links = JSON.parse(
    JSON.stringify(
      Array.from({ length: lengthOf(store) - 1 }, (_, index) => linkTo(store, index + 1)),
    ),
  )
  const again = new Store(null)
  again.load(historyOf(JSON.parse(first), links, links.length))
  return {
    first,
    undone,
    last: history.at(-1),
    redone: JSON.stringify(store.doc),
    steps: history.length - 1,
    done,
    crashes,
    isSameBack: JSON.stringify(walked.back) === JSON.stringify(history.slice(0, -1)),
    isSameForth: JSON.stringify(walked.forth) === JSON.stringify(history.slice(1)),
    isSameKept: JSON.stringify(texts(again)) === JSON.stringify(history),
  }
}

const say = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`)

let catalogue
for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line)
  if (asked.catalogue) {
    catalogue = new Catalogue(asked.catalogue)
    say({ commands: Object.keys(MAKERS) })
    continue
  }
  try {
    say(play(catalogue, asked.document, asked.steps))
  } catch (error) {
    say({ error: error.stack })
  }
}
