// @ts-check
/** @import {Body, SaidFile, Task} from '../types.js' */

/**
 * A number of bytes as people read it.
 * @param {number} bytes
 */
export function size(bytes) {
  for (const [unit, factor] of /** @type {const} */ ([
    ['GB', 1024 ** 3],
    ['MB', 1024 ** 2],
    ['KB', 1024],
  ]))
    if (bytes >= factor) return `${(bytes / factor).toFixed(1).replace(/\.0$/, '')} ${unit}`
  return `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`
}

/**
 * How much of a prompt a text takes.
 * @param {{tokens: number, pages: number | null, is_cut: boolean}} text
 */
export function amount({ tokens, pages, is_cut: isCut }) {
  const counted = pages === null ? '' : `${pages} ${pages === 1 ? 'page' : 'pages'}, `
  return `${counted}about ${tokens.toLocaleString('en')} tokens${isCut ? ', cut' : ''}`
}

/**
 * The files that the metadata of a message, or an event of a tool, tells of.
 * @param {Body} body
 * @returns {SaidFile[]}
 */
export function filesOf({ type, name, content, metadata }) {
  if (type === 'ToolEvent')
    return name === 'files' && Array.isArray(content) ? content.filter(isFile) : []
  if (typeof metadata?.files !== 'string') return []
  try {
    const found = JSON.parse(metadata.files)
    return Array.isArray(found) ? found.filter(isFile) : []
  } catch {
    return []
  }
}

/**
 * The files that a command gives a run.
 * @param {Body} body
 * @returns {SaidFile[]}
 */
export function filesGiven({ files }) {
  const parts = Array.isArray(files) ? files : []
  return parts.map((part) => part?.file).filter(isFile)
}

/** @param {any} file */
function isFile(file) {
  return typeof file?.name === 'string' && /^[0-9a-f]{64}$/.test(file.sha256)
}

/**
 * The content of a message without the texts of its files, which are shown as files.
 * @param {Body} body
 * @returns {Body}
 */
export function withoutFileTexts(body) {
  if (typeof body.metadata?.files !== 'string') return body
  const written = Number(body.metadata.written)
  if (!Number.isInteger(written)) return body
  if (typeof body.content === 'string')
    return { ...body, content: [...body.content].slice(0, written).join('') }
  if (!Array.isArray(body.content)) return body
  let left = written
  const content = body.content.flatMap((part) => {
    if (typeof part !== 'string') return [part]
    const characters = [...part]
    const shown = characters.slice(0, Math.max(left, 0)).join('')
    left -= characters.length + 2 // what stands between two texts
    return shown === '' ? [] : [shown]
  })
  return { ...body, content }
}

/**
 * The files of a task that was given before, to be given again.
 * @param {Task} task
 */
export function filesIn(task) {
  return (Array.isArray(task) ? task : []).flatMap((part) =>
    typeof part !== 'string' && part.file && isFile(part.file)
      ? [
          {
            id: part.file.sha256,
            name: part.file.name,
            size: part.file.size,
            use: part.use ?? 'folder',
          },
        ]
      : [],
  )
}

/**
 * Where a file is downloaded.
 * @param {{sha256: string, name: string}} file
 */
export function addressOf({ sha256, name }) {
  return `/api/files/${sha256}?name=${encodeURIComponent(name)}`
}
