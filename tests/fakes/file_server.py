"""A server of files on this machine."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import ClassVar

from studio.web.fetch import MAX_BYTES


class Handler(BaseHTTPRequestHandler):
    """Answers by path: a file that was given, `/hop/3` redirects three times; anything else echoes the Host header."""

    files: ClassVar[dict[str, bytes]] = {}

    def do_GET(self) -> None:
        if self.path in self.files:
            self._send(self.files[self.path])
        elif self.path.startswith("/hop/"):
            left = int(self.path.removeprefix("/hop/"))
            self._redirect(f"/hop/{left - 1}" if left > 1 else "/end")
        elif self.path == "/to-file":
            self._redirect("file:///etc/passwd")
        elif self.path == "/to-nowhere":
            self._redirect(None)
        elif self.path == "/to-a-broken-address":
            self._redirect("http://[")
        elif self.path == "/to-a-port-that-is-none":
            self._redirect("http://a:999999999/")
        elif self.path == "/missing":
            self.send_error(404)
        elif self.path == "/large":
            self._send(b"x" * (MAX_BYTES + 1))
        elif self.path == "/packed":
            self._send(b"...", {"Content-Encoding": "gzip"})
        else:
            self._send(self.headers["Host"].encode())

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _redirect(self, to: str | None) -> None:
        self.send_response(302)
        if to is not None:
            self.send_header("Location", to)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _send(self, body: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(BrokenPipeError, ConnectionResetError):  # the client reads as much as it wants
            self.wfile.write(body)


@contextmanager
def http_server(files: dict[str, bytes] | None = None) -> Generator[int]:
    """The port of a server on this machine."""
    handler = type("HandlerOfFiles", (Handler,), {"files": files or {}})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
