// @ts-check
import { el, find, icon, on } from '../../../core/dom.js'
import { get } from '../../../core/pointer.js'
import { toast } from '../../../core/toast.js'
import { dataUrl, refusal, taskOf } from '../../../playground/chat/images.js'

/**
 * The pictures that go with the first message of a try: chosen or pasted.
 * @param {HTMLFormElement} form  the composer
 * @param {HTMLElement} shelf
 * @param {AbortSignal} signal
 */
export function imageShelf(form, shelf, signal) {
  const choose = find('[data-try-picture]', form)
  const input = /** @type {HTMLInputElement} */ (find('input[type=file]', form))
  /** @type {string[]} data URLs */
  let pictures = []
  const show = () => {
    shelf.hidden = pictures.length === 0
    shelf.replaceChildren(
      ...pictures.map((url, index) =>
        el(
          'div',
          { class: 'try-thumbnail' },
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
        ),
      ),
    )
  }
  const add = async (/** @type {Iterable<File>} */ files) => {
    for (const file of files) {
      const why = refusal(file)
      if (why) toast(why, { tone: 'warning' })
      else pictures.push(await dataUrl(file))
    }
    show()
  }
  input.addEventListener(
    'change',
    () => {
      const chosen = [...(input.files ?? [])]
      input.value = ''
      void add(chosen)
    },
    { signal },
  )
  form.addEventListener(
    'paste',
    (event) => {
      const pasted = [...(event.clipboardData?.files ?? [])]
      if (pasted.length === 0 || choose.hidden) return
      event.preventDefault()
      void add(pasted)
    },
    { signal },
  )
  on(
    shelf,
    'click',
    '[data-remove]',
    (_event, button) => {
      pictures.splice(Number(button.dataset['remove']), 1)
      show()
      find('textarea', form).focus()
    },
    signal,
  )
  return {
    get isEmpty() {
      return pictures.length === 0
    },
    /** @param {boolean} isOffered  whether a picture can go with the next message */
    offer(isOffered) {
      choose.hidden = !isOffered
      if (!isOffered && pictures.length > 0) this.clear()
    },
    clear() {
      pictures = []
      show()
    },
    /** @param {string} text */
    with: (text) => taskOf(text, pictures),
  }
}

/**
 * Whether a model, or that of an agent, is not known to be blind; the engine tells of those that
 * are.
 * @param {import('../../document/catalogue.js').Component | undefined} component
 * @param {string} kind
 */
export function canSeeImages(component, kind) {
  if (kind !== 'model' && kind !== 'agent') return false
  const info = kind === 'model' ? '/config/model_info' : '/config/model_client/config/model_info'
  return get(component, `${info}/vision`) !== false
}
