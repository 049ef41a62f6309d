// @ts-check
// The builder page: makes the parts and ties them to the one editor.
import './elements/json-code.js'
import { api } from './core/api.js'
import { find, on } from './core/dom.js'
import { toastError } from './core/toast.js'
import { fillSlot } from './builder/actions.js'
import { Canvas } from './builder/canvas/canvas.js'
import { Catalogue } from './builder/document/catalogue.js'
import { checklist } from './builder/panels/checklist.js'
import { nameTeam, unpinAll } from './builder/document/commands.js'
import { dragging } from './builder/canvas/drag.js'
import { Editor } from './builder/editor.js'
import { formTab } from './builder/panels/form-tab.js'
import { keepHistory } from './builder/history-keep.js'
import { inspector, tabs } from './builder/panels/inspector.js'
import { jsonTab } from './builder/panels/json-tab.js'
import { keyboard } from './builder/keyboard.js'
import { minimap } from './builder/canvas/minimap.js'
import { outline } from './builder/panels/outline.js'
import { offerOf, palette } from './builder/panels/palette.js'
import { download, pythonTab } from './builder/panels/python-tab.js'
import { Saver } from './builder/save.js'
import { header, narrowTabs } from './builder/panels/header.js'
import { validation } from './builder/validation.js'
import { versions } from './builder/panels/versions.js'

/** @param {HTMLElement} root */
async function start(root) {
  const id = root.dataset['teamId'] ?? ''
  const [team, entries] = await Promise.all([api.get(`/api/teams/${encodeURIComponent(id)}`), api.get('/api/components')])
  const signal = new AbortController().signal
  const editor = new Editor({ name: team.name, component: team.component, layout: team.layout ?? {} }, new Catalogue(entries))
  const saver = new Saver(editor, team, signal)
  keepHistory(editor, saver, signal)
  const canvas = new Canvas(find('[data-canvas]', root), editor, signal)
  minimap(find('[data-minimap]', root), canvas, signal)
  inspector(find('[data-inspector]', root), editor, signal)
  formTab(find('#panel-form', root), editor, signal)
  jsonTab(find('#panel-json', root), find('[data-json-draft]', root), editor, signal)
  pythonTab(find('#panel-python', root), find('[data-python-draft]', root), editor, signal)
  palette(find('#panel-palette', root), editor, signal)
  outline(find('[data-outline]', root), editor, signal)
  const chooseSide = tabs(find('[data-side]', root), signal)
  checklist(find('[data-checklist]', root), find('#checklist', root), editor, signal)
  header(root, editor, saver, signal)
  versions(find('#versions', root), saver, signal)
  dragging(root, editor, canvas, offerOf, signal)
  narrowTabs(root, chooseSide, () => void canvas.draw(), signal)
  const search = () => {
    chooseSide(find('#tab-palette', root))
    find('#panel-palette input[type=search]', root).focus()
  }
  keyboard(editor, canvas, saver, search, signal)
  bindCanvas(root, editor, canvas, signal)
  bindExport(root, editor)
  validation(editor, signal)
  await canvas.draw()
  root.removeAttribute('aria-busy')
}

/** @param {HTMLElement} root @param {Editor} editor @param {Canvas} canvas @param {AbortSignal} signal */
function bindCanvas(root, editor, canvas, signal) {
  on(canvas.root, 'click', '[data-component], [data-fill], [data-open]', (event, target) => {
    const inner = event.target.closest('[data-component], [data-fill], [data-open]')
    if (inner !== target) return
    if (target.dataset['fill'] !== undefined) void fillSlot(editor, target.dataset['fill'])
    else if (target.dataset['open'] !== undefined) editor.open(target.dataset['open'])
    else editor.select(target.dataset['component'] ?? '')
  }, signal)
  on(canvas.root, 'dblclick', '.node[data-nested]', (_event, node) => editor.open(node.dataset['component'] ?? ''), signal)
  on(root, 'click', '[data-zoom]', (_event, button) => {
    if (button.dataset['zoom'] === 'fit') canvas.fit()
    else canvas.viewport.zoomBy(button.dataset['zoom'] === 'in' ? 1.2 : 1 / 1.2)
  }, signal)
  on(root, 'click', '[data-tidy]', () => void editor.run(unpinAll()), signal)
  canvas.viewport.addEventListener('move', () => { find('[data-zoom-level]', root).textContent = `${Math.round(canvas.viewport.zoom * 100)}%` }, { signal })
  canvas.addEventListener('drawn', () => {
    const trail = editor.trail()
    const crumbs = find('[data-trail]', root)
    crumbs.hidden = trail.length < 2
    crumbs.replaceChildren(...trail.map(({ pointer, title }) => Object.assign(document.createElement('button'), { type: 'button', className: 'trail-step', textContent: title, onclick: () => editor.open(pointer) })))
    find('[data-tidy]', root).hidden = Object.keys(editor.doc.layout.pins ?? {}).length === 0
  }, { signal })
}

/** @param {HTMLElement} root @param {Editor} editor */
function bindExport(root, editor) {
  const stem = () => editor.doc.name.toLowerCase().replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '') || 'team'
  on(root, 'click', '[data-export]', async (_event, button) => {
    try {
      if (button.dataset['export'] === 'json') return download(`${stem()}.json`, `${JSON.stringify(editor.root, null, 2)}\n`, 'application/json')
      const { code } = await api.post('/api/python', { component: editor.root })
      download(`${stem()}.py`, code, 'text/x-python')
    } catch (error) {
      toastError(error)
    }
  })
  on(root, 'input', '[data-team-name]', (_event, input) => {
    if (input instanceof HTMLInputElement && input.value.trim() !== '') editor.run(nameTeam(input.value.trim()), 'header')
  })
}

start(find('[data-builder]')).catch(toastError)
