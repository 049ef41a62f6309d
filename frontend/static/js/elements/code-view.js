// @ts-check
// The only module that knows CodeMirror; loaded when an editor is first shown.
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { python } from '@codemirror/lang-python'
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language'
import { lintGutter, linter, lintKeymap } from '@codemirror/lint'
import { search, searchKeymap } from '@codemirror/search'
import { EditorState, StateEffect, StateField, Transaction } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { el, prose } from '../core/dom.js'
import { hiddenCharacters } from '../core/hidden-characters.js'
import { CODE_COLOURS } from './code-colours.js'

const colours = HighlightStyle.define(CODE_COLOURS)

const look = EditorView.theme({
  '&': {
    height: '100%',
    fontSize: 'var(--text-sm)',
    color: 'var(--color-text)',
    backgroundColor: 'var(--color-surface)',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--font-mono)',
    fontVariantLigatures: 'none',
    lineHeight: '1.6',
  },
  '.cm-content': { caretColor: 'var(--color-text)', padding: '8px 0' },
  '.cm-gutters': {
    backgroundColor: 'transparent',
    color: 'var(--color-text-muted)',
    border: 'none',
  },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 4px 0 8px', minWidth: '22px' },
  '.cm-activeLine': { backgroundColor: 'var(--color-hover)' },
  '.cm-cursor': { borderLeftColor: 'var(--color-text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground':
    { backgroundColor: 'color-mix(in oklab, var(--color-accent) 24%, transparent)' },
  '.cm-panels': {
    backgroundColor: 'var(--color-raised)',
    color: 'var(--color-text)',
    borderColor: 'var(--color-border)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--color-raised)',
    border: '1px solid var(--color-border)',
    color: 'var(--color-text)',
  },
  '.cm-gutter-lint': { width: '14px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0 2px' },
  '.cm-lint-marker': {
    content: 'normal',
    width: '8px',
    height: '8px',
    marginTop: '0.5em',
    borderRadius: '50%',
    backgroundColor: 'var(--color-danger)',
  },
  '.cm-lint-marker-warning': {
    content: 'normal',
    backgroundColor: 'var(--color-warning)',
    borderRadius: '2px',
  },
  '.cm-lintRange-error, .cm-lintRange-warning': {
    backgroundImage: 'none',
    paddingBottom: '0',
    textDecoration: 'underline wavy var(--color-danger) 1px',
  },
  '.cm-lintRange-warning': { textDecorationColor: 'var(--color-warning)' },
  '.cm-diagnostic code': { fontFamily: 'var(--font-mono)' },
  '.cm-diagnostic': { color: 'var(--color-text)', maxWidth: '60ch' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--color-danger)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--color-warning)' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--color-hover)',
    border: 'none',
    color: 'var(--color-text-muted)',
  },
})

/**
 * Chromium joins the lines that typing replaces by itself, with inline styles, which the page's
 * policy forbids.
 */
const typingOverLines = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (
      event.inputType !== 'insertText' ||
      event.data === null ||
      view.state.readOnly ||
      view.state.selection.main.empty ||
      view.composing
    )
      return false
    event.preventDefault()
    view.dispatch(view.state.replaceSelection(event.data), {
      userEvent: 'input.type',
      scrollIntoView: true,
    })
    return true
  },
})

/**
 * @typedef {{ line: number, column: number, message: string, severity?: string }} Mark  line and
 *   column from 1; columns are characters
 */

const setMarks =
  /** @type {import('@codemirror/state').StateEffectType<import('@codemirror/lint').Diagnostic[]>} */ (
    StateEffect.define()
  )

/** Result elsewhere about this text; it moves along while the text is edited. */
const marks = StateField.define({
  create: () => /** @type {import('@codemirror/lint').Diagnostic[]} */ ([]),
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setMarks)) return effect.value
    if (!transaction.docChanged) return value
    return value.map((each) => ({
      ...each,
      from: transaction.changes.mapPos(each.from),
      to: transaction.changes.mapPos(each.to),
    }))
  },
})

