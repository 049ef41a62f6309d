// @ts-check
/** @import {FileUse, GivenFile} from '../types.js' */
import { api } from '../../core/api.js'
import { announce, el, icon } from '../../core/dom.js'
import { amount, size } from './file-words.js'

/** @type {{[use in FileUse]: string}} how agents get a file */
const USES = { text: 'Text in the prompt', picture: 'Picture', folder: 'Folder only' }
const MB = 1024 * 1024

/**
 * @typedef {object} Attached  one file of the task that is being written
 * @property {string} name
 * @property {number} size
 * @property {string} id  '' until it is uploaded
 * @property {FileUse} use
 * @property {FileUse} most  what its content allows beside the folder
 * @property {string} note  how much text it is, or why it cannot be read
 * @property {number} done  share that is uploaded, 0 to 1
 * @property {string} thumbnail  blob URL, or ''
 * @property {AbortController} upload
 */

/**
 * The files of the task that is being written: each is uploaded at once, one after the other.
 * @param {HTMLElement} shelf  a list
 * @param {{maxMb: number, changed: () => void, refuse: (words: string) => void, focus: () => void}}
 *   form
 */
export function attachments(shelf, { maxMb, changed, refuse, focus }) {
  /** @type {Attached[]} */
  let files = []
  /** @type {Promise<void>} */
  let turn = Promise.resolve()

  function show() {
    shelf.replaceChildren(...files.map(chip))
    shelf.hidden = files.length === 0
    changed()
  }

  /** @param {Attached} file */
  function chip(file) {
    return el(
      'li',
      { class: 'file-chip', 'data-uploading': file.id === '' },
      file.thumbnail === '' ? icon('file-code') : el('img', { src: file.thumbnail, alt: '' }),
      el('span', { class: 'file-chip-name truncate', title: file.name }, file.name),
      el('span', { class: 'muted small numeric' }, size(file.size)),
      file.id === ''
        ? el('progress', { max: 1, value: file.done, 'aria-label': `Uploading ${file.name}` })
        : useOf(file),
      file.note !== '' && el('span', { class: 'muted small', role: 'status' }, file.note),
      el(
        'button',
        {
          type: 'button',
          class: 'button quiet small icon-only',
          'aria-label': `${file.id === '' ? 'Cancel' : 'Remove'} ${file.name}`,
          on: { click: () => remove(file) },
        },
        icon('x'),
      ),
    )
  }

  /** @param {Attached} file */
  function useOf(file) {
    if (file.most === 'folder') return el('span', { class: 'muted small' }, USES.folder)
    return el(
      'select',
      {
        class: 'input small',
        'aria-label': `How agents get ${file.name}`,
        on: {
          change: (/** @type {{target: HTMLSelectElement}} */ { target }) => {
            file.use = /** @type {FileUse} */ (target.value)
            changed()
          },
        },
      },
      ...[file.most, /** @type {const} */ ('folder')].map((use) =>
        el('option', { value: use, selected: use === file.use }, USES[use]),
      ),
    )
  }

  /** @param {Attached} file */
  function remove(file) {
    file.upload.abort()
    dropThumbnail(file)
    files = files.filter((each) => each !== file)
    show()
    focus()
  }

  /**
   * @param {Attached} file
   * @param {File} content
   */
  async function upload(file, content) {
    if (!files.includes(file)) return
    try {
      const kept = await api.sendFile(`/api/files?name=${encodeURIComponent(file.name)}`, content, {
        signal: file.upload.signal,
        progress: (done) => {
          file.done = done
          const bar = shelf.children[files.indexOf(file)]?.querySelector('progress')
          if (bar) bar.value = done
        },
      })
      if (!kept.media_type.startsWith('image/')) dropThumbnail(file)
      Object.assign(file, { id: kept.id, name: kept.name, use: kept.use, most: kept.use })
      announce(`${file.name} is attached.`)
      show()
      if (kept.can_be_text && kept.size > 0) void measure(file)
    } catch (error) {
      if (file.upload.signal.aborted) return
      remove(file)
      refuse(`${file.name}: ${error instanceof Error ? error.message : error}`)
    }
  }

  /**
   * Show how much of the prompt its text takes. A document is read for that: from now on it can be
   * text.
   * @param {Attached} file
   */
  async function measure(file) {
    const isDocument = file.most === 'folder'
    if (isDocument) note(file, 'Reading…')
    try {
      const address = `/api/files/${file.id}/text?name=${encodeURIComponent(file.name)}`
      const found = await api.get(address, { signal: file.upload.signal })
      if (isDocument) Object.assign(file, { use: 'text', most: 'text' })
      note(file, amount(found))
    } catch (error) {
      if (file.upload.signal.aborted) return
      note(file, isDocument && error instanceof Error ? error.message : '')
    }
  }

  /**
   * Who is at the chip stays there.
   * @param {Attached} file
   * @param {string} words
   */
  function note(file, words) {
    file.note = words
    const before = shelf.children[files.indexOf(file)]
    if (!before) return
    const focused = before.contains(document.activeElement) && document.activeElement?.localName
    const now = chip(file)
    before.replaceWith(now)
    if (focused) /** @type {HTMLElement | null} */ (now.querySelector(focused))?.focus()
    changed()
  }

  return {
    /** @param {Iterable<File>} given */
    add(given) {
      const refused = []
      for (const content of given) {
        if (content.size > maxMb * MB) {
          refused.push(`${content.name} has ${size(content.size)}. Files can be up to ${maxMb} MB.`)
          continue
        }
        const file = {
          name: content.name || 'file',
          size: content.size,
          id: '',
          use: /** @type {const} */ ('folder'),
          most: /** @type {const} */ ('folder'),
          note: '',
          done: 0,
          thumbnail: /^image\/(png|jpeg|gif|webp)$/.test(content.type)
            ? URL.createObjectURL(content)
            : '',
          upload: new AbortController(),
        }
        files.push(file)
        turn = turn.then(() => upload(file, content))
      }
      refuse(refused.join(' '))
      show()
    },
    /**
     * Attach files that the studio has already.
     * @param {(GivenFile & {size: number, most?: FileUse})[]} given
     */
    attach(given) {
      for (const { id, name, size: bytes, use, most = use } of given)
        files.push({
          name,
          size: bytes,
          id,
          use,
          most,
          note: '',
          done: 1,
          thumbnail: '',
          upload: new AbortController(),
        })
      show()
    },
    clear() {
      for (const file of files) {
        file.upload.abort()
        dropThumbnail(file)
      }
      files = []
      show()
    },
    /** @returns {GivenFile[]} as the studio takes them with a task */
    get given() {
      return files.map(({ id, name, use }) => ({ id, name, use }))
    },
    /** Those that are uploaded, as `attach` takes them. */
    get kept() {
      return files
        .filter(({ id }) => id !== '')
        .map(({ id, name, size: bytes, use, most }) => ({ id, name, size: bytes, use, most }))
    },
    get count() {
      return files.length
    },
    get isUploading() {
      return files.some(({ id }) => id === '')
    },
    get hasPictures() {
      return files.some(({ use }) => use === 'picture')
    },
  }
}

/** @param {Attached} file */
function dropThumbnail(file) {
  if (file.thumbnail) URL.revokeObjectURL(file.thumbnail)
  file.thumbnail = ''
}
