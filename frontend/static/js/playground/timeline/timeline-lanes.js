// @ts-check
/** @import {NestingPath} from '../log/nested-runs.js' */
/** @import {TimelineBars} from './timeline-bars.js' */
/** @import {ColourBook} from '../flow/participants.js' */
import { el } from '../../core/dom.js'
import { nestingText } from '../log/nested-runs.js'

/** How far a lane is set in, for each participant that it stands within. */
const STEP_PX = 10
const MAX_DEPTH = 4

/**
 * @param {string} lane
 * @param {(name: string) => NestingPath} insideOf
 */
export function laneText(lane, insideOf) {
  const inside = insideOf(lane)
  return inside.length > 0 ? `${lane}, inside ${nestingText(inside)}` : lane
}

/**
 * The name before a lane.
 * @param {TimelineBars} bars
 * @param {string} lane
 * @param {{colours: ColourBook, insideOf: (name: string) => NestingPath}} options
 */
export function laneName(bars, lane, { colours, insideOf }) {
  const hue = bars.isHolder(lane) ? null : colours.hueOf(lane)
  const name = el(
    'div',
    {
      class: 'timeline-name',
      'data-hue': hue,
      'data-holder': hue === null,
      title: laneText(lane, insideOf),
    },
    el('span', { class: 'truncate' }, lane),
  )
  name.style.paddingInlineStart = `${Math.min(bars.depthOf(lane), MAX_DEPTH) * STEP_PX}px`
  return name
}
