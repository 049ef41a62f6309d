// The conformance suite of MCP against deployments: node mcp_conformance.mjs {url, deployments, tools} REVISION [BASELINE]
// `deployments` has their keys by their names. The suite can send no key, so what it sends passes a server of this
// script that adds one. It also calls tools by names of its own, without a task: `tools` says which deployment is called
// for each, and what the suite gave as arguments is the task. All else goes to the first deployment as it is.
import { spawn } from 'node:child_process'
import { createServer, request } from 'node:http'
import { fileURLToPath } from 'node:url'

const { url, deployments, tools } = JSON.parse(process.argv[2])
const [revision, baseline] = process.argv.slice(3)
const studio = new URL(url)
const [first] = Object.keys(deployments)
/** Which deployment each task belongs to. */
const tasks = new Map()

const parsed = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The deployment that a request is for, and its body as that deployment takes it. */
const passedOn = (text, headers) => {
  const body = parsed(text)
  const { name, taskId, arguments: given } = body?.params ?? {}
  if (body?.method?.startsWith('tasks/')) return { to: tasks.get(taskId) ?? first, text }
  if (body?.method !== 'tools/call' || !(name in tools)) return { to: first, text }
  const to = tools[name]
  if (headers['mcp-name'] === name) headers['mcp-name'] = to
  const params = { ...body.params, name: to, arguments: { task: JSON.stringify(given ?? {}) } }
  return { to, text: JSON.stringify({ ...body, params }) }
}

const read = async (stream) => {
  const parts = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts).toString()
}

const server = createServer(async (incoming, answer) => {
  const { port } = server.address()
  // The suite also comes under names of other sites, which must reach the studio as they are.
  const seen = (value) => value?.replace(`:${port}`, `:${studio.port}`)
  const headers = { ...incoming.headers, host: seen(incoming.headers.host) }
  if (headers.origin) headers.origin = seen(headers.origin)
  const { to, text } = passedOn(await read(incoming), headers)
  headers.authorization = `Bearer ${deployments[to]}`
  if (text) headers['content-length'] = Buffer.byteLength(text)
  const { method } = incoming
  const path = incoming.url.replace(`/d/${first}/`, `/d/${to}/`)
  const passed = request({ host: studio.hostname, port: studio.port, method, path, headers }, (given) => {
    answer.writeHead(given.statusCode, given.headers)
    given.on('data', (part) => {
      for (const [, id] of part.toString().matchAll(/"taskId": ?"([^"]+)"/g)) tasks.set(id, to)
    })
    given.pipe(answer)
  })
  passed.on('error', () => answer.destroy())
  answer.on('close', () => passed.destroy())
  passed.end(text)
})
await new Promise((listening) => server.listen(0, '127.0.0.1', listening))

const suite = fileURLToPath(
  new URL('node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
)
const address = `http://127.0.0.1:${server.address().port}/d/${first}/mcp`
const options = ['server', '--url', address, '--requirements', revision]
if (baseline) options.push('--expected-failures', baseline)
const run = spawn(process.execPath, [suite, ...options], { stdio: 'inherit' })
run.on('close', (code) => {
  server.close()
  process.exit(code ?? 1)
})
