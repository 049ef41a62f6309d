// @ts-check
import { find, on } from '../../../core/dom.js'
import { saveDraft, loadDraft } from '../../../core/drafts.js'
import { can } from '../../../core/permissions.js'
import { toastError } from '../../../core/toast.js'
import { draftOf, startWithApproval, withApproval } from '../../../playground/approval.js'
import { composer } from '../../../playground/composer.js'
import { taskText } from '../../../playground/format.js'
import { server } from '../../../playground/log/server.js'
import { modeOf, nextTask } from '../../../playground/next-task.js'
import { pastTasks } from '../../../playground/past-tasks.js'
import { RunMarks } from '../../canvas/draw/run-marks.js'
import { titleOf } from '../../document/catalogue.js'
import { ownerOf } from '../../document/commands.js'
import { noTeam, problems } from '../../document/findings.js'
import { openChecklist } from '../header.js'
import { mockList } from './mock-list.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {import('../../autosave.js').Autosave} Saver
 * @typedef {import('../../canvas/canvas.js').Canvas} Canvas
 * @typedef {import('../../../core/actions.js').Action} Action
 * @typedef {ReturnType<typeof import('./view.js').runView>} View
 */

/** Drawing a conversation takes a good part of the playground, which only a run needs. */
const loadView = () => import('./view.js')

/**
 * The team under edit is run beside its canvas.
 * @param {HTMLElement} root
 * @param {{ editor: Editor, saver: Saver, canvas: Canvas }} page
 * @param {string} teamId
 * @param {(isShown: boolean) => void} show  makes room for the panel, or takes it back
 * @param {AbortSignal} signal
 * @returns {{ actions: Action[], outputOf: import('../../actions/mocks.js').OutputOf }}
 */
export function runPanel(root, { editor, saver, canvas }, teamId, show, signal) {
  const panel = new RunPanel(root, { editor, saver, canvas }, teamId, show, signal)
  on(root, 'click', 'button[data-run], [data-show=run]', () => void panel.open(), signal)
  on(
    panel.panel,
    'click',
    '[data-real-model]',
    () => {
      editor.select(editor.report.scripted, { reveal: editor.report.scripted })
    },
    signal,
  )
  on(
    canvas.root,
    'click',
    '.node-run',
    (event, button) => {
      event.stopPropagation()
      panel.reveal(Number(button.dataset['runSeq']))
    },
    signal,
  )
  const kept = loadDraft(draftOf(teamId)) // somebody comes back from the review of the team
  if (kept !== null && can('editor')) {
    saveDraft(draftOf(teamId), null)
    panel.task.restore(kept)
    void panel.open()
  }
  const said = () => panel.marks.at(editor.selection)?.seq ?? 0
  /** @type {Action[]} */
  const actions = [
    {
      id: 'run',
      label: 'Run the team',
      icon: 'play',
      keys: ['mod+enter'],
      inFields: true,
      group: 'Run',
      scope: 'page',
      needs: 'editor',
      run: () => void panel.open(),
    },
    {
      id: 'close-run',
      label: 'Close the run panel',
      icon: 'panel-right',
      group: 'Run',
      scope: 'page',
      when: () => (panel.isOpen ? true : 'The run panel is closed.'),
      run: () => show(false),
    },
    {
      id: 'to-message',
      label: 'Show last message',
      icon: 'message-square',
      keys: ['l'],
      group: 'Run',
      scope: 'canvas',
      menu: true,
      when: () => (said() > 0 ? true : 'This agent has no message in the run shown here.'),
      run: () => panel.reveal(said()),
    },
  ]
  return { actions, outputOf: (pointer) => panel.outputOf(pointer) }
}

class RunPanel {
  isOpen = false
  #life = new AbortController()
  #runId = ''
  /** @type {View | null} */
  #view = null
  /**
   * What was asked before, the newest first.
   * @type {string[]}
   */
  #tasks = []

