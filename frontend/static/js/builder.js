// @ts-check
// The builder page: makes the parts and ties them to the one editor.
import './elements/json-code.js'
import { api } from './core/api.js'
import { find, on } from './core/dom.js'
import { toastError } from './core/toast.js'
import { Actions } from './core/actions.js'
import { keepEarlyPress } from './core/early-press.js'
import { Journal } from './core/journal.js'
import { recoverFocus } from './core/focus-recovery.js'
import { can } from './core/permissions.js'
import { fillSlot } from './builder/actions.js'
import { syncUrl } from './builder/url-state.js'
import { arrangeActions } from './builder/actions/arrange.js'
import { conditionActions } from './builder/actions/conditions.js'
import { connectActions, connectSomewhere } from './builder/actions/connect.js'
import { editActions } from './builder/actions/edit.js'
import { importFindingActions } from './builder/actions/import-findings.js'
import { annotationActions } from './builder/actions/annotations.js'
import { mockActions } from './builder/actions/mocks.js'
import { modelActions } from './builder/actions/models.js'
import { pageActions } from './builder/actions/page.js'
import { viewActions } from './builder/actions/view.js'
import { addOnGround } from './builder/canvas/gestures/add-at-pointer.js'
import { Canvas } from './builder/canvas/canvas.js'
import { Clipboard } from './builder/clipboard.js'
import { Catalogue } from './builder/document/catalogue.js'
import { checklist } from './builder/panels/checklist/checklist.js'
import { nameTeam } from './builder/document/commands.js'
import { pinsIn } from './builder/document/pins.js'
import { paletteActions } from './builder/panels/command-palette.js'
import { contextMenu } from './builder/panels/context-menu.js'
import { KeyboardNavigation } from './builder/canvas/gestures/keyboard-navigation.js'
import { bindDrag } from './builder/canvas/gestures/drag.js'
import { bindConnect } from './builder/canvas/gestures/connect.js'
import { structure } from './builder/canvas/draw/structure.js'
import { Editor } from './builder/editor.js'
import { formActions } from './builder/panels/form/type-switch.js'
import { formTab } from './builder/panels/form/form-tab.js'
import { persistHistory } from './builder/history-storage.js'
import { inspector } from './builder/panels/inspector.js'
import { jsonTab } from './builder/panels/json-tab.js'
import { bindKeyboard, explainDisabled } from './core/keyboard.js'
import { marquee } from './builder/canvas/gestures/marquee.js'
import { Annotations } from './builder/canvas/draw/annotations.js'
import { importMarks } from './builder/canvas/draw/import-marks.js'
import { mockMarks } from './builder/canvas/draw/mock-marks.js'
import { minimap } from './builder/canvas/draw/minimap.js'
import { selectionBar } from './builder/canvas/draw/selection-bar.js'
import { otherWindows } from './builder/other-windows.js'
import { outline } from './builder/panels/outline.js'
import { offerOf, palette } from './builder/panels/palette.js'
import { exportActions } from './builder/panels/export-dialog.js'
import { pythonTab } from './builder/panels/python-tab.js'
import { runPanel } from './builder/panels/run/panel.js'
import { tryTab } from './builder/panels/try/tab.js'
import { Autosave } from './builder/autosave.js'
import { header, narrowTabs } from './builder/panels/header.js'
import { validation } from './builder/validation.js'
import { emptyStates } from './builder/panels/empty-states.js'
import { firstStepsStrip } from './builder/panels/first-steps.js'
import { draftOffer } from './builder/panels/diff.js'
import { askToMerge } from './builder/panels/merge-dialog.js'
import { exampleAction } from './playground/examples/edit-examples.js'
import { splitters } from './builder/panels/splitters.js'
import { limitsActions } from './builder/panels/limits-dialog.js'
import { publishActions } from './builder/panels/publish-dialog.js'
import { versionActions, versions } from './builder/panels/versions.js'
import { tabId } from './core/browser-tab.js'
import { tabs } from './core/tabs.js'

