// @ts-check

const MAX_FILES = 5000

/**
 * All files that were dropped, those in folders included; hidden ones are left out.
 * @param {DataTransfer} dropped
 * @returns {Promise<File[]>}
 */
export async function droppedFiles(dropped) {
  // They are only there while the event is handled.
  const entries = [...dropped.items].map((item) => item.webkitGetAsEntry?.() ?? null)
  const plain = [...dropped.files]
  if (!entries.some((entry) => entry?.isDirectory)) return plain
  /** @type {File[]} */
  const found = []
  for (const entry of entries) if (entry) await collect(entry, found)
  return found
}

/**
 * @param {FileSystemEntry} entry
 * @param {File[]} found
 */
async function collect(entry, found) {
  if (found.length >= MAX_FILES || entry.name.startsWith('.')) return
  if (entry.isFile)
    found.push(
      await new Promise((resolve, reject) =>
        /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject),
      ),
    )
  else for (const each of await entriesOf(entry)) await collect(each, found)
}

/**
 * @param {FileSystemEntry} folder
 * @returns {Promise<FileSystemEntry[]>}
 */
async function entriesOf(folder) {
  const reader = /** @type {FileSystemDirectoryEntry} */ (folder).createReader()
  /** @type {FileSystemEntry[]} */
  const all = []
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject))
    if (some.length === 0) return all
    all.push(...some)
  }
}
