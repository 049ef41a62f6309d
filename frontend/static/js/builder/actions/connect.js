// @ts-check
import { explainDisabled } from '../../core/keyboard.js'
import { choose } from '../../core/chooser.js'
import { notifyChanged } from '../actions.js'
import { connectToNew, isConnectable } from '../canvas/gestures/connect.js'
import { centre } from '../canvas/layout/geometry.js'
import { inOneStep } from '../document/commands.js'
import {
  connect,
  disconnect,
  removeBridged,
  startWith,
  turn,
  waitFor,
  connectRefusal,
} from '../document/connections.js'
import { connectionText, endsOf, existingPart } from '../document/parts.js'
import { groupsInto, isGraph } from '../document/graph.js'

/**
 * @typedef {import('../editor.js').Editor} Editor
 * @typedef {import('../canvas/canvas.js').Canvas} Canvas
 * @typedef {import('../../core/actions.js').Action} Action
 */

const NEW = 'new'

/**
 * The edges of a graph and the handoffs of a swarm, by keyboard and menu.
 * @param {Editor} editor
 * @param {Canvas} canvas
 * @returns {Action[]}
 */
export function connectActions(editor, canvas) {
  const card = () => {
    const part = existingPart(editor.root, editor.selection)
    return canvas.scene?.cards.find((each) =>
      part?.kind === 'node'
        ? each.name === part.from
        : each.pointer === canvas.cardOf(editor.selection),
    )
  }
  const edges = () => (canvas.scene?.edges ?? []).filter((each) => each.pointer !== '')
  const isEdge = () => endsOf(editor.root, editor.selection) !== undefined
  const inTeam = () =>
    isConnectable(canvas) ? true : 'This type of team has no connections to edit.'
  const onCardOrEdge = () =>
    inTeam() !== true ? inTeam() : isEdge() || card() ? true : 'Select an agent first.'
  const onCard = () => (inTeam() !== true ? inTeam() : card() ? true : 'Select an agent first.')
  const inGraph = () => (canvas.scene?.flow === 'graph' ? onCard() : 'Only graph teams have this.')
  const waiting = () =>
    inGraph() !== true
      ? inGraph()
      : groups().length > 0
        ? true
        : 'This node has fewer than two incoming edges.'
  const groups = () => {
    const graph = canvas.scene?.team.config?.['graph']
    return isGraph(graph)
      ? groupsInto(graph, card()?.name ?? '').filter((each) => each.sources.length > 1)
      : []
  }
  /** @type {Omit<Action, 'group' | 'scope'>[]} */
  const list = [
    {
      id: 'connect',
      label: 'Connect to…',
      icon: 'workflow',
      keys: ['e'],
      menu: true,
      when: onCardOrEdge,
      run: () => void connectSomewhere(editor, canvas),
    },
    {
      id: 'disconnect',
      label: 'Disconnect…',
      icon: 'unplug',
      keys: ['shift+e'],
      menu: true,
      when: onCardOrEdge,
      run: () => void disconnectSomething(editor, canvas),
    },
    {
      id: 'next-edge',
      label: 'Next edge',
      icon: 'chevron-right',
      keys: ['.'],
      when: () => (edges().length > 0 ? true : 'There are no edges.'),
      run: () => walk(1),
    },
    {
      id: 'previous-edge',
      label: 'Previous edge',
      icon: 'chevron-left',
      keys: [','],
      when: () => (edges().length > 0 ? true : 'There are no edges.'),
      run: () => walk(-1),
    },
    {
      id: 'start-here',
      label: 'Start here',
      icon: 'play',
      menu: true,
      when: inGraph,
      run: () => void editor.run(startWith(editor.view, card()?.name ?? '')),
    },
    {
      id: 'wait',
      label: 'Switch between waiting for any and for all',
      icon: 'timer',
      keys: ['w'],
      menu: true,
      when: waiting,
      run: () => switchWaiting(),
    },
    {
      id: 'remove-bridged',
      label: 'Delete and reconnect',
      icon: 'trash-2',
      keys: ['shift+delete', 'shift+backspace'],
      menu: true,
      isDanger: true,
      when: onCard,
      run: () => void editor.run(removeBridged(card()?.pointer ?? '')),
    },
  ]
  return list.map((each) => ({
    needs: /edge$/.test(each.id) ? 'viewer' : 'editor',
    ...each,
    group: 'Connect',
    scope: 'canvas',
  }))

  /** For all groups of edges that lead to the card. */
  function switchWaiting() {
    const name = card()?.name ?? ''
    const commands = groups().map(({ group, activation }) =>
      waitFor(editor.view, name, group, activation === 'all' ? 'any' : 'all'),
    )
    editor.run(
      commands.length === 1 && commands[0]
        ? commands[0]
        : inOneStep(`Change activation of ${name}`, commands),
    )
  }

  /**
   * From a card to its first edge, from an edge to the next of all.
   * @param {1 | -1} by
   */
  function walk(by) {
    const all = edges()
    const here = all.findIndex((each) => each.pointer === editor.selection)
    const own = canvas.scene?.cards.findIndex((each) => each.pointer === card()?.pointer) ?? -1
    const first = all.findIndex((each) => each.from === own)
    const next =
      here >= 0
        ? (here + by + all.length) % all.length
        : Math.max(0, first >= 0 ? first : all.findIndex((each) => each.to === own))
    const edge = all[next]
    if (!edge) return
    editor.select(edge.pointer)
    const boxes = [canvas.boxes[edge.from], canvas.boxes[edge.to]]
      .filter((box) => box !== undefined)
      .map(centre)
    const [a, b] = [boxes[0], boxes.at(-1)]
    if (a && b)
      canvas.viewport.reveal({
        x: (a.x + b.x) / 2 - 60,
        y: (a.y + b.y) / 2 - 30,
        width: 120,
        height: 60,
      })
  }
}

