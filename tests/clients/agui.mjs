// AG-UI's own client: it checks the order of all events.
import assert from 'node:assert/strict'

import { HttpAgent } from '@ag-ui/client'

const { url, keys } = JSON.parse(process.argv[2])
const agentOf = (name) =>
  new HttpAgent({ url: `${url}/d/${name}/agui`, headers: { Authorization: `Bearer ${keys[name]}` } })
const say = (agent, content) => agent.addMessage({ id: crypto.randomUUID(), role: 'user', content })

const plain = agentOf('plain')
say(plain, 'Go.')
const events = []
const { newMessages } = await plain.runAgent({}, { onEvent: ({ event }) => void events.push(event.type) })
assert.deepEqual(newMessages.map(({ content }) => content), ['The answer.'])
assert.equal(events[0], 'RUN_STARTED')
assert.equal(events.at(-1), 'RUN_FINISHED')
say(plain, 'And?')
assert.equal((await plain.runAgent()).newMessages.length, 1)

const asks = agentOf('asks')
say(asks, 'Write.')
let outcome
await asks.runAgent({}, { onRunFinishedEvent: ({ event }) => void (outcome = event.outcome) })
assert.equal(outcome.type, 'interrupt')
const [{ id }] = outcome.interrupts
const resume = [{ interruptId: id, status: 'resolved', payload: 'More.' }]
const done = await asks.runAgent({ resume })
assert.deepEqual(done.newMessages.map(({ content }) => content), ['Another draft.'])
