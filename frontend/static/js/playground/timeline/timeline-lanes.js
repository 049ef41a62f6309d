// @ts-check
/** @import {Inside} from '../log/insides.js' */
/** @import {TimelineBars} from './timeline-bars.js' */
/** @import {ColourBook} from '../flow/participants.js' */
import { el } from '../../core/dom.js'
import { insideWords } from '../log/insides.js'

/** How far a lane is set in, for each participant that it stands within. */
const STEP_PX = 10
const DEEPEST = 4

/**
 * @param {string} lane
 * @param {(name: string) => Inside} insideOf
 */
export function laneWords(lane, insideOf) {
  const inside = insideOf(lane)
  return inside.length > 0 ? `${lane}, inside ${insideWords(inside)}` : lane
}

/**
 * The name before a lane.
 * @param {TimelineBars} bars
 * @param {string} lane
 * @param {{colours: ColourBook, insideOf: (name: string) => Inside}} options
 */
export function laneName(bars, lane, { colours, insideOf }) {
  const hue = bars.isHolder(lane) ? null : colours.hueOf(lane)
  const name = el(
    'div',
    {
      class: 'timeline-name',
      'data-hue': hue,
      'data-holder': hue === null,
      title: laneWords(lane, insideOf),
    },
    el('span', { class: 'truncate' }, lane),
  )
  name.style.paddingInlineStart = `${Math.min(bars.depthOf(lane), DEEPEST) * STEP_PX}px`
  return name
}
