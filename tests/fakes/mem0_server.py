"""A server that answers Mem0's cloud API as far as its client asks: ping, add, search, delete."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Mem0Server:
    """What was asked, and what is remembered."""

    url: str = ""
    asked: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list[tuple[str, str, dict[str, Any]]])
    remembered: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    keys: set[str] = field(default_factory=set[str])
    status: int = 200

    def answer(self, method: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        if path.endswith("/search/"):
            wanted = body["filters"]["user_id"]
            found = [item for item in self.remembered if item["user_id"] == wanted]
            return {"results": found[: body["top_k"]]}
        if path.endswith("/add/"):
            text = body["messages"][0]["content"]
            self.remembered.append(
                {"id": "1", "memory": text, "user_id": body["user_id"], "metadata": body.get("metadata"), "score": 0.5}
            )
            return {"results": []}
        if method == "DELETE":
            self.remembered.clear()
        return {"message": "ok", "user_email": "someone@example.org", "org_id": "o", "project_id": "p"}


@contextmanager
def mem0_server() -> Generator[Mem0Server]:
    state = Mem0Server()

    class Handler(BaseHTTPRequestHandler):
        def _handle(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            body = json.loads(self.rfile.read(length) or b"{}")
            state.asked.append((self.command, self.path, body))
            state.keys.add(self.headers.get("authorization", ""))
            content = json.dumps(state.answer(self.command, self.path.partition("?")[0], body)).encode()
            self.send_response(state.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_DELETE = _handle  # the names that http.server calls

        def log_message(self, format: str, *args: Any) -> None:
            del format, args

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        state.url = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield state
        server.shutdown()
        thread.join()
