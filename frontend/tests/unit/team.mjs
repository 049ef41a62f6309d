// A small catalogue and team that the tests of the builder share.
import { Catalogue } from '../../static/js/builder/document/catalogue.js'

export const agent = (name, config = {}) => ({
  provider: 'x.AssistantAgent',
  component_type: 'agent',
  label: 'AssistantAgent',
  config: { name, ...config },
})
export const model = (name) => ({
  provider: 'x.OpenAIChatCompletionClient',
  component_type: 'model',
  label: 'OpenAIChatCompletionClient',
  config: { model: name },
})
export const tool = (name) => ({
  provider: 'x.FunctionTool',
  component_type: 'tool',
  label: 'FunctionTool',
  config: { name },
})
export const limit = (count) => ({
  provider: 'x.MaxMessageTermination',
  component_type: 'termination',
  label: 'MaxMessageTermination',
  config: { max_messages: count },
})
export const proxy = (name) => ({
  provider: 'x.UserProxyAgent',
  component_type: 'agent',
  label: 'UserProxyAgent',
  config: { name },
})
export const workbench = (...tools) => ({
  provider: 'x.StaticWorkbench',
  component_type: 'workbench',
  label: 'StaticWorkbench',
  config: { tools },
})
export const team = (participants, config = {}) => ({
  provider: 'x.RoundRobinGroupChat',
  component_type: 'team',
  label: 'Pair',
  config: { participants, ...config },
})
export const selector = (participants, config = {}) => ({
  ...team(participants, config),
  provider: 'x.SelectorGroupChat',
})
export const or = (...conditions) => ({
  provider: 'x.OrTerminationCondition',
  component_type: 'termination',
  label: 'OrTerminationCondition',
  config: { conditions },
})

const one = (field, accepts, required = false) => ({ field, accepts, many: false, required })
const many = (field, accepts, required = false) => ({ field, accepts, many: true, required })
/** As the server names these kinds. */
export const TITLES = {
  AssistantAgent: 'Assistant',
  OpenAIChatCompletionClient: 'OpenAI',
  FunctionTool: 'Python function',
  MaxMessageTermination: 'Max message',
  UserProxyAgent: 'User proxy',
  StaticWorkbench: 'Static workbench',
  OrTerminationCondition: 'Or',
}

const entry = (template, group, slots) => ({
  provider: template.provider,
  component_type: template.component_type,
  group,
  label: template.label,
  title: TITLES[template.label] ?? template.label,
  summary: '',
  slots,
  template,
})
const stop = one('termination_condition', ['termination'])
const members = many('participants', ['agent', 'team'], true)

export const catalogue = new Catalogue([
  entry(agent('assistant'), 'agents', [
    one('model_client', ['model'], true),
    many('tools', ['tool']),
    many('workbench', ['workbench']),
  ]),
  entry(proxy('user'), 'agents', []),
  entry(model('m'), 'models', []),
  entry(tool('t'), 'tools', []),
  entry(workbench(), 'workbenches', [many('tools', ['tool'])]),
  entry(limit(1), 'terminations', []),
  entry(or(), 'terminations', [many('conditions', ['termination'], true)]),
  entry({ ...or(), provider: 'x.AndTerminationCondition' }, 'terminations', [
    many('conditions', ['termination'], true),
  ]),
  entry(team([]), 'teams', [members, stop]),
  entry(selector([]), 'teams', [members, one('model_client', ['model'], true), stop]),
])

export const document = (component) => ({ name: 'Pair', component, layout: {} })
