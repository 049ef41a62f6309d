// @ts-check
// The only module that knows CodeMirror; loaded when an editor is first shown.
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { python } from '@codemirror/lang-python'
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { linter } from '@codemirror/lint'
import { search, searchKeymap } from '@codemirror/search'
import { EditorState } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.variableName)], color: 'var(--kind-context)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--kind-executor)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--kind-tool)' },
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--kind-agent)' },
  { tag: [tags.function(tags.variableName), tags.className], color: 'var(--kind-model)' },
  { tag: tags.comment, color: 'var(--color-text-muted)', fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--color-danger)' },
])

const look = EditorView.theme({
  '&': { height: '100%', fontSize: 'var(--text-sm)', color: 'var(--color-text)', backgroundColor: 'var(--color-surface)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', fontVariantLigatures: 'none', lineHeight: '1.6' },
  '.cm-content': { caretColor: 'var(--color-text)', padding: '8px 0' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--color-text-muted)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 4px 0 8px', minWidth: '22px' },
  '.cm-activeLine': { backgroundColor: 'var(--color-hover)' },
  '.cm-cursor': { borderLeftColor: 'var(--color-text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'color-mix(in oklab, var(--color-accent) 24%, transparent)' },
  '.cm-panels': { backgroundColor: 'var(--color-raised)', color: 'var(--color-text)', borderColor: 'var(--color-border)' },
  '.cm-tooltip': { backgroundColor: 'var(--color-raised)', border: '1px solid var(--color-border)', color: 'var(--color-text)' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--color-hover)', border: 'none', color: 'var(--color-text-muted)' },
})

/**
 * @param {{ root: ShadowRoot, text: string, label: string, language: string, isReadOnly: boolean, onChange: (text: string) => void }} options
 * @returns {EditorView}
 */
export function makeView({ root, text, label, language, isReadOnly, onChange }) {
  const isJson = language === 'json'
  const view = new EditorView({
    root,
    parent: /** @type {any} */ (root),
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), history(), drawSelection(), indentOnInput(), bracketMatching(), highlightActiveLine(), search({ top: true }),
        isJson ? [json(), foldGutter()] : python(),
        isJson && !isReadOnly ? linter(jsonParseLinter(), { delay: 400 }) : [],
        syntaxHighlighting(colours), look, EditorView.lineWrapping, EditorState.tabSize.of(isJson ? 2 : 4), EditorState.readOnly.of(isReadOnly),
        EditorView.contentAttributes.of({ 'aria-label': label }),
        keymap.of([...defaultKeymap, ...historyKeymap, ...foldKeymap, ...searchKeymap, indentWithTab]),
        EditorView.updateListener.of((update) => { if (update.docChanged) onChange(update.state.doc.toString()) }),
      ],
    }),
  })
  view.scrollDOM.tabIndex = 0 // long text is scrolled by keys, also where it cannot be edited
  return view
}
