// @ts-check
import { ApiError, api } from '../core/api.js'
import { announce, el, find } from '../core/dom.js'
import { size } from '../playground/files/file-words.js'

const MB = 1024 * 1024

/**
 * Uploads files and has each read, one after the other; a ZIP is unpacked first. Shows how far each
 * is, and why one could not be added.
 * @param {HTMLElement} page
 * @param {string} path  of the knowledge base
 * @returns {(files: File[]) => void}
 */
export function addDocuments(page, path) {
  const panel = find('[data-adding]', page)
  const list = find('[data-adding-list]', page)
  const done = find('[data-show-added]', page)
  const maxMb = Number(page.dataset['maxFileMb'])
  let waiting = 0
  let turn = Promise.resolve()

  /** @param {string} name */
  function row(name) {
    const state = el('span', { class: 'muted small' }, 'Waiting…')
    list.append(el('li', { class: 'knowledge-added' }, el('span', { class: 'grow' }, name), state))
    /** @param {string} words */
    return (words, isFailed = false) => {
      state.textContent = words
      state.className = isFailed ? 'small' : 'muted small'
      state.dataset['state'] = isFailed ? 'failed' : ''
    }
  }

  /**
   * @param {(words: string, isFailed?: boolean) => void} say
   * @param {() => Promise<void>} work
   */
  function queue(say, work) {
    waiting += 1
    done.hidden = true
    turn = turn
      .then(work)
      .catch((error) => say(wordsOf(error), true))
      .then(() => {
        waiting -= 1
        if (waiting > 0) return
        done.hidden = false
        const failed = list.querySelectorAll('[data-state="failed"]').length
        announce(failed > 0 ? `${failed} files could not be added.` : 'All files are added.')
        if (failed === 0) location.reload()
      })
  }

  /**
   * @param {string} id
   * @param {string} name
   * @param {(words: string) => void} say
   */
  async function read(id, name, say) {
    say('Reading…')
    const added = await api.post(`${path}/documents`, { file_id: id, name })
    if (added.is_new) say(`Added, ${added.document.passages.toLocaleString('en')} passages`)
    else say(`There already as ${added.document.name}`)
  }

  /** @param {File} file */
  function add(file) {
    const say = row(file.name)
    queue(say, async () => {
      if (file.size > maxMb * MB)
        throw new Error(`The file has ${size(file.size)}. Files can be up to ${maxMb} MB.`)
      const kept = await api.sendFile(`/api/files?name=${encodeURIComponent(file.name)}`, file, {
        progress: (share) => say(`Uploading, ${Math.round(share * 100)} %`),
      })
      if (kept.media_type !== 'application/zip') return read(kept.id, kept.name, say)
      say('Unpacking…')
      const unpacked = await api.post(`/api/files/${kept.id}/unpack`, {})
      for (const { id, name } of unpacked.files) {
        const sayOfOne = row(name)
        queue(sayOfOne, () => read(id, name, sayOfOne))
      }
      for (const name of unpacked.left_out) row(name)('Not added', true)
      say(`Unpacked, ${unpacked.files.length} files`)
    })
  }

  return (files) => {
    panel.hidden = false
    for (const file of files) add(file)
  }
}

/** @param {unknown} error */
function wordsOf(error) {
  if (error instanceof ApiError) return [error.message, error.fix].filter(Boolean).join(' ')
  return error instanceof Error ? error.message : String(error)
}
