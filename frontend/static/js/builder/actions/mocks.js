// @ts-check
// What test runs replace: a fixed answer for a model or a tool, an agent that takes no part.
import { ask } from '../../core/dialog.js'
import { el } from '../../core/dom.js'
import { get, parent } from '../../core/pointer.js'
import { notifyChanged } from '../actions.js'
import { mockAt, removeMock, setMock } from '../document/mocks.js'
import { pathOf } from '../document/part-paths.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../../core/actions.js').Action} Action
 * @typedef {(pointer: string) => string | undefined} OutputOf  what a model or tool gave last, in
 *   the run that is shown
 */

/**
 * @param {Editor} editor
 * @param {OutputOf} outputOf
 * @returns {Action[]}
 */
export function mockActions(editor, outputOf) {
  const kind = () => {
    const component = editor.selected.length === 1 ? editor.at(editor.selection) : undefined
    return component ? editor.catalogue.kindOf(component) : 'other'
  }
  const onPart = () =>
    kind() === 'model' || kind() === 'tool' ? true : 'Select a model or a tool to mock.'
  const onMember = () => (isMember(editor) ? true : 'Select an agent to disable.')
  const onMocked = () =>
    mockAt(editor.doc, editor.selection)
      ? true
      : 'This component is not mocked, pinned or disabled.'
  const onOutput = () =>
    onPart() === true && outputOf(editor.selection) === undefined
      ? 'There is no output yet. Run the team first.'
      : onPart()
  /** @type {Omit<Action, 'group' | 'scope'>[]} */
  const list = [
    {
      id: 'mock',
      label: 'Mock in test runs…',
      icon: 'scroll-text',
      keys: ['k'],
      menu: true,
      when: onPart,
      run: () => void askForMock(editor),
    },
    {
      id: 'pin',
      label: 'Pin last output',
      icon: 'lock',
      keys: ['p'],
      menu: true,
      when: onOutput,
      run: () => pin(editor, outputOf),
    },
    {
      id: 'disable',
      label: 'Disable in test runs',
      icon: 'ban',
      keys: ['d'],
      menu: true,
      when: onMember,
      run: () => disable(editor),
    },
    {
      id: 'unmock',
      label: 'Enable in test runs',
      icon: 'rotate-ccw',
      keys: ['shift+k'],
      menu: true,
      when: onMocked,
      run: () => remove(editor, editor.selection),
    },
  ]
  return list.map((each) => ({ ...each, needs: 'editor', group: 'Test runs', scope: 'canvas' }))
}

/** @param {Editor} editor */
function isMember(editor) {
  const component = editor.selected.length === 1 ? editor.at(editor.selection) : undefined
  const isSpeaker =
    component !== undefined && ['agent', 'team'].includes(editor.catalogue.kindOf(component))
  return isSpeaker && Array.isArray(get(editor.root, parent(editor.selection)))
}

/**
 * @param {Editor} editor
 * @param {string} pointer
 */
function remove(editor, pointer) {
  editor.run(removeMock(pathOf(editor.root, pointer), editor.titleAt(pointer)))
}

/**
 * Or use it again.
 * @param {Editor} editor
 */
function disable(editor) {
  const pointer = editor.selection
  if (mockAt(editor.doc, pointer)) remove(editor, pointer)
  else editor.run(setMock(pointer, { kind: 'disable' }, editor.titleAt(pointer)))
}

/**
 * @param {Editor} editor
 * @param {OutputOf} outputOf
 */
function pin(editor, outputOf) {
  const text = outputOf(editor.selection)
  if (text !== undefined)
    editor.run(setMock(editor.selection, { kind: 'pin', text }, editor.titleAt(editor.selection)))
}

/** @param {Editor} editor */
async function askForMock(editor) {
  const pointer = editor.selection
  const title = editor.titleAt(pointer)
  const isTool =
    editor.catalogue.kindOf(
      /** @type {import('../document/catalogue.js').Component} */ (editor.at(pointer)),
    ) === 'tool'
  const before = mockAt(editor.doc, pointer)
  const text = el('textarea', { class: 'input', id: 'mock-text', rows: '4', maxlength: '100000' })
  text.value = before?.text ?? ''
  const fails = el('input', { type: 'checkbox' })
  fails.checked = before?.is_error ?? false
  const body = el(
    'div',
    { class: 'stack' },
    el(
      'p',
      { class: 'muted' },
      isTool
        ? 'Test runs do not call the tool. The model gets this result.'
        : 'Test runs do not call the model. The agent replies with this.',
    ),
    el('label', { class: 'field-label', for: 'mock-text' }, isTool ? 'Result' : 'Reply'),
    text,
    isTool && el('label', { class: 'check' }, fails, el('span', {}, 'Fail with this error')),
  )
  const placeNow = editor.keepPlace(pointer)
  const asking = ask({
    title: `Mock ${title}`,
    body,
    choices: [
      { value: '', label: 'Cancel' },
      ...(before ? [{ value: 'remove', label: 'Remove mock' }] : []),
      { value: 'mock', label: 'Mock', tone: 'primary' },
    ],
  })
  text.focus()
  const answer = await asking
  const now = placeNow()
  if (answer === '') return
  if (now === undefined) return notifyChanged()
  if (answer === 'remove') remove(editor, now)
  else
    editor.run(
      setMock(
        now,
        { kind: 'fixed', text: text.value, ...(isTool && fails.checked ? { is_error: true } : {}) },
        title,
      ),
    )
}
