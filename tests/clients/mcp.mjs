// The MCP SDK for JavaScript: a deployment is one tool, and what the team asks is a form.
import assert from 'node:assert/strict'

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const { url, keys } = JSON.parse(process.argv[2])
const connect = async (name, capabilities = {}) => {
  const client = new Client({ name: 'test', version: '1' }, { capabilities })
  const requestInit = { headers: { Authorization: `Bearer ${keys[name]}` } }
  const begin = () => client.connect(new StreamableHTTPClientTransport(new URL(`${url}/d/${name}/mcp`), { requestInit }))
  return { client, begin }
}

const plain = await connect('plain')
await plain.begin()
const { tools } = await plain.client.listTools()
assert.deepEqual(tools.map(({ name }) => name), ['plain'])
const result = await plain.client.callTool({ name: 'plain', arguments: { task: 'Go.' } })
assert.equal(result.content[0].text, 'The answer.')
assert.equal(result.structuredContent.state, 'finished')
await plain.client.close()

const asks = await connect('asks', { elicitation: { form: {} } })
const forms = []
asks.client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
  forms.push(params.message)
  return { action: 'accept', content: { answer: 'More.' } }
})
await asks.begin()
const done = await asks.client.callTool({ name: 'asks', arguments: { task: 'Write.' } })
assert.equal(done.content[0].text, 'Another draft.')
assert.equal(forms.length, 1)
await asks.client.close()
