"""The endpoint at which a machine in Azure App Service asks for tokens of its own identity."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self, cast
from urllib.parse import parse_qs, urlsplit


class AzureIdentity:
    """Use as a context manager."""

    def __init__(self) -> None:
        self.asked_for: list[str] = []
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.fake = self
        self._thread = threading.Thread(target=self._server.serve_forever, name="fake-azure", daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/msi/token"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    block_on_close = False
    fake: AzureIdentity


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        resource = parse_qs(urlsplit(self.path).query)["resource"][0]
        cast("_Server", self.server).fake.asked_for.append(resource)
        expires_on = str(int(time.time()) + 3600)
        token = {"access_token": "of-this-machine", "expires_on": expires_on, "token_type": "Bearer"}
        body = json.dumps({**token, "resource": resource}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing on the terminal."""
