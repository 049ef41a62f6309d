// @ts-check
// What the server found about a team, as a person works through it. Pure: no DOM.
import { get, isRecord, join, set, steps } from '../../core/pointer.js'
import { isComponent, KIND_NAME, kindOfType } from './catalogue.js'

/**
 * @typedef {import('../../core/api.js').Finding} Finding
 * @typedef {import('../../core/api.js').Fix} Fix
 * @typedef {import('../editor.js').Report} Report
 * @typedef {import('./commands.js').Doc} Doc
 * @typedef {import('./commands.js').Command} Command
 * @typedef {{ problems: Finding[], warnings: Finding[], dismissed: Finding[], needs:
 *   import('../editor.js').Need[],
 * asked: import('../editor.js').Capability[], noTeam: string }} Checked  `asked`: what a person
 *   must approve before a run; `noTeam`: why it cannot be run as it is
 */

/**
 * All that a report says of a team, by what is to be done about it.
 * @param {Report} report
 * @param {Doc} doc
 * @returns {Checked}
 */
export function sorted(report, doc) {
  const isDismissed = (/** @type {Finding} */ each) =>
    doc.layout.dismissed?.includes(keyOf(each, doc)) ?? false
  const warnings = report.warnings.filter((each) => each.code !== 'unknown_provider')
  return {
    problems: problems(report, doc),
    warnings: warnings.filter((each) => !isDismissed(each)),
    dismissed: warnings.filter(isDismissed),
    needs: report.needs,
    asked: report.capabilities.filter((each) => !each.approved),
    noTeam: noTeam(doc),
  }
}

/**
 * All that keeps the team from running: parts that have no engine here, and mistakes.
 * @param {Report} report
 * @param {Doc} doc
 * @returns {Finding[]}
 */
export function problems(report, doc) {
  const opaque = report.parts
    .filter((part) => part.status === 'opaque')
    .map(({ where }) => {
      const component = get(doc.component, where)
      const what = isComponent(component) ? `\`${component.provider}\`` : 'A component'
      return {
        code: 'opaque',
        where,
        message: `${what} cannot run: no installed package provides it.`,
        fix: 'It is kept and exported unchanged. Install its package where the studio runs, or replace it.',
      }
    })
  return [...opaque, ...report.errors]
}

/**
 * Why what is no team has no run of its own; "" for a team, and for what says nothing of its kind.
 * @param {Doc} doc
 */
export function noTeam({ component }) {
  const type = component?.component_type
  if (typeof type !== 'string' || type === '' || type === 'team') return ''
  const name = KIND_NAME[kindOfType(type)]
  return `This is ${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}, not a team: it can be tried alone, or used in a team.`
}

/**
 * An agent as the only member of a new team.
 * @param {import('./catalogue.js').Component} team  as the palette adds it
 * @returns {Command}
 */
export function wrapInTeam(team) {
  return {
    label: 'Wrap in a team',
    select: '',
    apply: (doc) => ({
      ...doc,
      component: {
        ...structuredClone(team),
        config: { ...structuredClone(team.config), participants: [doc.component] },
      },
    }),
  }
}

/**
 * Findings that say the same of many places, each a group with its first.
 * @param {Finding[]} findings
 * @returns {Finding[][]}
 */
export function alike(findings) {
  /** @type {Map<string, Finding[]>} */
  const groups = new Map()
  for (const each of findings) {
    const key = JSON.stringify([each.code, each.message, each.fix])
    groups.set(key, [...(groups.get(key) ?? []), each])
  }
  return [...groups.values()]
}

/**
 * Warnings that nobody dismissed.
 * @param {Report} report
 * @param {Doc} doc
 * @returns {Finding[]}
 */
export function warningsOf(report, doc) {
  return sorted(report, doc).warnings
}

/**
 * The one line on the button.
 * @param {Checked} checked
 * @param {boolean} isKnown
 */
export function headline({ problems: wrong, warnings, needs, noTeam: notRun }, isKnown) {
  if (!isKnown) return { state: 'waiting', text: 'Checking', glyph: 'loader-circle' }
  if (wrong.length > 0)
    return { state: 'error', text: counted(wrong.length, 'error'), glyph: 'circle-alert' }
  if (needs.length > 0)
    return {
      state: 'warning',
      text: `${counted(needs.length, 'secret')} missing`,
      glyph: 'key-round',
    }
  if (warnings.length > 0)
    return { state: 'warning', text: counted(warnings.length, 'warning'), glyph: 'lightbulb' }
  if (notRun) return { state: 'off', text: 'Not a team', glyph: 'lightbulb' }
  return { state: 'ok', text: 'Ready', glyph: 'circle-check' }
}

/**
 * @param {number} count
 * @param {string} noun
 */
export function counted(count, noun) {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`
}

/**
 * Codes that had another name when warnings were dismissed under them; they are stored by that one.
 * @type {Record<string, string>}
 */
const CODE_WHEN_DISMISSED = { coerced: 'lenient' }

/**
 * What a finding is known by when it is dismissed: its code and its place, told by the names of
 * agents rather than their order, so that moving an agent does not bring it back.
 * @param {Finding} finding
 * @param {Doc} doc
 */
export function keyOf(finding, doc) {
  const way = steps(finding.where)
  const names = way.map((step, index) => {
    const here = get(doc.component, join('', ...way.slice(0, index + 1)))
    const name = isComponent(here) && isRecord(here.config) ? here.config['name'] : undefined
    return typeof name === 'string' ? name : step
  })
  return [CODE_WHEN_DISMISSED[finding.code] ?? finding.code, ...names].join(' ')
}

/**
 * @param {Finding} finding
 * @returns {Command}
 */
export function dismiss(finding) {
  return {
    label: 'Dismiss a warning',
    apply: (doc) => withDismissed(doc, [...(doc.layout.dismissed ?? []), keyOf(finding, doc)]),
  }
}

/**
 * @param {Finding} finding
 * @returns {Command}
 */
export function showAgain(finding) {
  return {
    label: 'Show a warning again',
    apply: (doc) =>
      withDismissed(
        doc,
        (doc.layout.dismissed ?? []).filter((each) => each !== keyOf(finding, doc)),
      ),
  }
}

/**
 * @param {Doc} doc
 * @param {string[]} keys
 * @returns {Doc}
 */
function withDismissed(doc, keys) {
  const { dismissed: _, ...layout } = doc.layout
  return { ...doc, layout: keys.length > 0 ? { ...layout, dismissed: [...new Set(keys)] } : layout }
}

/**
 * @param {Fix} fix
 * @returns {Command}
 */
export function applyFix({ label, pointer, value }) {
  return { label, apply: (doc) => ({ ...doc, component: set(doc.component, pointer, value) }) }
}

/**
 * Read a secret of the studio at these places.
 * @param {string[]} places
 * @param {string} name
 * @returns {Command}
 */
export function referTo(places, name) {
  return {
    label: `Use the secret ${name}`,
    apply: (doc) => ({
      ...doc,
      component: places.reduce((root, place) => set(root, place, `secret:${name}`), doc.component),
    }),
  }
}