/** @param {HTMLElement} root */
async function start(root) {
  const id = root.dataset['teamId'] ?? ''
  const [team, entries, models] = await Promise.all([
    api.get(`/api/teams/${encodeURIComponent(id)}`),
    api.get('/api/components'),
    api.get('/api/connections'),
  ])
  const signal = new AbortController().signal
  const editor = new Editor(
    { name: team.name, component: team.component, layout: team.layout ?? {} },
    new Catalogue(entries),
  )
  if (!can('editor')) editor.whyNot = 'Changing a team needs the editor role.'
  const saver = new Autosave(editor, team, await tabId(), askToMerge, signal)
  await persistHistory(await Journal.open(), editor, saver, draftOffer(editor), signal)
  syncUrl(editor, signal)
  const canvas = new Canvas(find('[data-canvas]', root), editor, signal)
  minimap(find('[data-minimap]', root), canvas, signal)
  inspector(find('[data-inspector]', root), editor, signal)
  formTab(find('#panel-form', root), editor, signal)
  jsonTab(find('#panel-json', root), find('[data-json-draft]', root), editor, id, signal)
  pythonTab(find('#panel-python', root), find('[data-python-draft]', root), editor, id, signal)
  palette(find('#panel-palette', root), editor, models, signal)
  const tree = outline(find('[data-outline]', root), editor, signal)
  const chooseSide = tabs(find('[data-side]', root), signal)
  checklist(find('[data-checklist]', root), find('#checklist', root), editor, signal)
  header(root, editor, saver, signal)
  versions(root, editor, saver, signal)
  bindDrag(root, editor, canvas, (button) => offerOf(editor, button), signal)
  bindConnect(canvas, editor, (card) => void connectSomewhere(editor, canvas, card), signal)
  structure(canvas, editor, signal)
  mockMarks(canvas, editor, signal)
  importMarks(canvas, editor, signal)
  const annotations = new Annotations(canvas, editor, signal)
  if (!can('editor')) chooseSide(find('#tab-outline', root))
  const showNarrow = narrowTabs(root, editor, chooseSide, () => void canvas.draw(), signal)
  const panels = splitters(root, editor, signal)
  const search = () => {
    panels.unfold('side')
    chooseSide(find('#tab-palette', root))
    find('#panel-palette input[type=search]', root).focus()
  }
  const roving = new KeyboardNavigation(canvas, editor, signal)
  const clipboard = new Clipboard(editor, signal)
  const actions = new Actions(explainDisabled)
  actions.add([
    ...editActions(editor, clipboard),
    ...arrangeActions(editor, canvas),
    ...connectActions(editor, canvas),
    ...modelActions(editor),
    ...conditionActions(editor),
    ...viewActions(canvas, roving),
    ...pageActions(editor, saver, search),
    ...formActions(find('#panel-form', root), editor),
  ])
  const surfaces = [canvas.root, find('[data-outline]', root)]
  const goTo = (/** @type {string} */ pointer) => {
    editor.select(pointer)
    if (roving.focus(pointer) || tree.focus(pointer)) return
    panels.unfold('inspector')
    find('#panel-form', root).focus()
  }
  actions.add([
    ...paletteActions(editor, actions, goTo),
    ...contextMenu(surfaces, editor, actions, signal),
  ])
  actions.add(tryTab(root, editor, id, signal))
  actions.add([
    ...versionActions(editor, saver),
    ...limitsActions(editor, id),
    ...publishActions(saver, id),
    exampleAction(id),
    ...panels.actions,
  ])
  const run = runPanel(
    root,
    { editor, saver, canvas },
    id,
    (isShown) => {
      if (matchMedia('(max-width: 720px)').matches) showNarrow(isShown ? 'run' : 'canvas')
      if (isShown) panels.unfold('run')
      else panels.fold('run')
    },
    signal,
  )
  actions.add([
    ...run.actions,
    ...mockActions(editor, run.outputOf),
    ...importFindingActions(editor, goTo),
    ...annotationActions(editor, canvas, annotations),
  ])
  emptyStates(root, editor, signal)
  actions.add(firstStepsStrip(root, editor, id, signal))
  bindKeyboard(actions, surfaces, signal)
  recoverFocus(signal)
  on(root, 'click', '[data-commands]', () => void actions.run('command-palette'), signal)
  on(root, 'click', '[data-limits]', () => void actions.run('limits'), signal)
  on(root, 'click', '[data-publish]', () => void actions.run('publish'), signal)
  on(root, 'click', '[data-examples]', () => void actions.run('example-tasks'), signal)
  on(
    root,
    'click',
    '[data-for-all]',
    (event, button) => void actions.run(button.dataset['forAll'] ?? '', event),
    signal,
  )
  on(
    root,
    'click',
    '[data-skip]',
    (event) => {
      event.preventDefault()
      goTo(editor.selection)
    },
    signal,
  )
  root.addEventListener(
    'palette:added',
    () => {
      if (!canvas.root.checkVisibility()) tree.focus(editor.selection)
    },
    { signal },
  )
  selectionBar(editor, canvas, actions, signal)
  otherWindows(find('[data-others-here]', root), { editor, saver, canvas }, id, goTo, signal)
  marquee(editor, canvas, signal)
  addOnGround(editor, canvas, clipboard.takes, signal)
  bindCanvas(root, editor, canvas, actions, signal)
  actions.add(exportActions(root, editor))
  on(root, 'input', '[data-team-name]', (_event, input) => {
    if (input instanceof HTMLInputElement && input.value.trim() !== '')
      editor.run(nameTeam(input.value.trim()), 'header')
  })
  validation(editor, signal)
  await canvas.draw()
  root.removeAttribute('aria-busy')
}

