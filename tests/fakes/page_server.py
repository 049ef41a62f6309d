"""A web page on this machine that changes, with an ETag if it is given one, and what it was asked."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass
class Page:
    """What it answers now; `statuses` are those of its answers so far."""

    content: str
    etag: str = ""
    is_missing: bool = False
    url: str = ""
    statuses: list[int] = field(default_factory=list[int])

    def status(self, known: str | None) -> int:
        """The status of the next answer, to who has the content of an ETag."""
        found = 404 if self.is_missing else 304 if self.etag and known == self.etag else 200
        self.statuses.append(found)
        return found


@contextmanager
def serve_page(content: str, etag: str = "") -> Generator[Page]:
    """The page at its `url`."""
    page = Page(content, etag)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status = page.status(self.headers.get("If-None-Match"))
            body = page.content.encode() if status == 200 else b""
            self.send_response(status)
            if page.etag:
                self.send_header("ETag", page.etag)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    page.url = f"http://127.0.0.1:{server.server_port}/rates.txt"
    try:
        yield page
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
