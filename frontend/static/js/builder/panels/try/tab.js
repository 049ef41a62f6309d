// @ts-check
import { api, ApiError } from '../../../core/api.js'
import { el, find, on } from '../../../core/dom.js'
import { toastError } from '../../../core/toast.js'
import { KIND_NAME } from '../../document/catalogue.js'
import { FIRST, HINTS, SHAPES } from './kinds.js'
import { canSeeImages, imageShelf } from './images.js'
import { TrySession } from './session.js'
import { showStatus } from './status.js'
import { terminationPreview } from './termination.js'
import { toolForm } from './tools.js'

/**
 * @typedef {import('../../editor.js').Editor} Editor
 * @typedef {import('../../../core/actions.js').Action} Action
 * @typedef {{ pointer: string, component: import('../../document/catalogue.js').Component, session:
 *   TrySession, list: HTMLElement, end: () => void }} Open
 */

const LIST = '{}'

/** Drawing a conversation takes a good part of the playground, which only a try needs. */
const loadChat = () => import('./chat.js')

/**
 * Trying the selected part alone, as it is edited now.
 * @param {HTMLElement} page
 * @param {Editor} editor
 * @param {string} teamId
 * @param {AbortSignal} signal
 * @returns {Action[]}
 */
export function tryTab(page, editor, teamId, signal) {
  const tab = new TryTab(page, editor, teamId, signal)
  tab.bind(signal)
  const start = () => tab.start()
  on(page, 'click', '[data-try]', start, signal)
  const when = () => (SHAPES[tab.kind] ? true : `A ${KIND_NAME[tab.kind]} cannot be tried alone.`)
  return [
    {
      id: 'try',
      label: 'Try this part',
      icon: 'play',
      keys: ['t'],
      group: 'Edit',
      scope: 'canvas',
      menu: true,
      needs: 'editor',
      when,
      run: start,
    },
  ]
}

/** One try is open at a time; it ends when another begins, or the page is left. */
class TryTab {
  #isShown = false
  /**
   * What the tool form is for.
   * @type {unknown}
   */
  #offered
  /** @type {Open | null} */
  #open = null
  #said = ''

