"""A program that is told of calls: it keeps what it gets, and answers as a test wants."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from standardwebhooks import Webhook


@dataclass
class Receiver:
    """`statuses` are what it answers one after the other, the last one from then on."""

    port: int
    statuses: list[int] = field(default_factory=lambda: [204])
    headers: dict[str, str] = field(default_factory=dict[str, str])
    pause_s: float = 0
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list[tuple[dict[str, str], bytes]])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hooks?token=cnry-address"

    @property
    def ids(self) -> list[str]:
        return [headers["webhook-id"] for headers, _ in self.got]

    def events(self, secret: str) -> list[Any]:
        """All that it got, once the signatures have been checked."""
        for headers, body in self.got:
            Webhook(secret).verify(body, headers)
        return [json.loads(body) for _, body in self.got]


@contextmanager
def receiving(port: int = 0) -> Generator[Receiver]:
    """A receiver while the block lasts, on a port of its own or on this one."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
            done.wait(receiver.pause_s)
            status = receiver.statuses[0] if len(receiver.statuses) == 1 else receiver.statuses.pop(0)
            self.send_response(status)
            for name, value in receiver.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "3" if status != 204 else "0")
            self.end_headers()
            self.wfile.write(b"ok!" if status != 204 else b"")

        def log_message(self, format: str, *args: object) -> None:
            del format, args

    done = threading.Event()
    with ThreadingHTTPServer(("127.0.0.1", port), Handler) as server:
        receiver = Receiver(server.server_port)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield receiver
        finally:
            done.set()
            server.shutdown()
            thread.join()