/**
 * @param {HTMLElement} root
 * @param {Editor} editor
 * @param {Canvas} canvas
 * @param {Actions} actions
 * @param {AbortSignal} signal
 */
function bindCanvas(root, editor, canvas, actions, signal) {
  on(
    canvas.root,
    'click',
    '[data-component], [data-fill], [data-open]',
    (event, target) => {
      const inner = event.target.closest('[data-component], [data-fill], [data-open]')
      if (inner !== target) return
      if (target.dataset['fill'] !== undefined) void fillSlot(editor, target.dataset['fill'])
      else if (target.dataset['open'] !== undefined) editor.open(target.dataset['open'])
      else
        editor.select(target.dataset['component'] ?? '', {
          add: event.shiftKey || event.ctrlKey || event.metaKey,
        })
    },
    signal,
  )
  on(
    canvas.root,
    'dblclick',
    '.node[data-nested]',
    (_event, node) => editor.open(node.dataset['component'] ?? ''),
    signal,
  )
  on(
    root,
    'click',
    '[data-zoom]',
    (_event, button) => {
      if (button.dataset['zoom'] === 'fit') canvas.fit()
      else canvas.viewport.zoomBy(button.dataset['zoom'] === 'in' ? 1.2 : 1 / 1.2)
    },
    signal,
  )
  on(root, 'click', '[data-tidy]', () => void actions.run('tidy'), signal)
  const level = find('[data-zoom-level]', root)
  canvas.viewport.addEventListener(
    'move',
    () => {
      const text = `${Math.round(canvas.viewport.zoom * 100)}%`
      if (level.textContent !== text) level.textContent = text
    },
    { signal },
  )
  canvas.addEventListener(
    'drawn',
    () => {
      const trail = editor.trail()
      const crumbs = find('[data-trail]', root)
      crumbs.hidden = trail.length < 2
      crumbs.replaceChildren(
        ...trail.map(({ pointer, title }) =>
          Object.assign(document.createElement('button'), {
            type: 'button',
            className: 'trail-step',
            textContent: title,
            onclick: () => editor.open(pointer),
          }),
        ),
      )
      find('[data-tidy]', root).hidden =
        !canvas.isUntidy && Object.keys(pinsIn(editor.doc, editor.view)).length === 0
    },
    { signal },
  )
}

const builder = find('[data-builder]')
start(builder).catch(toastError).finally(keepEarlyPress(builder))
