// @ts-check
/** @import {RunFile} from '../types.js' */
/** @import {FileChanges} from './changes-view.js' */
import { api } from '../../core/api.js'
import { el, find } from '../../core/dom.js'
import { toastError } from '../../core/toast.js'
import { changesView } from './changes-view.js'
import { size } from './file-words.js'
import { preview } from './preview.js'

const MAX_PIXELS = 4_000_000
/** Of 255, in any color: less is not seen. */
const MIN_DIFFERENCE = 8

/**
 * The files of two runs, matched by name: the newest of each.
 * @param {HTMLElement} section
 */
export async function compareFiles(section) {
  const { before = '', after = '' } = section.dataset
  const [first, second] = await Promise.all([before, after].map(newestOf))
  if (!first || !second || first.size + second.size === 0) return
  const names = [...new Set([...first.keys(), ...second.keys()])].sort()
  find('ul', section).replaceChildren(
    ...names.map((name) => line(before, first.get(name), after, second.get(name))),
  )
  section.hidden = false
}

/**
 * @param {string} runId
 * @returns {Promise<Map<string, RunFile>>}
 */
async function newestOf(runId) {
  /** @type {RunFile[]} */
  const files = await api.get(`/api/runs/${runId}/files`)
  return new Map(files.map((file) => [file.name, file]))
}

/**
 * @param {string} before
 * @param {RunFile | undefined} one
 * @param {string} after
 * @param {RunFile | undefined} other
 */
function line(before, one, after, other) {
  const name = el('span', { class: 'file-name' }, (one ?? other)?.name ?? '')
  const state = (/** @type {string} */ words) => el('span', { class: 'muted small' }, ` ${words}`)
  if (!one || !other)
    return el('li', {}, name, state(one ? 'Only in the first run' : 'Only in the second run'))
  if (one.id === other.id) return el('li', {}, name, state('Identical'))
  const sizes = `Differs · ${size(one.size)}, then ${size(other.size)}`
  const details = el('details', {}, el('summary', {}, name, state(sizes)))
  const read = async () => {
    try {
      const query = `to_number=${other.number}&to_run=${encodeURIComponent(after)}`
      /** @type {FileChanges} */
      const changes = await api.get(`/api/runs/${before}/files/${one.number}/changes?${query}`)
      details.append(
        changes.kind === 'picture'
          ? await pictures(before, one, after, other)
          : changesView(changes),
      )
    } catch (error) {
      toastError(error)
    }
  }
  details.addEventListener('toggle', () => details.childElementCount === 1 && void read())
  return el('li', {}, details)
}

/**
 * Both side by side, and which pixels differ.
 * @param {string} before
 * @param {RunFile} one
 * @param {string} after
 * @param {RunFile} other
 */
async function pictures(before, one, after, other) {
  const life = new AbortController()
  const shown = await Promise.all([
    preview(`/api/runs/${before}/files/${one.number}`, one, life.signal),
    preview(`/api/runs/${after}/files/${other.number}`, other, life.signal),
  ])
  const words = ['First run', 'Second run']
  const box = el(
    'div',
    { class: 'compare-pictures' },
    ...shown.map((image, place) =>
      el('figure', {}, image, el('figcaption', { class: 'muted small' }, words[place] ?? '')),
    ),
  )
  const [left, right] = shown
  if (left instanceof HTMLImageElement && right instanceof HTMLImageElement) {
    await Promise.all([left.decode(), right.decode()])
    box.append(pixels(left, right))
  }
  return box
}

/**
 * @param {HTMLImageElement} one
 * @param {HTMLImageElement} other
 */
function pixels(one, other) {
  const [width, height] = [one.naturalWidth, one.naturalHeight]
  const caption = el('figcaption', { class: 'muted small' })
  if (width !== other.naturalWidth || height !== other.naturalHeight) {
    caption.textContent = `Sizes differ: ${width} × ${height}, then ${other.naturalWidth} × ${other.naturalHeight} pixels`
    return el('figure', {}, caption)
  }
  if (width * height > MAX_PIXELS) {
    caption.textContent = 'The pictures are too large to compare their pixels.'
    return el('figure', {}, caption)
  }
  const canvas = /** @type {HTMLCanvasElement} */ (
    el('canvas', {
      width,
      height,
      class: 'file-picture',
      role: 'img',
      'aria-label': 'Pixels that differ',
    })
  )
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (!context) return el('figure', {}, caption)
  const [before, after] = [one, other].map((image) => {
    context.clearRect(0, 0, width, height)
    context.drawImage(image, 0, 0)
    return context.getImageData(0, 0, width, height)
  })
  if (!before || !after) return el('figure', {}, caption)
  const marks = context.createImageData(width, height)
  let count = 0
  for (let at = 0; at < marks.data.length; at += 4) {
    if (!differs(before.data, after.data, at)) continue
    marks.data.set([220, 38, 38, 255], at)
    count += 1
  }
  context.putImageData(marks, 0, 0)
  const share = ((100 * count) / (width * height)).toFixed(1)
  const differing = count === 1 ? 'pixel differs' : 'pixels differ'
  caption.textContent = `${count.toLocaleString('en')} ${differing}, ${share} %`
  return el('figure', {}, canvas, caption)
}

/**
 * @param {Uint8ClampedArray} one
 * @param {Uint8ClampedArray} other
 * @param {number} at
 */
function differs(one, other, at) {
  for (let color = at; color < at + 4; color += 1)
    if (Math.abs((one[color] ?? 0) - (other[color] ?? 0)) >= MIN_DIFFERENCE) return true
  return false
}
