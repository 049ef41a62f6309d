import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Actions, disabledReason } from '../../static/js/core/actions.js'
import { keysLabel } from '../../static/js/core/shortcuts.js'

const action = (id, more = {}) => ({
  id,
  label: id,
  group: 'Edit',
  scope: 'page',
  run: () => undefined,
  ...more,
})

/** A stand-in for an element that hears keys. */
const surface = () => Object.assign(new EventTarget(), {})

function press(target, key, more = {}) {
  const event = new KeyboardEvent('keydown', { key, ...more })
  target.dispatchEvent(event)
  return event
}

globalThis.document ??= { querySelector: () => null }
globalThis.HTMLElement ??= class {}
globalThis.KeyboardEvent ??= class extends Event {
  constructor(type, { key, ctrlKey = false, altKey = false, shiftKey = false }) {
    super(type, { cancelable: true })
    Object.assign(this, { key, ctrlKey, altKey, shiftKey, metaKey: false, isComposing: false })
  }
}

test('an action that cannot be done says why and does nothing', () => {
  const said = []
  const actions = new Actions((reason) => said.push(reason))
  actions.add([action('undo', { when: () => 'Nothing to undo.', run: () => said.push('ran') })])
  actions.run('undo')
  assert.deepEqual(said, ['Nothing to undo.'])
})

test('an action without a condition can always be done', () => {
  assert.equal(disabledReason(action('save')), '')
  assert.equal(disabledReason(action('save', { when: () => true })), '')
})

test('two actions cannot have the same name', () => {
  const actions = new Actions()
  actions.add([action('save')])
  assert.throws(() => actions.add([action('save')]), /Two actions/)
})

test('a key means one thing in its scope', () => {
  const actions = new Actions()
  actions.add([
    action('copy', { keys: ['mod+c'] }),
    action('compare', { keys: ['mod+c'], scope: 'canvas' }),
  ])
  assert.throws(() => actions.add([action('close', { keys: ['x', 'mod+c'] })]), /copy and close/)
})

test('a key is heard where its scope is bound, also of an action that is added later', () => {
  const done = []
  const actions = new Actions()
  const [page, canvas] = [surface(), surface()]
  actions.bind(page, 'page')
  actions.bind(canvas, 'canvas')
  actions.add([
    action('save', { keys: ['mod+s'], run: () => void done.push('save') }),
    action('add', { keys: ['a', 'insert'], scope: 'canvas', run: () => void done.push('add') }),
  ])
  assert.equal(press(page, 's', { ctrlKey: true }).defaultPrevented, true)
  press(page, 'a')
  press(canvas, 'a')
  press(canvas, 'Insert')
  assert.deepEqual(done, ['save', 'add', 'add'])
})

test('a key that an action declines goes on', () => {
  const actions = new Actions()
  const page = surface()
  actions.bind(page, 'page')
  actions.add([action('copy', { keys: ['mod+c'], run: () => false })])
  assert.equal(press(page, 'c', { ctrlKey: true }).defaultPrevented, false)
})

test('keys are written for people', () => {
  assert.deepEqual(['mod+shift+z', 'alt+arrowup', '+', 'delete', 'contextmenu'].map(keysLabel), [
    'Ctrl+Shift+Z',
    'Alt+↑',
    '+',
    'Del',
    'Menu',
  ])
})
