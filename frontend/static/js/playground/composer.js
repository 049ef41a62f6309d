// @ts-check
/** @import {GivenFile, Task} from './types.js' */
import { el, find, icon } from '../core/dom.js'
import { toastError } from '../core/toast.js'
import { attachments } from './files/attachments.js'

/**
 * The form for a task: text, and files that are pasted, dropped or chosen. It tells
 * `composer:ready` when it can be filled again.
 *
 * @param {HTMLFormElement} form
 * @param {(task: Task, files: GivenFile[]) => Promise<boolean>} start  false when the person took it
 *   back
 * @param {() => Promise<{agent: string, model: string}[]>} withoutVision  whose models read no
 *   pictures
 */
export function composer(form, start, withoutVision) {
  const text = /** @type {HTMLTextAreaElement} */ (find('textarea', form))
  const chooser = /** @type {HTMLInputElement} */ (find('input[type="file"]', form))
  const error = find('[data-part="refusal"]', form)
  const unseen = find('[data-part="unseen"]', form)
  const send = /** @type {HTMLButtonElement} */ (find('button[type="submit"]', form))
  const zone = /** @type {HTMLElement} */ (form.closest('[data-files-drop]'))
  /** What is on its way. */
  let sent = ''
  const files = attachments(find('[data-part="attached"]', form), {
    maxMb: Number(form.dataset['maxFileMb']),
    changed: () => {
      show()
      void warn()
    },
    refuse: (words) => {
      error.textContent = words
    },
    focus: () => text.focus(),
  })

  function show() {
    send.disabled = files.isUploading || (text.value.trim() === '' && files.count === 0)
  }

  /** @param {Iterable<File>} given */
  function add(given) {
    if (!form.hidden) return files.add(given)
    const question = zone.querySelector('form.question-form') // that stands in its place
    question?.dispatchEvent(new CustomEvent('files:given', { detail: [...given] }))
  }

  /** Who will not see the pictures; they are sent all the same, if that is what one wants. */
  async function warn() {
    const blind = files.hasPictures ? await withoutVision().catch(() => []) : []
    unseen.hidden = blind.length === 0 || !files.hasPictures
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
    files.clear()
  }

  async function submit() {
    if (send.disabled || form.ariaBusy === 'true') return
    form.ariaBusy = 'true'
    try {
      sent = text.value
      // somebody may write on meanwhile
      if ((await start(sent.trim(), files.given)) && text.value === sent) clear()
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
    const given = [...(event.clipboardData?.files ?? [])]
    if (given.length === 0) return
    event.preventDefault()
    add(given)
  })
  chooser.addEventListener('change', () => {
    add([...(chooser.files ?? [])])
    chooser.value = ''
  })
  dropZone(zone, add)
  show()

  return {
    /** @param {string} task */
    fill(task) {
      text.value = task
      show()
      text.focus()
    },
    /**
     * Attach files that the studio has already.
     * @param {(GivenFile & {size: number})[]} given
     */
    attach(given) {
      files.attach(given)
      text.focus()
    },
    /** What is written and attached, to be kept while another page is open. */
    get draft() {
      return { task: text.value, files: files.kept }
    },
    /** @param {unknown} draft  as `draft` gave it; anything else is left alone */
    restore(draft) {
      const { task, files: given } = /** @type {{task?: unknown, files?: unknown}} */ (draft ?? {})
      if (Array.isArray(given)) files.attach(given)
      if (typeof task !== 'string') return
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
