"""A site of somebody else, open in the browser in which a person is signed in to the studio."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

OTHER_NAME = "other-site.example"
REBOUND_NAME = "rebound.example"
"""A name of theirs that leads to this machine once their page is loaded."""
RESOLVER_RULES = f"--host-resolver-rules=MAP {OTHER_NAME} 127.0.0.1, MAP {REBOUND_NAME} 127.0.0.1"

ATTEMPTS = """
async ({base, reads, changes, patience_ms}) => {
  const seen = {}
  const within = (work) => Promise.race([work, new Promise((done) => setTimeout(() => done('nothing'), patience_ms))])
  const all = []
  const attempt = async (name, work) => {
    try { seen[name] = await within(work()) } catch (error) { seen[name] = 'refused' }
  }
  const note = (name, work) => all.push(attempt(name, work))
  const read = async (answer) => (answer.type === 'opaque' ? 'opaque' : `read ${answer.status} ${await answer.text()}`)
  const element = (tag, attributes) => new Promise((done) => {
    const made = Object.assign(document.createElement(tag), attributes)
    made.onload = () => done(tag === 'iframe' ? framed(made) : 'loaded')
    made.onerror = () => done('refused')
    document.body.append(made)
  })
  const framed = (frame) => {
    try { return `read ${frame.contentWindow.document.body.innerText}` } catch (error) { return 'closed' }
  }
  const talk = (make) => new Promise((done) => {
    const line = make()
    line.onopen = () => done('open')
    line.onmessage = (event) => done(`read ${event.data}`)
    line.onerror = () => done('refused')
  })
  for (const path of reads) {
    const url = base + path
    note(`fetch ${path}`, async () => read(await fetch(url, {credentials: 'include'})))
    note(`fetch no-cors ${path}`, async () => read(await fetch(url, {credentials: 'include', mode: 'no-cors'})))
    note(`fetch with a header ${path}`, async () => read(await fetch(url, {headers: {'X-Studio-CSRF': '1'}})))
    note(`script ${path}`, () => element('script', {src: url}))
    note(`module ${path}`, () => element('script', {src: url, type: 'module', crossOrigin: 'use-credentials'}))
    note(`style ${path}`, () => element('link', {href: url, rel: 'stylesheet'}))
    note(`image ${path}`, () => element('img', {src: url}))
    note(`frame ${path}`, () => element('iframe', {src: url}))
    note(`object ${path}`, () => element('object', {data: url}))
    note(`events ${path}`, () => talk(() => new EventSource(url, {withCredentials: true})))
    note(`socket ${path}`, () => talk(() => new WebSocket(url.replace('http', 'ws'))))
    note(`worker ${path}`, () => talk(() => new Worker(URL.createObjectURL(new Blob([
      `try { importScripts('${url}'); postMessage('ran') } catch (error) { throw error }`])))))
  }
  for (const [method, path, body] of changes) {
    const url = base + path
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      for (const mode of ['cors', 'no-cors']) {
        const asked = {method, mode, credentials: 'include', headers: {'Content-Type': type}, body, keepalive: true}
        note(`${method} ${mode} ${type} ${path}`, async () => read(await fetch(url, asked)))
      }
    }
    seen[`beacon ${path}`] = String(navigator.sendBeacon(url, new Blob([body], {type: 'text/plain'})))
  }
  await Promise.all(all)
  return seen
}
"""
"""What a page can try; gives back what came of each: 'refused', 'opaque', 'closed', or 'read' with what was read."""

FORM = """
([url, enctype, name, value]) => {
  const form = Object.assign(document.createElement('form'), {method: 'post', action: url, enctype})
  form.append(Object.assign(document.createElement('input'), {name, value}))
  document.body.append(form)
  form.submit()
}
"""


@dataclass(frozen=True)
class Elsewhere:
    """Two addresses of one site: another name, and the studio's own name with another port."""

    port: int

    @property
    def other_site(self) -> str:
        return f"http://{OTHER_NAME}:{self.port}"

    @property
    def other_port(self) -> str:
        return f"http://127.0.0.1:{self.port}"


class _Blank(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        # The icon is named, or the browser would ask this server for one whenever it has time.
        content = b'<!doctype html><title>Elsewhere</title><link rel="icon" href="data:,"><p>Nothing to see.'
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        del format, args


@contextmanager
def elsewhere() -> Generator[Elsewhere]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Blank)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Elsewhere(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)
