"""Puts the connections of a Redis client behind a guard."""

from __future__ import annotations

from typing import Any, TypeVar

from studio.egress import Guard

Client = TypeVar("Client", bound=Any)


def protected_redis(client: Client, guard: Guard) -> Client:
    """Let an asynchronous client ask, whenever it makes a connection, where the name leads now."""
    usual = client.connection_pool.connection_class

    class Guarded(usual):
        async def connect(self) -> None:
            await guard.addresses(self.host, self.port)
            await super().connect()  # pyright: ignore[reportUnknownMemberType] -- of a class that is a value

    client.connection_pool.connection_class = Guarded
    return client


def protected_redis_now(client: Client, guard: Guard) -> Client:
    """The same for a client that blocks."""
    usual = client.connection_pool.connection_class

    class Guarded(usual):
        def connect(self) -> None:
            guard.addresses_now(self.host, self.port)
            super().connect()  # pyright: ignore[reportUnknownMemberType] -- of a class that is a value

    client.connection_pool.connection_class = Guarded
    return client
