// Saving as the page does it; only the server and what a browser has are stood in for.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'
import { setValue } from '../../static/js/builder/document/commands.js'
import { Editor } from '../../static/js/builder/editor.js'
import { Autosave } from '../../static/js/builder/autosave.js'
import { browserId, tabId } from '../../static/js/core/browser-tab.js'
import { agent, catalogue, document, team } from './team.mjs'

const page = new EventTarget()
Object.assign(globalThis, {
  document: Object.assign(new EventTarget(), {
    getElementById: () => null,
    querySelector: () => null,
    visibilityState: 'visible',
  }),
  addEventListener: page.addEventListener.bind(page),
})
Object.defineProperty(globalThis, 'navigator', {
  configurable: true,
  value: { userAgent: 'Chrome/1 Linux' },
})
const storage = (get) => {
  for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(globalThis, name, { configurable: true, get })
}

/** The server: each request waits until it is answered. */
let requests
let life
const asked = () => requests.map(({ body }) => body?.component.config.participants[0].config.name)
const settled = async () => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}
const answer = async (index, body, status = 200) => {
  requests[index].resolve({ ok: status < 400, status, text: async () => JSON.stringify(body) })
  await settled()
}
const stored = (index, revision) => answer(index, { ...requests[index].body, revision })

function open(settle = async () => null) {
  const editor = new Editor(document(team([agent('a')])), catalogue)
  return {
    editor,
    saver: new Autosave(editor, { id: 't', revision: 1 }, 'tab', settle, life.signal),
    name: (text) => editor.run(setValue('/config/participants/0/config/name', text)),
  }
}

beforeEach(() => {
  requests = []
  life = new AbortController()
  const kept = new Map()
  storage(() => ({
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
  }))
  mock.timers.enable({ apis: ['setTimeout'] })
  globalThis.fetch = (url, { body, method }) =>
    new Promise((resolve, reject) =>
      requests.push({ url, method, body: body && JSON.parse(body), resolve, reject }),
    )
})
afterEach(() => {
  life.abort()
  mock.timers.reset()
})

test('who asks for a save while one is under way is answered when all is stored', async () => {
  const { saver, name } = open()
  name('b')
  const first = saver.save()
  name('c')
  let isDone
  void saver.save().then((done) => {
    isDone = done
  })
  await stored(0, 2)
  assert.deepEqual([isDone, asked()], [undefined, ['b', 'c']])
  await stored(1, 3)
  assert.deepEqual([await first, isDone, saver.state], [true, true, 'saved'])
})

test('a server that is away is asked again by one timer, however many edits came', async () => {
  const { name } = open()
  const drop = async () => {
    for (const { reject } of requests) reject(new TypeError('away'))
    await settled()
  }
  const wait = async (/** @type {number} */ seconds) => {
    for (let second = 0; second < seconds; second += 1) {
      mock.timers.tick(1000)
      await settled()
      await drop()
    }
  }
  for (const text of ['b', 'c', 'd']) {
    name(text)
    await wait(3)
  }
  const before = requests.length
  await wait(20)
  assert.equal(requests.length - before, 4)
})

test('an edit made while a merge comes in is not told as saved', async () => {
  const { editor, saver, name } = open()
  name('b')
  void saver.save()
  editor.addEventListener('doc', () => name('c'), { once: true })
  const theirs = { ...requests[0].body, name: 'Their name', revision: 2 }
  await answer(0, theirs)
  assert.equal(editor.doc.name, 'Their name')
  assert.notEqual(saver.state, 'saved')
})

test('a conflict without questions, and a question that fails, leave the work here and say so', async () => {
  for (const conflicts of [[], undefined, 'strange']) {
    let isAsked = false
    const { saver, name } = open(async () => {
      isAsked = true
      return {}
    })
    name('b')
    const done = saver.save()
    await answer(
      requests.length - 1,
      { error: { code: 'merge_conflict', message: '' }, conflicts, revision: 2 },
      409,
    )
    assert.deepEqual([await done, isAsked, saver.state], [false, false, 'failed'])
  }
  const { saver, name } = open(async () => {
    throw new Error('broken dialog')
  })
  name('b')
  const done = saver.save()
  await answer(
    requests.length - 1,
    {
      error: { code: 'merge_conflict', message: '' },
      conflicts: [{ id: 'x', label: 'X' }],
      revision: 2,
    },
    409,
  )
  assert.equal(await done, false)
  await settled()
  assert.equal(saver.state, 'conflict')
})

test('another tab’s message that means nothing is passed over', async () => {
  const { saver } = open()
  for (const data of [null, 'text', {}, { revision: 'x' }])
    saver.channel.dispatchEvent(new MessageEvent('message', { data }))
  await settled()
  assert.equal(requests.length, 0)
  saver.channel.dispatchEvent(new MessageEvent('message', { data: { revision: 2 } }))
  await settled()
  assert.equal(requests.length, 1)
})

test('where the browser keeps nothing, every tab still has a name of its own', async () => {
  storage(() => {
    throw new DOMException('denied', 'SecurityError')
  })
  const [first, second] = [await tabId(), await tabId()]
  assert.match(first, /^\w{8,}$/)
  assert.notEqual(first, second)
  assert.equal(browserId(), browserId())
})
