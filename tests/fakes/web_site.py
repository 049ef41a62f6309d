"""A small web site on this machine."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

HOME = """<!doctype html><title>Home</title><meta name=description content="A site for tests.">
<h1>Welcome</h1><a href="/second">To the second page</a>
<form action="/hello"><label>Your name <input name=who></label></form>
<select aria-label="Colour" onchange="document.title = this.value"><option>red<option>blue</select>
<p onmouseover="this.textContent = 'hovered'" tabindex=0 aria-label="Touch me">Touch me</p>
<a href="/file" download>Get the file</a>
<p style="margin-top:2000px">Far below</p><button onclick="this.textContent = 'pressed'">Press me</button>"""


@contextmanager
def web_site() -> Generator[str]:
    """The address of the site; an unknown path says hello."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path, query = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
            pages = {"/": HOME, "/second": "<title>Second</title><p>The second page.", "/file": "a file"}
            body = pages.get(path, f"<title>Hello</title><p>Hello {query.get('who', ['nobody'])[0]}.").encode()
            self.send_response(200)
            self.send_header("content-type", "text/plain" if path == "/file" else "text/html; charset=utf-8")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            del format, args

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()
