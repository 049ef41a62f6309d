// The history that outlives the page; a browser's database is stood in for by one in memory that
// can be made to fail.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setValue } from '../../static/js/builder/document/commands.js'
import { Editor } from '../../static/js/builder/editor.js'
import { persistHistory } from '../../static/js/builder/history-storage.js'
import { Journal } from '../../static/js/core/journal.js'
import { agent, catalogue, document, team } from './team.mjs'

const page = new EventTarget()
Object.assign(globalThis, {
  document: { getElementById: () => null },
  addEventListener: page.addEventListener.bind(page),
})
Object.defineProperty(globalThis, 'navigator', { configurable: true, value: {} })
globalThis.IDBKeyRange = { bound: (low, high, isOpen = false) => ({ low, high, isOpen }) }

const settled = () => new Promise((resolve) => setImmediate(resolve))
const request = (result) => {
  const asked = { result }
  queueMicrotask(() => asked.onsuccess?.())
  return asked
}

/** @param {{ throws?: boolean, aborts?: boolean }} faults  which may be set later */
function memory(faults = {}) {
  const heads = new Map()
  const rows = new Map()
  const within = ({ low, high, isOpen }) =>
    [...rows].filter(
      ([, { at }]) =>
        at[0] === low[0] && (isOpen ? at[1] > low[1] : at[1] >= low[1]) && at[1] <= high[1],
    )
  const stores = {
    heads: {
      put: (head) => heads.set(head.key, head),
      get: (key) => request(heads.get(key)),
      delete: (key) => heads.delete(key),
      index: () => ({
        getAll: (group) => request([...heads.values()].filter((each) => each.group === group)),
      }),
    },
    rows: {
      put: (row, at) => rows.set(at.join(), { at, row }),
      delete: (range) => {
        for (const [key] of within(range)) rows.delete(key)
      },
      getAll: (range) => request(within(range).map(([, { row }]) => row)),
    },
  }
  const transaction = () => {
    if (faults.throws) throw new DOMException('The connection is closed.', 'InvalidStateError')
    const work = {
      error: faults.aborts ? new DOMException('full', 'QuotaExceededError') : null,
      objectStore: (name) => stores[name],
      commit: () => queueMicrotask(() => (faults.aborts ? work.onabort?.() : work.oncomplete?.())),
    }
    return work
  }
  return { transaction, heads, rows }
}

function open(database) {
  const editor = new Editor(document(team([agent('a')])), catalogue)
  const saver = Object.assign(new EventTarget(), {
    id: 't',
    tab: 'here',
    revision: 1,
    state: 'saved',
    resume() {},
    refresh: async () => {},
  })
  const offered = []
  const name = (text) => {
    saver.state = 'dirty'
    editor.run(setValue('/config/participants/0/config/name', text))
  }
  const start = () =>
    persistHistory(
      new Journal(database),
      editor,
      saver,
      async (draft) => {
        offered.push(draft)
        return 'drop'
      },
      new AbortController().signal,
    )
  return { editor, saver, name, start, offered }
}
const leaves = () => page.dispatchEvent(new Event('beforeunload', { cancelable: true }))

test('a page goes on with the history of the page before', async () => {
  const database = memory()
  const before = open(database)
  await before.start()
  before.name('b')
  await settled()
  const after = open(database)
  await after.start()
  assert.equal(after.editor.root.config.participants[0].config.name, 'b')
  after.editor.undo()
  assert.equal(after.editor.root.config.participants[0].config.name, 'a')
})

test('a history that is damaged does not keep the team from opening', async () => {
  for (const damage of [
    (row) => ({ ...row, patch: { r: [{ i: 7, p: { o: [], d: [], a: [] } }], s: 0, e: 0 } }),
    () => ({ label: '', selection: null, patch: { v: null } }),
    () => null,
  ]) {
    const database = memory()
    const before = open(database)
    await before.start()
    before.name('b')
    await settled()
    const kept = database.rows.get('t here,1')
    kept.row = damage(kept.row)
    const after = open(database)
    await after.start()
    await settled()
    assert.equal(after.editor.root.config.participants[0].config.name, 'a')
    assert.equal(database.rows.size, 1, 'what is damaged is written over')
  }
})

test('a damaged draft of another tab is dropped, and the one before it offered', async () => {
  const database = memory()
  for (const [tab, at] of [
    ['good', 1],
    ['bad', 2],
  ]) {
    database.heads.set(`t ${tab}`, {
      key: `t ${tab}`,
      group: 't',
      tab,
      at,
      position: 0,
      length: 0,
      isDirty: true,
      revision: 1,
    })
    database.rows.set(`t ${tab},0`, {
      at: [`t ${tab}`, 0],
      row: tab === 'good' ? document(team([agent('draft')])) : { strange: true },
    })
  }
  const { start, offered } = open(database)
  await start()
  await settled()
  assert.deepEqual(
    offered.map((draft) => draft.component.config.participants[0].config.name),
    ['draft'],
  )
  assert.deepEqual([...database.heads.keys()], ['t here'])
})

test('where nothing can be kept any more, leaving with unsaved work is warned of', async () => {
  for (const fault of ['throws', 'aborts']) {
    const faults = {}
    const { start, name, saver } = open(memory(faults))
    await start()
    await settled()
    name('b')
    await settled()
    assert.equal(leaves(), true, 'it is kept, so nobody needs to be asked')
    faults[fault] = true
    name('c')
    await settled()
    assert.equal(leaves(), false, fault)
    saver.state = 'saved'
    assert.equal(leaves(), true)
  }
})

test('after a failure all of the history is written again', async () => {
  const faults = {}
  const database = memory(faults)
  const before = open(database)
  await before.start()
  await settled()
  faults.throws = true
  before.name('b')
  await settled()
  faults.throws = false
  before.name('c')
  await settled()
  const after = open(database)
  await after.start()
  assert.equal(after.editor.root.config.participants[0].config.name, 'c')
})