/**
 * Ask whom the selected card, or the end of the selected edge, leads to.
 * @param {Editor} editor
 * @param {Canvas} canvas
 * @param {string} [pointer]
 */
export async function connectSomewhere(editor, canvas, pointer = editor.selection) {
  const { scene } = canvas
  const ends = endsOf(editor.root, pointer)
  const from = scene?.cards.find((each) =>
    ends ? each.name === ends.from : each.pointer === canvas.cardOf(pointer),
  )
  if (!scene || !from) return explainDisabled('Select an agent first.')
  const options = scene.cards.map((each) => {
    const reason = connectRefusal(
      editor.catalogue,
      editor.root,
      scene.pointer,
      from.pointer,
      each.name,
      ends ? pointer : '',
    )
    return {
      id: each.pointer,
      label: each.name,
      detail: reason || (each.name === from.name ? 'itself, as a loop' : each.type),
      icon: 'bot',
      kind: each.kind,
      ...(reason ? { reason } : {}),
    }
  })
  if (!ends) options.push({ id: NEW, label: 'New agent…', detail: '', icon: 'plus', kind: 'agent' })
  const title = ends ? `Redirect the edge from ${from.name} to` : `Connect ${from.name} to`
  const places = [scene.pointer, from.pointer, pointer].map((each) => editor.keepPlace(each))
  const chosen = await choose({
    title,
    placeholder: `${title}…`,
    find: (query) => named(options, query),
  })
  if (!chosen) return
  const to = scene.cards.find((each) => each.pointer === chosen.id)
  const [team, member, edge] = places.map((placeOf) => placeOf())
  if (team === undefined || member === undefined || (ends && edge === undefined))
    return notifyChanged()
  if (chosen.id === NEW) return connectToNew(editor, canvas, member)
  if (to) editor.run(ends ? turn(edge ?? '', to.name) : connect(team, member, to.name))
}

/**
 * @template {import('../../core/chooser.js').Option} O
 * @param {O[]} options
 * @param {string} query
 */
function named(options, query) {
  return options.filter((each) => each.label.toLowerCase().includes(query.toLowerCase()))
}

/**
 * Remove the selected edge, or ask which one of the selected card.
 * @param {Editor} editor
 * @param {Canvas} canvas
 */
async function disconnectSomething(editor, canvas) {
  const { scene } = canvas
  if (endsOf(editor.root, editor.selection)) return void editor.run(disconnect(editor.selection))
  const own =
    scene?.cards.findIndex((each) => each.pointer === canvas.cardOf(editor.selection)) ?? -1
  const found = (scene?.edges ?? []).filter(
    (each) => each.pointer !== '' && (each.from === own || each.to === own),
  )
  if (found.length === 0) return explainDisabled('This agent has no connections.')
  const options = found.map((each) => ({
    id: each.pointer,
    label: editor.titleAt(each.pointer),
    detail: connectionText(editor.root, each.pointer),
    icon: 'unplug',
  }))
  const title = `Disconnect ${scene?.cards[own]?.name ?? ''}`
  const places = new Map(found.map((each) => [each.pointer, editor.keepPlace(each.pointer)]))
  const chosen = await choose({
    title,
    placeholder: `${title}…`,
    find: (query) => named(options, query),
  })
  if (!chosen) return
  const pointer = places.get(chosen.id)?.()
  if (pointer === undefined) return notifyChanged()
  editor.run(Object.assign(disconnect(pointer), { select: editor.selection }))
}
