"""A client that speaks the wire itself, and need not keep to what workers do."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import grpc

from studio.actors.grpc import wire


class RawClient:
    """Calls a host.

    Args:
        channel: To the host.
        client_id: Sent with each call; None for none.
    """

    def __init__(self, channel: Any, client_id: str | None) -> None:
        self._channel = channel
        self._metadata = [] if client_id is None else [(wire.CLIENT_ID, client_id)]

    async def call(self, name: str, **fields: Any) -> Any:
        asked, answered = wire.CALLS[name]
        path = f"/{wire.SERVICE}/{name}"
        method = self._channel.unary_unary(path, asked.SerializeToString, answered.FromString)
        return await method(asked(**fields), metadata=self._metadata, timeout=5)

    def open(self, *metadata: tuple[str, str]) -> Any:
        """The stream, whose messages are bytes."""
        method = self._channel.stream_stream(f"/{wire.SERVICE}/OpenChannel", bytes, bytes)
        return method(metadata=[*self._metadata, *metadata])


@asynccontextmanager
async def raw_client(address: str, client_id: str | None = "raw") -> AsyncGenerator[RawClient]:
    async with grpc.aio.insecure_channel(address) as channel:
        yield RawClient(channel, client_id)
