// @ts-check
import { actionOptions } from '../../core/action-options.js'
import { el } from '../../core/dom.js'
import { offerInPalette, openPalette } from '../../core/palette.js'
import { ranked } from '../../core/ranking.js'
import { recent, remember } from '../../core/recent.js'
import { KIND_ICON, titleOf, typeLabel } from '../document/catalogue.js'
import { slotPath } from '../document/move-targets.js'
import { slotOf } from '../document/slot-targets.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../../core/actions.js').Action} Action
 * @typedef {import('../../core/actions.js').Actions} Actions
 * @typedef {import('../../core/chooser.js').Option} Option
 */

const RECENT = 'studio-recent-actions'
const RECENT_COUNT = 4
const ID = 'command-palette'

/**
 * Everything that can be done here, by name: actions, and with `@` the agents, with `#` the tools
 * of the team.
 * @param {Editor} editor
 * @param {Actions} actions
 * @param {(pointer: string) => void} goTo  select a component and bring the focus to it
 * @returns {Action[]}
 */
export function paletteActions(editor, actions, goTo) {
  offerInPalette({
    find: (query) => found(editor, actions, query),
    isOwn: (query) => /^[@#]/.test(query),
    none: nothing,
    hints: () => [hint('@', 'agents'), hint('#', 'tools')],
    run: ({ id }, before) => {
      if (id.startsWith('/')) return goTo(id.slice(1))
      remember(RECENT, id, RECENT_COUNT)
      if (before === document.body && actions.find(id)?.scope === 'canvas') goTo(editor.selection)
      actions.run(id)
    },
  })
  return [
    {
      id: ID,
      label: 'Find a command',
      icon: 'search',
      keys: ['mod+k'],
      inFields: true,
      group: 'Help',
      scope: 'page',
      run: () => void openPalette(),
    },
    {
      id: 'go-to-agent',
      label: 'Go to an agent',
      icon: 'bot',
      group: 'View',
      scope: 'page',
      keys: ['@'],
      run: () => void openPalette('@'),
    },
    {
      id: 'go-to-tool',
      label: 'Go to a tool',
      icon: 'wrench',
      group: 'View',
      scope: 'page',
      keys: ['#'],
      run: () => void openPalette('#'),
    },
  ]
}

/**
 * What a query finds, best first.
 * @param {Editor} editor
 * @param {Actions} actions
 * @param {string} query
 * @returns {Option[]}
 */
export function found(editor, actions, query) {
  if (query.startsWith('@')) return components(editor, query.slice(1), ['agent', 'team'])
  if (query.startsWith('#')) return components(editor, query.slice(1), ['tool', 'workbench'])
  const options = actionOptions(
    actions.all().filter((each) => each.id !== ID),
    query,
    recent(RECENT),
  )
  return query === '' ? options : [...options, ...components(editor, query)]
}

/**
 * @param {Editor} editor
 * @param {string} query
 * @param {string[]} [kinds]
 * @returns {Option[]}
 */
function components(editor, query, kinds) {
  const { catalogue, root } = editor
  const inTeam = [...catalogue.walk(root)].filter(({ component, pointer }) =>
    kinds ? kinds.includes(catalogue.kindOf(component)) && pointer !== '' : true,
  )
  const options = inTeam.map(({ component, pointer }) => {
    const kind = catalogue.kindOf(component)
    const label = editor.titleAt(pointer)
    const where = pointer === '' ? '' : slotPath(root, slotOf(pointer))
    return {
      id: `/${pointer}`,
      label,
      detail: [typeLabel(component.provider), where]
        .filter((each) => each && each !== label)
        .join(' · '),
      group: 'In this team',
      icon: KIND_ICON[kind],
      kind,
      aside: `${typeLabel(component.provider)} ${titleOf(component)}`,
    }
  })
  return ranked(query, options, (each) => each)
}

/** @param {string} query */
function nothing(query) {
  if (query.startsWith('@')) return 'No agent of this team has that name.'
  return query.startsWith('#')
    ? 'No tool of this team has that name.'
    : 'No command, component or page has that name.'
}

/**
 * @param {string} key
 * @param {string} text
 */
function hint(key, text) {
  return el('span', {}, el('kbd', {}, key), text)
}
