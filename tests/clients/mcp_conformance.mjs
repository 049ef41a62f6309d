// The conformance suite of MCP against one deployment: node mcp_conformance.mjs {url, key, name} REVISION [BASELINE]
// The suite can send no key, so what it sends passes a server of this script that adds one, and changes nothing else.
import { spawn } from 'node:child_process'
import { createServer, request } from 'node:http'
import { fileURLToPath } from 'node:url'

const { url, key, name } = JSON.parse(process.argv[2])
const [revision, baseline] = process.argv.slice(3)
const studio = new URL(url)

const server = createServer((incoming, answer) => {
  const { port } = server.address()
  // The suite also comes under names of other sites, which must reach the studio as they are.
  const seen = (value) => value?.replace(`:${port}`, `:${studio.port}`)
  const headers = { ...incoming.headers, host: seen(incoming.headers.host), authorization: `Bearer ${key}` }
  if (headers.origin) headers.origin = seen(headers.origin)
  const { method, url: path } = incoming
  const passed = request({ host: studio.hostname, port: studio.port, method, path, headers }, (given) => {
    answer.writeHead(given.statusCode, given.headers)
    given.pipe(answer)
  })
  passed.on('error', () => answer.destroy())
  answer.on('close', () => passed.destroy())
  incoming.pipe(passed)
})
await new Promise((listening) => server.listen(0, '127.0.0.1', listening))

const suite = fileURLToPath(new URL('node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url))
const address = `http://127.0.0.1:${server.address().port}/d/${name}/mcp`
const options = ['server', '--url', address, '--requirements', revision]
if (baseline) options.push('--expected-failures', baseline)
const run = spawn(process.execPath, [suite, ...options], { stdio: 'inherit' })
run.on('close', (code) => {
  server.close()
  process.exit(code ?? 1)
})
