// @ts-check
/** @import {SaidFile} from '../types.js' */
import { el, icon } from '../../core/dom.js'
import { addressOf, size } from './file-words.js'

/**
 * The files of a message, each to be opened or downloaded.
 * @param {SaidFile[] | undefined} files
 * @returns {HTMLElement | false}
 */
export function fileLinks(files) {
  if (!files || files.length === 0) return false
  return el(
    'ul',
    { class: 'file-links', role: 'list', 'aria-label': 'Files' },
    ...files.map((file) =>
      el(
        'li',
        {},
        el(
          'a',
          {
            class: 'chip plain',
            href: addressOf(file),
            download: file.name.split('/').at(-1),
            'data-file': file.sha256,
            'data-name': file.name,
            title: `Open ${file.name}`,
          },
          icon(file.media_type.startsWith('image/') ? 'image' : 'file-code'),
          el('span', {}, file.name),
          el('span', { class: 'muted numeric' }, size(file.size)),
        ),
      ),
    ),
  )
}
