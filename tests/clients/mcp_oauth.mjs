// The MCP SDK for JavaScript with nothing but the address of a deployment: a person lets it in, and it renews its access.
import assert from 'node:assert/strict'

import { auth, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const { url, owner } = JSON.parse(process.argv[2])
const address = new URL(`${url}/d/plain/mcp`)
const kept = {}
const provider = {
  redirectUrl: 'http://127.0.0.1:5006/callback',
  clientMetadata: { client_name: 'Editor', redirect_uris: ['http://127.0.0.1:5006/callback'] },
  state: () => 'of-this-client',
  clientInformation: () => kept.client,
  saveClientInformation: (client) => { kept.client = client },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => { kept.tokens = tokens },
  saveCodeVerifier: (verifier) => { kept.verifier = verifier },
  codeVerifier: () => kept.verifier,
  redirectToAuthorization: (asked) => { kept.asked = asked },
}
const connect = async () => {
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StreamableHTTPClientTransport(address, { authProvider: provider })
  await client.connect(transport)
  return client
}
const called = async () => {
  const client = await connect()
  const result = await client.callTool({ name: 'plain', arguments: { task: 'Go.' } })
  await client.close()
  return result.content[0].text
}

await assert.rejects(connect, UnauthorizedError)
const headers = { Authorization: owner, 'Content-Type': 'application/json' }
const page = await (await fetch(kept.asked, { headers })).text()
const offer = page.match(/data-offer="([^"]+)"/)[1]
const consent = await fetch(`${url}/api/oauth/consents`, { method: 'POST', headers, body: JSON.stringify({ offer }) })
const back = new URL((await consent.json()).location)
assert.equal(back.searchParams.get('state'), 'of-this-client')
assert.equal(back.searchParams.get('iss'), url)
await new StreamableHTTPClientTransport(address, { authProvider: provider }).finishAuth(back.searchParams.get('code'))
assert.equal(await called(), 'The answer.')

const before = kept.tokens
assert.equal(await auth(provider, { serverUrl: address }), 'AUTHORIZED')
assert.notEqual(kept.tokens.refresh_token, before.refresh_token)
assert.equal(await called(), 'The answer.')
