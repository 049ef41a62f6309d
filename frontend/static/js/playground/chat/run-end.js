// @ts-check
/** @import {Item} from '../types.js' */
import { el, icon } from '../../core/dom.js'

/**
 * The last line of a run: how it ended, and what can be done where it failed.
 * @param {Item} item
 */
export function renderEnd(item) {
  const glyph =
    { finished: 'circle-check', failed: 'circle-alert', interrupted: 'triangle-alert' }[
      item.state
    ] ?? 'circle-stop'
  const { agent = '', model = '' } = item.culprit ?? {}
  return el(
    'div',
    { class: 'run-end', 'data-state': item.state },
    icon(glyph),
    el(
      'div',
      {},
      el(
        'p',
        {},
        model !== '' && el('strong', {}, [agent, model].filter(Boolean).join(', '), ': '),
        item.label,
      ),
      ...item.parts.map((part) => el('p', { class: 'muted' }, part.value)),
      item.state === 'failed' &&
        el(
          'div',
          { class: 'run-end-actions' },
          model !== '' &&
            el(
              'button',
              { type: 'button', class: 'button small', 'data-open-model': agent },
              icon('pencil'),
              'Open the model',
            ),
          el(
            'button',
            { type: 'button', class: 'button small', 'data-retry': true, 'data-needs': 'editor' },
            icon('rotate-ccw'),
            'Try again from here',
          ),
        ),
    ),
  )
}