/**
 * Show what is wrong in the gutter and under the text.
 * @param {EditorView} view
 * @param {Mark[]} found
 */
export function mark(view, found) {
  const doc = view.state.doc
  const diagnostics = found.map(({ line, column, message, severity }) => {
    const at = doc.line(Math.min(Math.max(line, 1), doc.lines))
    const before = [...at.text].slice(0, column - 1).join('').length
    const word = /^(?:\w+|.)/u.exec(at.text.slice(before))?.[0] ?? ''
    return {
      from: at.from + before,
      to: at.from + before + word.length,
      message,
      renderMessage: () => el('span', {}, ...prose(message)),
      severity:
        severity === 'warning' ? /** @type {const} */ ('warning') : /** @type {const} */ ('error'),
    }
  })
  view.dispatch({ effects: setMarks.of(diagnostics) })
}

/**
 * Put the cursor at a place and bring it into view.
 * @param {EditorView} view
 * @param {number} line
 * @param {number} column
 */
export function reveal(view, line, column) {
  const at = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines))
  const anchor = at.from + [...at.text].slice(0, column - 1).join('').length
  view.dispatch({
    selection: { anchor },
    effects: EditorView.scrollIntoView(anchor, { y: 'center' }),
  })
  view.focus()
}

/**
 * @param {boolean} isJson
 * @param {boolean} isMarked
 */
function findings(isJson, isMarked) {
  const parse = isJson ? jsonParseLinter() : () => []
  const isNew = (/** @type {import('@codemirror/view').ViewUpdate} */ update) =>
    update.transactions.some((each) => each.effects.some((effect) => effect.is(setMarks)))
  const all = linter(
    (view) => [...(view.state.doc.length > 0 ? parse(view) : []), ...view.state.field(marks)],
    { delay: 250, needsRefresh: isNew },
  )
  return [marks, all, isMarked ? lintGutter() : [], keymap.of(lintKeymap)]
}

/**
 * What keys do to a text; what is pasted, dropped, replaced by a search or brought back by undo has
 * another name, or none.
 */
const BY_KEYS = new Set([
  'input',
  'input.type',
  'input.type.compose',
  'input.indent',
  'delete',
  'delete.backward',
  'delete.forward',
  'delete.selection',
  'delete.dedent',
  'delete.line',
  'move.line',
  'select',
])

/** @param {import('@codemirror/state').Transaction} transaction */
function isTyped(transaction) {
  return !transaction.docChanged || BY_KEYS.has(transaction.annotation(Transaction.userEvent) ?? '')
}

/**
 * @param {{ root: ShadowRoot, text: string, label: string, language: string, isReadOnly: boolean,
 *   isMarked: boolean, onChange: (text: string, isTyped: boolean) => void }} options
 * @returns {EditorView}
 */
export function makeView({ root, text, label, language, isReadOnly, isMarked, onChange }) {
  const isJson = language === 'json'
  const view = new EditorView({
    root,
    parent: /** @type {any} */ (root),
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        highlightSpecialChars({ addSpecialChars: hiddenCharacters() }),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        search({ top: true }),
        isJson ? [json(), foldGutter()] : python(),
        isReadOnly ? [] : findings(isJson, isMarked),
        syntaxHighlighting(colours),
        look,
        typingOverLines,
        isJson ? EditorView.lineWrapping : [],
        EditorState.tabSize.of(isJson ? 2 : 4),
        EditorState.readOnly.of(isReadOnly),
        EditorView.contentAttributes.of({ 'aria-label': label }),
        keymap.of([
          ...defaultKeymap,
          ...historyKeymap,
          ...foldKeymap,
          ...searchKeymap,
          indentWithTab,
        ]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged)
            onChange(update.state.doc.toString(), update.transactions.every(isTyped))
        }),
      ],
    }),
  })
  view.scrollDOM.tabIndex = 0 // long text is scrolled by keys, also where it cannot be edited
  return view
}
