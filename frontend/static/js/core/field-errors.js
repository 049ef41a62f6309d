// @ts-check
// What the server refuses, told at the field of the form that it is about.
import { ApiError } from './api.js'
import { toastError } from './toast.js'

/** Tells errors in the elements `[data-error-of]` of a form, each of which names its field. */
export class FieldErrors {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    /** @type {Map<string, HTMLElement>} */
    this.places = new Map()
    for (const place of /** @type {NodeListOf<HTMLElement>} */ (
      form.querySelectorAll('[data-error-of]')
    ))
      this.places.set(place.dataset['errorOf'] ?? '', place)
    this.form = form
    form.addEventListener('input', ({ target }) => {
      if (target instanceof Element) this.clear(target.getAttribute('name') ?? '')
    })
  }

  /** @param {string[]} names  of the fields where nothing is wrong; none for all */
  clear(...names) {
    for (const name of names.length > 0 ? names : this.places.keys()) this.#put(name, '')
  }

  /**
   * Tell what is wrong at the field that it is about.
   * @param {unknown} error
   * @returns {boolean}  whether it is about a field of this form
   */
  tell(error) {
    const name = this.#nameOf(error)
    if (!name) return false
    const { message, fix } = /** @type {ApiError} */ (error)
    this.#put(name, `${message} ${fix}`.trim())
    return true
  }

  /**
   * Tell why what was sent is refused: at its field, or in the corner where it is about none, or
   * about one that holds something else by now.
   * @param {unknown} error
   * @param {{ [name: string]: unknown }} sent
   */
  tellRefusal(error, sent) {
    const field = this.#field(this.#nameOf(error))
    if (field === null || field.value !== sent[field.name]) return toastError(error)
    this.clear()
    this.tell(error)
    field.focus()
  }

  /** @param {unknown} error */
  #nameOf(error) {
    const name = error instanceof ApiError ? error.where.slice(1) : ''
    return this.places.has(name) ? name : ''
  }

  /** @param {string} name */
  #field(name) {
    return /** @type {HTMLInputElement | HTMLTextAreaElement | null} */ (
      this.form.elements.namedItem(name)
    )
  }

  /**
   * @param {string} name
   * @param {string} text  "" where nothing is wrong
   */
  #put(name, text) {
    const place = this.places.get(name)
    if (!place) return
    place.textContent = text
    this.#field(name)?.setAttribute('aria-invalid', String(text !== ''))
  }
}
