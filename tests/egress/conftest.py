"""A server that must not be reached, and names that lead to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from studio.egress import resolving

NAME = "service.example.com"
"""A public name, which leads to this machine while a test runs."""
METADATA = "169.254.169.254"


@dataclass
class Inside:
    """A server of this machine, which notes every connection."""

    port: int = 0
    visits: list[str] = field(default_factory=list[str])
    asked: list[str] = field(default_factory=list[str])
    """Names that were looked up."""


@pytest.fixture
async def inside() -> AsyncIterator[Inside]:
    """The server; every name leads to it."""
    found = Inside()

    async def note(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        found.visits.append(str(writer.get_extra_info("peername")))
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}")
        await writer.drain()
        writer.close()

    def lead_inside(host: str, _: int) -> list[str]:
        found.asked.append(host)
        return ["127.0.0.1"]

    server = await asyncio.start_server(note, "127.0.0.1", 0)
    found.port = server.sockets[0].getsockname()[1]
    async with server:
        with resolving(lead_inside):
            yield found
