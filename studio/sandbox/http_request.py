"""The little of HTTP that a proxy speaks: the head of a request, and a refusal in words."""

from __future__ import annotations

import re
from asyncio import IncompleteReadError, LimitOverrunError, StreamReader
from dataclasses import dataclass
from urllib.parse import urlsplit

Target = tuple[str, int]
"""A host and a port."""

HEAD_LIMIT = 65_536
"""Bytes."""
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_OF_ONE_CONNECTION = frozenset(("connection", "keep-alive", "host", "upgrade"))


class BadRequest(Exception):
    """What was sent is no request to a proxy."""


@dataclass(frozen=True)
class Request:
    """Where a program wants to go."""

    target: Target
    head: bytes
    """What the host is sent first; nothing for a tunnel."""
    is_tunnel: bool


async def read_request(reader: StreamReader) -> Request | None:
    """The next request; None when the connection ends before one.

    Raises:
        BadRequest: It is none that a proxy takes.
    """
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except IncompleteReadError:
        return None
    except LimitOverrunError as error:
        raise BadRequest("The head of the request is too long.") from error
    return parsed(head.decode("latin-1"))


def parsed(head: str) -> Request:
    """The request that this head is of.

    Raises:
        BadRequest: It is none that a proxy takes.
    """
    first, *lines = head.removesuffix("\r\n\r\n").split("\r\n")
    method, _, rest = first.partition(" ")
    target, _, version = rest.partition(" ")
    if not _TOKEN.fullmatch(method) or not re.fullmatch(r"HTTP/1\.[01]", version) or not _is_printable(target):
        raise BadRequest("This is no HTTP request.")
    try:
        if method == "CONNECT":
            return Request(_target(target, None), b"", is_tunnel=True)
        parts = urlsplit(target)
        if parts.scheme.lower() != "http":
            raise BadRequest("This is a proxy: ask for `http://...`, or CONNECT to a host and port.")
        place = _target(parts.netloc, 80)
    except ValueError as error:
        raise BadRequest(str(error)) from error
    path = parts._replace(scheme="", netloc="", fragment="").geturl() or "/"
    path = path if path.startswith("/") else f"/{path}"
    kept = [line for line in lines if not _is_of_one_connection(line)]
    own = [f"Host: {parts.netloc}", "Connection: close"]
    return Request(place, "\r\n".join([f"{method} {path} {version}", *own, *kept, "", ""]).encode("latin-1"), False)


def _target(text: str, default_port: int | None) -> Target:
    parts = urlsplit(f"//{text}")
    port = default_port if parts.port is None else parts.port
    if not parts.hostname or not port or parts.netloc != text or "@" in text:
        raise BadRequest(f"{text!r} is no host and port.")
    return parts.hostname, port


def _is_printable(text: str) -> bool:
    return bool(text) and all("!" <= letter <= "~" for letter in text)


def _is_of_one_connection(line: str) -> bool:
    name, colon, value = line.partition(":")
    if not colon or not _TOKEN.fullmatch(name) or any(letter in value for letter in "\r\n\0"):
        raise BadRequest("This is no HTTP request.")
    return name.lower() in _OF_ONE_CONNECTION or name.lower().startswith("proxy-")


def refusal(status: int, reason: str, text: str) -> bytes:
    """An answer that says why not. The reason stands in the first line, too: of a tunnel, programs show only that."""
    short = re.sub(r"[^ -~]", "?", reason)
    body = f"{text}\n".encode()
    head = (
        f"HTTP/1.1 {status} {short}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
        "Connection: close\r\n\r\n"
    )
    return head.encode("ascii") + body
