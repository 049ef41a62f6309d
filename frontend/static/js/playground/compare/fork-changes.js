// @ts-check
// What can be otherwise in a fork, as the server is told it. No DOM.
/** @import {Body, Entry, RunSummary} from '../types.js' */

/** The name of a field that is the only one. */
const TEXT = 'text'

/**
 * @typedef {'same' | 'redo' | 'text' | 'result' | 'instructions' | 'model' | 'team'} ChangeKind
 * @typedef {{ name: string, label: string, text: string }} Field  `text`: what stands there now
 * @typedef {{ kind: ChangeKind, label: string, help: string, fields: Field[], isLong?: boolean }}
 *   Choice
 * @typedef {{ entry: Entry, executed?: Entry | undefined, component: Body, hasTeam: boolean }}
 *   Place  `executed`: the event with the results of the calls in `entry`
 */

/**
 * Everything that can be changed at an entry, the most likely first.
 * @param {Place} place
 * @returns {Choice[]}
 */
export function choicesAt({ entry, executed, component, hasTeam }) {
  const { body } = entry
  const agent = agentOf(component, String(body.source))
  const isSaid = entry.kind === 'message'
  /** @type {(Choice | false)[]} */
  const choices = [
    isSaid &&
      typeof body.content === 'string' && {
        kind: 'text',
        ...one('Message text', body.content),
        help: 'The team continues as if this had been said.',
        isLong: true,
      },
    executed !== undefined && { kind: 'result', ...results(executed), isLong: true },
    agent !== null && {
      kind: 'redo',
      label: 'Regenerate',
      help: 'Nothing else changes; the model may answer differently.',
      fields: [],
    },
    typeof agent?.config?.system_message === 'string' && {
      kind: 'instructions',
      ...one(`System message of ${body.source}`, agent.config.system_message),
      help: 'The model uses them from here on.',
      isLong: true,
    },
    typeof agent?.config?.model_client?.config?.model === 'string' && {
      kind: 'model',
      ...one(`Model of ${body.source}`, agent.config.model_client.config.model),
      help: 'It is used from here on. The key and the service stay the same.',
    },
    hasTeam && {
      kind: 'team',
      label: 'The saved version of the team',
      help: 'Use the current version of the team from here on.',
      fields: [],
    },
    {
      kind: 'same',
      label: 'No change',
      help: 'Continue from here again.',
      fields: [],
    },
  ]
  return choices.filter((each) => each !== false)
}

/**
 * @param {string} label
 * @param {string} text
 */
const one = (label, text) => ({ label, fields: [{ name: TEXT, label, text }] })

/**
 * A field for each result of an event, by the ids of the calls.
 * @param {Entry} executed
 */
function results(executed) {
  /** @type {Body[]} */
  const given = executed.body.content
  const isOne = given.length === 1
  const label = isOne ? 'Tool result' : 'Tool results'
  const help = isOne
    ? 'The tool is not called again: the agent gets this result.'
    : 'No tool is called again: the agent gets these results.'
  const fields = given.map(({ name, call_id: id, content }, index) => ({
    name: String(id),
    label: isOne ? label : `${index + 1}. ${name}`,
    text: String(content ?? ''),
  }))
  return { label, help, fields }
}

/**
 * The request for a fork.
 * @param {Place} place
 * @param {ChangeKind} kind
 * @param {{[name: string]: string}} texts  of the fields
 * @param {Body | undefined} [saved]  the team as it is saved now
 */
export function forkBody({ entry, executed, component }, kind, texts, saved) {
  const { seq, body } = entry
  const source = String(body.source)
  const text = texts[TEXT] ?? ''
  switch (kind) {
    case 'text':
      return { seq, edits: { [body.id]: text } }
    case 'result':
      return {
        seq: executed?.seq ?? seq,
        tool_results: executed ? changedResults(executed, texts) : {},
      }
    case 'redo':
      return { seq, redo: true }
    case 'instructions':
      return {
        seq,
        redo: true,
        component: withAgent(component, source, (config) => {
          config.system_message = text
        }),
      }
    case 'model':
      return {
        seq,
        redo: true,
        component: withAgent(component, source, (config) => {
          setModel(config.model_client.config, text)
        }),
      }
    case 'team':
      return { seq, redo: agentOf(component, source) !== null, component: saved }
    case 'same':
      return { seq }
  }
}

/**
 * Those of several results that are others now; a single one whatever it is.
 * @param {Entry} executed
 * @param {{[name: string]: string}} texts
 */
function changedResults(executed, texts) {
  const { fields } = results(executed)
  const changed = fields.filter(({ name, text }) => fields.length === 1 || texts[name] !== text)
  return Object.fromEntries(changed.map(({ name }) => [name, texts[name] ?? '']))
}

/**
 * What a model can do was told for the old one.
 * @param {Body} config
 * @param {string} model
 */
function setModel(config, model) {
  config.model = model
  delete config.model_info
}

/**
 * The agent of that name, in the team or a team inside it.
 * @param {unknown} component
 * @param {string} name
 * @returns {Body | null}
 */
export function agentOf(component, name) {
  if (Array.isArray(component)) {
    for (const each of component) {
      const found = agentOf(each, name)
      if (found) return found
    }
    return null
  }
  if (component === null || typeof component !== 'object') return null
  const envelope = /** @type {Body} */ (component)
  if (typeof envelope.provider === 'string' && envelope.config?.name === name) return envelope
  return agentOf(Object.values(envelope), name)
}

/**
 * A copy of the team in which the config of one agent is another.
 * @param {Body} component
 * @param {string} name
 * @param {(config: Body) => void} change
 */
export function withAgent(component, name, change) {
  const copy = structuredClone(component)
  const agent = agentOf(copy, name)
  if (agent) change(agent.config)
  return copy
}

/**
 * Runs in the order of their tree: each before those that go on from it; whoever has no parent here
 * stands at the top.
 * @template {Pick<RunSummary, 'id'> & {parent_id?: string | null}} R
 * @param {R[]} runs  newest first
 * @returns {{run: R, depth: number}[]}
 */
export function asTree(runs) {
  const here = new Set(runs.map((run) => run.id))
  /** @type {Map<string, R[]>} */
  const children = new Map()
  for (const run of runs) {
    const parent = run.parent_id && here.has(run.parent_id) ? run.parent_id : ''
    children.set(parent, [...(children.get(parent) ?? []), run])
  }
  /** @type {{run: R, depth: number}[]} */
  const found = []
  const stack = (children.get('') ?? []).map((run) => ({ run, depth: 0 })).reverse()
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { run, depth } = next
    found.push(next)
    stack.push(
      ...(children.get(run.id) ?? []).map((each) => ({ run: each, depth: depth + 1 })).reverse(),
    )
  }
  return found
}
