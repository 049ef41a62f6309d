"""The little of HTTP that a proxy speaks: the head of a request, and a refusal in words. h11 does the parsing."""

from __future__ import annotations

import re
from asyncio import StreamReader
from dataclasses import dataclass
from urllib.parse import urlsplit

import h11

Target = tuple[str, int]
"""A host and a port."""

HEAD_LIMIT = 65_536
"""Bytes."""
_OF_ONE_CONNECTION = frozenset((b"connection", b"keep-alive", b"host", b"upgrade"))


class BadRequest(Exception):
    """What was sent is no request to a proxy."""


@dataclass(frozen=True)
class Request:
    """Where a program wants to go."""

    target: Target
    head: bytes
    """What the host is sent first: the head of the request, which a tunnel has not, and what came with it."""
    is_tunnel: bool
    authorization: str = ""
    """What the program says to the proxy about who it is."""


async def read_request(reader: StreamReader) -> Request | None:
    """The next request; None when the connection ends before one.

    Raises:
        BadRequest: It is none that a proxy takes.
    """
    parser = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_LIMIT)
    while data := await reader.read(HEAD_LIMIT):
        if (request := next_request(parser, data)) is not None:
            return request
    return None


def next_request(parser: h11.Connection, data: bytes) -> Request | None:
    """The request whose head ends in these bytes; None when more is needed.

    Raises:
        BadRequest: It is none that a proxy takes.
    """
    try:
        parser.receive_data(data)
        event = parser.next_event()
    except h11.RemoteProtocolError as error:
        raise BadRequest(f"This is not an HTTP request: {error}.") from error
    return _request(event, parser.trailing_data[0]) if isinstance(event, h11.Request) else None


def _request(event: h11.Request, rest: bytes) -> Request:
    names = {name for name, _ in event.headers}
    authorization = next((value for name, value in event.headers if name == b"proxy-authorization"), b"").decode(
        "latin-1"
    )
    if {b"content-length", b"transfer-encoding"} <= names:
        raise BadRequest("A request cannot have both Content-Length and Transfer-Encoding.")
    target = event.target.decode("ascii")
    try:
        if event.method == b"CONNECT":
            return Request(_target(target, None), rest, is_tunnel=True, authorization=authorization)
        parts = urlsplit(target)
        if parts.scheme.lower() != "http":
            raise BadRequest("This is a proxy: request `http://...`, or CONNECT to a host and port.")
        place = _target(parts.netloc, 80)
    except ValueError as error:
        raise BadRequest(str(error)) from error
    path = parts._replace(scheme="", netloc="", fragment="").geturl() or "/"
    path = path if path.startswith("/") else f"/{path}"
    kept = [b"%b: %b" % item for item in event.headers.raw_items() if not _is_of_one_connection(item[0].lower())]
    first = b"%b %b HTTP/%b" % (event.method, path.encode("ascii"), event.http_version)
    own = [b"Host: %b" % parts.netloc.encode("ascii"), b"Connection: close"]
    head = b"\r\n".join([first, *own, *kept, b"", b""])
    return Request(place, head + rest, is_tunnel=False, authorization=authorization)


def _target(text: str, default_port: int | None) -> Target:
    parts = urlsplit(f"//{text}")
    port = default_port if parts.port is None else parts.port
    if not parts.hostname or not port or parts.netloc != text or "@" in text:
        raise BadRequest(f"{text!r} is not a host and port.")
    return parts.hostname, port


def _is_of_one_connection(name: bytes) -> bool:
    return name in _OF_ONE_CONNECTION or name.startswith(b"proxy-")


def refusal(status: int, reason: str, text: str, *headers: str) -> bytes:
    """An answer that says why not. The reason stands in the first line, too: of a tunnel, programs show only that."""
    short = re.sub(r"[^ -~]", "?", reason)
    body = f"{text}\n".encode()
    head = (
        f"HTTP/1.1 {status} {short}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
        "Connection: close\r\n"
    )
    return "".join((head, *(f"{header}\r\n" for header in headers), "\r\n")).encode("ascii") + body
