// @ts-check
/** @import {Task} from './types.js' */
import { el, find, icon, on } from '../core/dom.js'
import { toastError } from '../core/toast.js'
import { dataUrl, refusal, taskOf } from './chat/images.js'

/**
 * The form for a task: text, and pictures that are pasted, dropped or chosen. It tells
 * `composer:ready` when it can be filled again.
 *
 * @param {HTMLFormElement} form
 * @param {(task: Task) => Promise<boolean>} start  false when the person took it back
 * @param {() => Promise<{agent: string, model: string}[]>} withoutVision  whose models read no
 *   pictures
 */
export function composer(form, start, withoutVision) {
  const text = /** @type {HTMLTextAreaElement} */ (find('textarea', form))
  const chooser = /** @type {HTMLInputElement} */ (find('input[type="file"]', form))
  const shelf = find('[data-part="pictures"]', form)
  const error = find('[data-part="refusal"]', form)
  const unseen = find('[data-part="unseen"]', form)
  const send = /** @type {HTMLButtonElement} */ (find('button[type="submit"]', form))
  /** @type {string[]} */
  let pictures = []
  /** What is on its way. */
  let sent = ''

  function show() {
    shelf.replaceChildren(...pictures.map(thumbnail))
    send.disabled = text.value.trim() === '' && pictures.length === 0
    if (pictures.length === 0) unseen.hidden = true
  }

  /**
   * @param {string} url
   * @param {number} index
   */
  function thumbnail(url, index) {
    return el(
      'div',
      { class: 'thumbnail' },
      el('img', { src: url, alt: `Image ${index + 1}` }),
      el(
        'button',
        {
          type: 'button',
          class: 'button small icon-only',
          'aria-label': `Remove image ${index + 1}`,
          'data-remove': index,
        },
        icon('x'),
      ),
    )
  }

  /** @param {Iterable<File>} files */
  async function add(files) {
    if (form.dataset['mode'] === 'say') {
      error.textContent = 'Images can be sent only with a task. Send text while the run is active.'
      return
    }
    const refusals = []
    for (const file of files) {
      const reason = refusal(file)
      if (reason) refusals.push(reason)
      else pictures.push(await dataUrl(file))
    }
    error.textContent = refusals.join(' ')
    show()
    if (pictures.length > 0) await warn()
  }

  /** Who will not see the pictures; they are sent all the same, if that is what one wants. */
  async function warn() {
    const blind = await withoutVision().catch(() => [])
    unseen.hidden = blind.length === 0 || pictures.length === 0
    unseen.replaceChildren(
      icon('triangle-alert'),
      el(
        'span',
        {},
        blind.map(({ agent, model }) => `${agent} (${model})`).join(', '),
        blind.length === 1
          ? ' cannot read images and only sees a placeholder.'
          : ' cannot read images and only see a placeholder.',
      ),
    )
  }

  function clear() {
    text.value = ''
    error.textContent = ''
    pictures = []
    show()
  }

  async function submit() {
    if (send.disabled || form.ariaBusy === 'true') return
    form.ariaBusy = 'true'
    try {
      sent = text.value
      // somebody may write on meanwhile
      if ((await start(taskOf(sent.trim(), pictures))) && text.value === sent) clear()
    } catch (problem) {
      toastError(problem)
    } finally {
      form.ariaBusy = 'false'
      sent = ''
      show()
      form.dispatchEvent(new Event('composer:ready'))
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    submit()
  })
  text.addEventListener('input', show)
  text.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    submit()
  })
  text.addEventListener('paste', (event) => {
    const files = [...(event.clipboardData?.files ?? [])]
    if (files.length === 0) return
    event.preventDefault()
    add(files)
  })
  chooser.addEventListener('change', () => {
    add([...(chooser.files ?? [])])
    chooser.value = ''
  })
  on(shelf, 'click', '[data-remove]', (_, button) => {
    pictures.splice(Number(button.dataset.remove), 1)
    show()
    text.focus()
  })
  dropZone(/** @type {HTMLElement} */ (form.closest('[data-pictures-drop]')), add)
  show()

  return {
    /** @param {string} task */
    fill(task) {
      text.value = task
      show()
      text.focus()
    },
    /**
     * Send it at once.
     * @param {string} task
     */
    submit(task) {
      text.value = task
      show()
      void submit()
    },
    /**
     * Put it there to be typed over, unless something is there.
     * @param {string} task
     */
    propose(task) {
      if (text.value !== '') return
      text.value = task
      show()
      if (document.activeElement === text) text.select()
    },
    /** Whether somebody is in the midst of writing something. */
    get isBeingWritten() {
      return document.activeElement === text && text.value !== '' && text.value !== sent
    },
    get isShown() {
      return !form.hidden
    },
    get isFilled() {
      return !send.disabled
    },
    focus: () => text.focus(),
    blur: () => text.blur(),
  }
}

/**
 * @param {HTMLElement} zone
 * @param {(files: File[]) => void} add
 */
function dropZone(zone, add) {
  zone.addEventListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    zone.dataset.over = ''
  })
  zone.addEventListener('dragleave', (event) => {
    if (!zone.contains(/** @type {Node | null} */ (event.relatedTarget))) delete zone.dataset.over
  })
  zone.addEventListener('drop', (event) => {
    delete zone.dataset.over
    if (!event.dataTransfer?.files.length) return
    event.preventDefault()
    add([...event.dataTransfer.files])
  })
}
