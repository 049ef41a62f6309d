// The A2A SDK for JavaScript, by both bindings: it finds the card, then sends, streams, answers and cancels.
import assert from 'node:assert/strict'

import { Role, TaskState } from '@a2a-js/sdk'
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client'

const { url, keys } = JSON.parse(process.argv[2])
const clientOf = (name, Transport) => {
  const fetchImpl = (address, options = {}) => {
    const headers = new Headers(options.headers)
    headers.set('Authorization', `Bearer ${keys[name]}`)
    return fetch(address, { ...options, headers })
  }
  const cardResolver = new DefaultAgentCardResolver({ fetchImpl })
  const factory = new ClientFactory({ cardResolver, transports: [new Transport({ fetchImpl })] })
  return factory.createFromUrl(`${url}/d/${name}/a2a/`)
}
const saying = (text, task) => ({
  message: {
    messageId: crypto.randomUUID(),
    role: Role.ROLE_USER,
    parts: [{ content: { $case: 'text', value: text } }],
    ...(task ? { taskId: task.id, contextId: task.contextId } : {}),
  },
})
const textOf = ({ artifacts }) => artifacts.flatMap(({ parts }) => parts.map(({ content }) => content.value)).join('')

for (const Transport of [JsonRpcTransportFactory, RestTransportFactory]) {
  const plain = await clientOf('plain', Transport)
  const task = await plain.sendMessage(saying('Go.'))
  assert.equal(task.status.state, TaskState.TASK_STATE_COMPLETED)
  assert.equal(textOf(task), 'The answer.')
  assert.equal(textOf(await plain.getTask({ id: task.id })), 'The answer.')
  const kinds = []
  for await (const { payload } of plain.sendMessageStream(saying('Go.'))) kinds.push(payload.$case)
  assert.deepEqual(kinds, ['task', 'statusUpdate', 'artifactUpdate', 'statusUpdate'])

  const asks = await clientOf('asks', Transport)
  const question = await asks.sendMessage(saying('Write.'))
  assert.equal(question.status.state, TaskState.TASK_STATE_INPUT_REQUIRED)
  const answered = await asks.sendMessage(saying('More.', question))
  assert.equal(answered.id, question.id)
  assert.equal(textOf(answered), 'Another draft.')
  const waiting = await asks.sendMessage(saying('Write.'))
  assert.equal((await asks.cancelTask({ id: waiting.id })).status.state, TaskState.TASK_STATE_CANCELED)
  await assert.rejects(asks.cancelTask({ id: waiting.id }), { name: 'TaskNotCancelableError' })
  await assert.rejects(asks.getTask({ id: task.id }), { name: 'TaskNotFoundError' })
}
