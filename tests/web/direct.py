"""Requests straight into the application: any bytes, no client that tidies them up, and a reader who soon leaves."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes

from fastapi.testclient import TestClient
from starlette.types import Message, Scope

HOST = "127.0.0.1:8040"
MAX_S = 15.0
"""What takes longer hangs; all of them together take as long."""


@dataclass(frozen=True)
class Asked:
    """A request. `path` is as it stands in the request line, percent-encoded."""

    method: str
    path: str
    query: str = ""
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    address: str = "127.0.0.1"
    leaves: bool = False
    """Whether the sender goes away before the end of the body."""

    def __str__(self) -> str:
        shown = self.body if len(self.body) < 1500 else self.body[:1500] + b"..."
        return f"{self.method} {self.path}?{self.query} {self.headers.get('Content-Type', '')} {shown!r}"


@dataclass
class Answer:
    """What came back; `error` is what the application raised, for its log."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    error: str = ""


def ask(
    server: TestClient, asked: Asked, headers: dict[str, str] | None = None, *, meanwhile: Callable[[], object] = int
) -> Answer:
    """Send one request to the application that `server` started; who reads a stream leaves after its first words.

    `meanwhile` is done when the head of the request has come and its body has not.
    """
    assert server.portal is not None
    return server.portal.call(_ask, server, asked, headers or {}, meanwhile)


async def _ask(server: TestClient, asked: Asked, headers: dict[str, str], meanwhile: Callable[[], object]) -> Answer:
    answer, heard = Answer(), asyncio.Event()
    bodies = [asked.body]

    async def receive() -> Message:
        if bodies:
            await asyncio.to_thread(meanwhile)
            return {"type": "http.request", "body": bodies.pop(), "more_body": asked.leaves}
        if not asked.leaves:
            await heard.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            answer.status = message["status"]
            answer.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in message["headers"]}
            return
        answer.body += message.get("body", b"")
        heard.set()

    try:
        async with asyncio.timeout(MAX_S):
            await server.app(_scope(asked, headers), receive, send)  # pyright: ignore[reportArgumentType, reportCallIssue, reportGeneralTypeIssues] -- TestClient also takes ASGI 2
    except Exception:  # noqa: BLE001 -- whatever it is, it is what the caller looks for
        answer.error = traceback.format_exc()
    return answer


def _scope(asked: Asked, headers: dict[str, str]) -> Scope:
    sent = {"Host": HOST, **headers, **asked.headers}
    if asked.body:
        sent["Content-Length"] = str(len(asked.body) + asked.leaves)
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": asked.method,
        "scheme": "http",
        "path": unquote_to_bytes(asked.path).decode("utf-8", "replace"),
        "raw_path": asked.path.encode(),
        "query_string": asked.query.encode(),
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in sent.items()],
        "client": (asked.address, 50_000),
        "server": ("127.0.0.1", 8040),
        "state": {},
    }