  /**
   * @param {HTMLElement} page
   * @param {Editor} editor
   * @param {string} teamId
   * @param {AbortSignal} signal
   */
  constructor(page, editor, teamId, signal) {
    this.page = page
    this.editor = editor
    this.root = find('#panel-try', page)
    this.text = /** @type {HTMLTextAreaElement} */ (find('textarea', this.#part('composer')))
    this.system = /** @type {HTMLTextAreaElement} */ (find('textarea', this.#part('system')))
    this.pictures = imageShelf(
      /** @type {HTMLFormElement} */ (this.#part('composer')),
      this.#part('pictures'),
      signal,
    )
    this.tools = toolForm(this.root, editor.catalogue, signal)
    this.termination = terminationPreview(this.root, editor, teamId, signal)
  }

  get kind() {
    const component = this.editor.at(this.editor.selection)
    return component && this.editor.selected.length === 1
      ? this.editor.catalogue.kindOf(component)
      : 'other'
  }

  /** Go to it, ready to type. */
  start() {
    find('#tab-try', this.page).click()
    this.root.focus()
    this.#focusFirst()
  }

  /** From the panel into its first field, as soon as that is there. */
  #focusFirst() {
    const place = FIRST[this.root.dataset['shape'] ?? '']
    if (!place || document.activeElement !== this.root) return
    const first = [...this.#part(place).querySelectorAll('textarea, input, select, button')].find(
      (each) => each.checkVisibility() && !each.matches('[data-try-call], [type=file]'),
    )
    if (first instanceof HTMLElement) first.focus()
  }

  /** @param {AbortSignal} signal */
  bind(signal) {
    const submit = (/** @type {string} */ name, /** @type {() => void} */ run) =>
      this.#part(name).addEventListener(
        'submit',
        (event) => {
          event.preventDefault()
          run()
        },
        { signal },
      )
    submit('composer', () => void this.#send())
    submit('tools', () => void this.#say(this.tools.call()))
    this.text.addEventListener(
      'keydown',
      (event) => {
        if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
        event.preventDefault()
        void this.#send()
      },
      { signal },
    )
    this.#part('form').addEventListener('form:shown', () => this.#focusFirst(), { signal })
    this.#part('list').addEventListener('click', () => void this.#say(LIST), { signal })
    this.#part('stop').addEventListener('click', () => void this.#open?.session.stop(), { signal })
    on(
      this.root,
      'click',
      '[data-try-reset]',
      () => {
        this.#close()
        this.start()
      },
      signal,
    )
    this.editor.addEventListener(
      'select',
      () => {
        this.termination.clear()
        this.#refuse('')
        this.#show()
      },
      { signal },
    )
    this.editor.addEventListener(
      'doc',
      (event) => {
        this.#follow(/** @type {CustomEvent} */ (event).detail.placeNow)
        this.#show()
      },
      { signal },
    )
    this.root.addEventListener(
      'tab:show',
      () => {
        this.#isShown = true
        this.#show()
        void loadChat().catch(toastError)
        this.termination.listRuns().catch(toastError)
      },
      { signal },
    )
    this.root.addEventListener(
      'tab:hide',
      () => {
        this.#isShown = false
      },
      { signal },
    )
    window.addEventListener('pagehide', () => this.#close(), { signal })
    this.#show()
  }

  /** @param {string} name */
  #part(name) {
    return find(`[data-try-${name}]`, this.root)
  }

  get #here() {
    return this.#open?.pointer === this.editor.selection ? this.#open : null
  }

  #show() {
    const { kind } = this
    Object.assign(this.root.dataset, { shape: SHAPES[kind] ?? 'none', kind })
    find('[data-try]', this.page).hidden = SHAPES[kind] === undefined
    this.#part('none').textContent =
      `A ${KIND_NAME[kind]} cannot run on its own. Select an agent, a model or a tool.`
    this.#part('hint').textContent = HINTS[kind] ?? ''
    this.text.placeholder =
      kind === 'model'
        ? 'Ask the model'
        : kind === 'team'
          ? 'Give the team a task'
          : `Say something to ${this.editor.titleAt(this.editor.selection)}`
    if (this.#isShown && SHAPES[kind] === 'tools') void this.#offerTools()
    this.#status()
  }

  #status() {
    const component = this.editor.at(this.editor.selection)
    showStatus(this.root, this.#here, component)
    this.pictures.offer(
      canSeeImages(component, this.kind) && this.#here?.session.phase !== 'waiting',
    )
  }

  async #offerTools() {
    const component = this.editor.at(this.editor.selection)
    if (this.#offered === component) return
    this.#offered = component
    this.#refuse('')
    try {
      const { tools, is_known: isKnown } = await api.post('/api/part-runs/tools', { component })
      if (this.#offered !== component) return
      this.#part('list').hidden = isKnown
      if (!isKnown)
        this.#part('hint').textContent = 'List its tools first. This starts or contacts its server.'
      this.tools.offer(tools, this.editor.selection)
      this.#focusFirst()
    } catch (error) {
      if (this.#offered !== component) return
      this.tools.offer([], '')
      this.#refuse(error)
    }
  }

  async #send() {
    const said = this.text.value.trim()
    const phase = this.#here?.session.phase
    if ((said === '' && this.pictures.isEmpty) || phase === 'working' || phase === 'starting')
      return
    this.text.value = ''
    this.#said = said
    const isSaid = await this.#say(this.pictures.with(said))
    if (isSaid) this.pictures.clear()
    else if (this.text.value === '') this.text.value = said
  }

  /**
   * The next thing in the part's conversation, or the first of a new one.
   * @param {import('../../../playground/types.js').Task} said  pictures only go with the first
   * @returns {Promise<boolean>} whether it was said
   */
  async #say(said) {
    const session = this.#here?.session
    this.#refuse('')
    try {
      if (session?.phase !== 'waiting') return await this.#begin(said)
      await session.say(String(said))
      return true
    } catch (error) {
      this.#refuse(error)
      return false
    }
  }

  /** @param {import('../../../playground/types.js').Task} said */
  async #begin(said) {
    const { tryChat } = await loadChat()
    const pointer = this.editor.selection
    const component = this.editor.at(pointer)
    const { kind } = this
    if (!component) return false
    this.#close()
    const list = el('div', { class: 'chat' })
    const life = new AbortController()
    const session = new TrySession(component, KIND_NAME[kind], (batch) => chat.apply(batch))
    const chat = tryChat(
      this.#part('chat'),
      list,
      (id, answer) => session.answer(id, answer),
      SHAPES[kind] === 'tools',
      life.signal,
    )
    const open = { pointer, component, session, list, end: () => life.abort() }
    this.#open = open
    session.addEventListener('change', () => this.#changed(session), { signal: life.signal })
    session.addEventListener(
      'tools',
      (event) => this.tools.offer(/** @type {CustomEvent} */ (event).detail, pointer),
      { signal: life.signal },
    )
    this.#status()
    let isStarted = false
    try {
      isStarted = await session.start(said, kind === 'model' ? this.system.value.trim() : '')
    } finally {
      if (!isStarted && this.#open === open) this.#close()
    }
    return isStarted
  }

  /** @param {TrySession} session */
  #changed(session) {
    if (
      session.phase === 'ended' &&
      session.state === 'failed' &&
      this.#here?.session === session &&
      this.text.value === ''
    )
      this.text.value = this.#said
    this.#status()
  }

  #close() {
    this.#open?.end()
    this.#open?.session.leave()
    this.#open?.list.remove()
    this.#open = null
    this.#status()
  }

  /**
   * A try goes where its part goes, and ends with it.
   * @param {(pointer: string) => string | undefined} placeNow
   */
  #follow(placeNow) {
    const open = this.#open
    const place = open ? placeNow(open.pointer) : undefined
    if (open && place !== undefined && this.editor.at(place)) open.pointer = place
    else if (open) this.#close()
  }

  /** @param {unknown} error  '' when nothing is wrong */
  #refuse(error) {
    const place = this.#part('refusal')
    place.hidden = !(error instanceof ApiError)
    if (error instanceof ApiError)
      place.textContent = [...new Set([...findings(error), error.message, error.fix])]
        .filter(Boolean)
        .slice(0, 2)
        .join(' ')
    else if (error !== '' && !(error instanceof DOMException)) toastError(error)
  }
}

/**
 * What is wrong with a part that does not load.
 * @param {ApiError} error
 * @returns {string[]}
 */
function findings(error) {
  const found = error.body['findings']
  return Array.isArray(found)
    ? found.slice(0, 1).flatMap(({ message, fix }) => [String(message), String(fix)])
    : []
}