  /**
   * @param {HTMLElement} root
   * @param {{ editor: Editor, saver: Saver, canvas: Canvas }} page
   * @param {string} teamId
   * @param {(isShown: boolean) => void} show
   * @param {AbortSignal} signal
   */
  constructor(root, { editor, saver, canvas }, teamId, show, signal) {
    this.root = root
    this.editor = editor
    this.saver = saver
    this.teamId = teamId
    this.show = show
    this.marks = new RunMarks(canvas, signal)
    this.panel = find('[data-run-panel]', root)
    this.form = /** @type {HTMLFormElement} */ (this.#part('composer'))
    this.task = composer(
      this.form,
      (task, files) => this.#start(task, files),
      () => server.withoutVision(teamId),
    )
    this.mocks = mockList(this.#part('mocks'), editor, signal)
    this.next = nextTask(this.form)
    this.button = /** @type {HTMLElement | null} */ (root.querySelector('button[data-run]'))
    pastTasks(
      /** @type {HTMLTextAreaElement} */ (find('textarea', this.form)),
      () => this.#tasks,
      this.task.fill,
    )
    this.panel.addEventListener(
      'panel:fold',
      (event) => this.#folded(/** @type {CustomEvent} */ (event).detail),
      { signal },
    )
    this.panel.addEventListener(
      'run:state',
      (event) => this.#showComposer(/** @type {CustomEvent} */ (event).detail),
      { signal },
    )
    this.form.addEventListener('composer:ready', () => this.#propose(), { signal })
    editor.addEventListener(
      'report',
      () => {
        this.#part('scripted').hidden = editor.report.scripted === ''
      },
      { signal },
    )
    signal.addEventListener('abort', () => this.#life.abort())
  }

  /** @param {string} name */
  #part(name) {
    return find(`[data-part="${name}"]`, this.panel)
  }

  /**
   * Ready for a task, or off with the one in the box of the open panel; what is in the way comes
   * first.
   * @param {string} [task]
   */
  async open(task) {
    const { doc, report } = this.editor
    if (noTeam(doc) || problems(report, doc).length > 0) return openChecklist(this.root)
    const isReady =
      this.isOpen && this.panel.checkVisibility() && !this.form.hidden && this.next.mode === 'new'
    this.show(true)
    if (isReady && task === undefined && this.task.isFilled) return this.form.requestSubmit()
    const isNew = this.#view === null && this.#runId === ''
    if (isNew) this.#showComposer(null)
    if (this.form.hidden) this.#part('chat-scroll').focus()
    else if (task === undefined) this.task.focus()
    else this.task.fill(task)
    if (isNew) await this.#recall()
    this.#propose()
  }

  /** @param {number} seq  of an entry of the run that is shown */
  reveal(seq) {
    if (!this.isOpen || seq === 0) return
    this.show(true)
    this.#view?.reveal(seq)
  }

  /**
   * What a model or a tool gave last.
   * @param {string} pointer
   */
  outputOf(pointer) {
    const { editor } = this
    const component = editor.at(pointer)
    if (!component) return undefined
    const isModel = editor.catalogue.kindOf(component) === 'model'
    return isModel
      ? this.marks.outputOf('agent', titleOf(editor.at(ownerOf(pointer))))
      : this.marks.outputOf('tool', titleOf(component))
  }

  /** @param {boolean} isFolded */
  #folded(isFolded) {
    this.isOpen = !isFolded
    this.button?.setAttribute('aria-expanded', String(this.isOpen))
    if (!isFolded) return
    this.#leave()
    if (!document.activeElement?.checkVisibility()) this.button?.focus()
  }

  #leave() {
    this.#life.abort()
    this.#life = new AbortController()
    this.#view = null
    this.#runId = ''
    this.marks.show(null)
  }

  /** The newest run of the team is what one goes on from. */
  async #recall() {
    const { signal } = this.#life
    try {
      const runs = await server.runs(this.teamId)
      if (signal.aborted) return
      this.#tasks = [...new Set(runs.map((run) => taskText(run.task)).filter(Boolean))]
      const [newest] = runs
      if (newest) await this.#showRun(newest.id)
    } catch (error) {
      if (!signal.aborted) toastError(error)
    }
  }

  /**
   * @param {import('../../../playground/types.js').Task} task
   * @param {import('../../../playground/types.js').GivenFile[]} files
   */
  async #start(task, files) {
    if (this.next.mode === 'say') {
      await server.command(this.#runId, 'inject', { data: { source: 'user', text: task }, files })
      return true
    }
    const { doc, report } = this.editor
    if (noTeam(doc) || problems(report, doc).length > 0) {
      openChecklist(this.root)
      return false
    }
    if (!(await this.saver.save())) return false
    const run = await startWithApproval(this.teamId, task, {
      withMocks: this.mocks.areUsed,
      files,
      draft: this.task.draft,
    })
    if (run === null) return false
    const text = taskText(task)
    this.#tasks = [...new Set([text, ...this.#tasks].filter(Boolean))]
    this.root.dispatchEvent(new Event('run:started'))
    await this.#showRun(run.id, run)
    return true
  }

  /**
   * Go on where a run failed.
   * @param {import('../../../playground/types.js').Run} run
   */
  async #retry({ id, component }) {
    try {
      const started = await withApproval(() => server.rerun(id, 'failure'), { component })
      if (started) await this.#showRun(started.id)
    } catch (error) {
      toastError(error)
    }
  }

  /**
   * @param {string} id
   * @param {import('../../../playground/types.js').Run} [known]
   */
  async #showRun(id, known) {
    this.#leave()
    const { signal } = this.#life
    const [{ runView }, run] = await Promise.all([loadView(), known ?? server.run(id)])
    if (signal.aborted) return
    this.#runId = id
    this.panel.dataset['view'] = 'run'
    this.#part('chat').replaceChildren()
    this.#part('chat-none').hidden = true
    const link = /** @type {HTMLAnchorElement} */ (this.#part('to-playground'))
    link.href = `/runs/${id}`
    this.#showComposer(run)
    this.#view = runView(
      this.panel,
      run,
      {
        onStates: (states) => this.marks.show(states),
        openModel: (pointer) => {
          if (this.editor.at(pointer)) this.editor.select(pointer, { reveal: pointer })
        },
        retry: () => void this.#retry(run),
      },
      signal,
    )
    void this.#view.shown.catch((error) => signal.aborted || toastError(error))
  }

  /** The last task, to be run again with what was changed. */
  #propose() {
    const [last] = this.#tasks
    if (last && !this.form.hidden && this.next.mode === 'new') this.task.propose(last)
  }

  /**
   * Here each task begins a run of its own.
   * @param {import('../../../playground/types.js').RunState | null} run
   */
  #showComposer(run) {
    const found = modeOf(run)
    const mode = found === 'next' ? 'new' : found
    const isShown = mode !== null || this.task.isBeingWritten
    const isNews = this.form.hidden === isShown || (mode === 'new' && this.next.mode === 'say')
    const scroller = this.#part('chat-scroll')
    const here = document.activeElement ?? document.body
    // not from a button beside what was said: its next press would go elsewhere
    const hadFocus =
      [document.body, scroller].includes(/** @type {HTMLElement} */ (here)) ||
      [this.form, this.#part('controls')].some((each) => each.contains(here))
    this.form.hidden = !isShown
    if (mode !== null) this.next.offer(mode)
    if (isNews && isShown && hadFocus && matchMedia('(min-width: 721px)').matches) this.task.focus()
    if (mode === 'new') this.#propose()
    if (isNews && !isShown && hadFocus) scroller.focus({ preventScroll: true })
  }
}
