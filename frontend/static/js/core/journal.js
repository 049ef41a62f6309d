// @ts-check
// Where a tab keeps its history: IndexedDB, a row per step, written as it happens. What is written
// survives the tab.

/**
 * @typedef {import('./history-chain.js').Link} Link
 * @typedef {{ key: string, group: string, tab: string, at: number, position: number, length:
 *   number, isDirty: boolean, revision: number }} Head
 * `group`: what the history is of; `position`: steps done, of `length`; `revision`: what the server
 *   had of it
 * @typedef {{ head: Head, first: any, links: Link[] }} Kept
 */

const NAME = 'studio-drafts'
const VERSION = 1

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function answer(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/** All histories of one browser. */
export class Journal {
  /** @param {IDBDatabase} database */
  constructor(database) {
    this.database = database
  }

  /**
   * @returns {Promise<Journal | null>} null where the browser keeps nothing, as in some private
   *   windows
   */
  static async open() {
    try {
      const request = indexedDB.open(NAME, VERSION)
      request.onupgradeneeded = () => {
        request.result.createObjectStore('heads', { keyPath: 'key' }).createIndex('group', 'group')
        request.result.createObjectStore('rows')
      }
      return new Journal(await answer(request))
    } catch {
      return null
    }
  }

  /**
   * @param {string} group
   * @returns {Promise<Head[]>}
   */
  heads(group) {
    return answer(
      this.database.transaction('heads').objectStore('heads').index('group').getAll(group),
    )
  }

  /**
   * @param {string} key
   * @returns {Promise<Kept | null>}
   */
  async read(key) {
    const work = this.database.transaction(['heads', 'rows'])
    const [head, rows] = await Promise.all([
      answer(work.objectStore('heads').get(key)),
      answer(work.objectStore('rows').getAll(rowsOf(key))),
    ])
    if (!head || rows.length <= head.length) return null
    return { head, first: rows[0], links: rows.slice(1, head.length + 1) }
  }

  /**
   * Committed at once, so that it is kept even when the page goes the next moment. Rejects when
   * nothing of it was kept, as on a full disk.
   * @param {Head} head
   * @param {Map<number, any>} rows  by place: 0 is the first document, then the steps
   * @returns {Promise<void>}
   */
  async write(head, rows) {
    const work = this.database.transaction(['heads', 'rows'], 'readwrite')
    work.objectStore('heads').put(head)
    for (const [index, row] of rows) work.objectStore('rows').put(row, [head.key, index])
    work
      .objectStore('rows')
      .delete(IDBKeyRange.bound([head.key, head.length], [head.key, Infinity], true))
    work.commit()
    await new Promise((resolve, reject) => {
      work.oncomplete = resolve
      work.onabort = () => reject(work.error)
    })
  }

  /** @param {string} key */
  drop(key) {
    const work = this.database.transaction(['heads', 'rows'], 'readwrite')
    work.objectStore('heads').delete(key)
    work.objectStore('rows').delete(rowsOf(key))
    work.commit()
  }
}

/** @param {string} key */
function rowsOf(key) {
  return IDBKeyRange.bound([key, 0], [key, Infinity])
}
