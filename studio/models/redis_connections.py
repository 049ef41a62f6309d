"""Puts the connections of a Redis client behind a guard."""

from __future__ import annotations

import asyncio
from typing import Any, TypeVar

from studio.egress import FIRST_TRIES_S, Guard

Client = TypeVar("Client", bound=Any)


def protected_redis(client: Client, guard: Guard) -> Client:
    """Let an asynchronous client connect only to addresses that the guard found for the name and judged."""
    usual = client.connection_pool.connection_class

    class Guarded(usual):
        host: str
        found: tuple[str, ...] = ()
        chosen: str = ""

        async def connect_check_health(self, *args: Any, **options: Any) -> None:
            inner: Any = super()
            if not self.is_connected:
                self.found = tuple(map(str, await guard.addresses(self.host, self.port)))
            await inner.connect_check_health(*args, **options)

        async def _connect(self) -> None:
            inner: Any = super()
            *first, last = self.found
            for self.chosen in first:
                try:
                    async with asyncio.timeout(FIRST_TRIES_S):
                        return await inner._connect()
                except OSError:  # TimeoutError is one; the next address has its turn
                    continue
            self.chosen = last
            await inner._connect()

        def _connection_arguments(self) -> dict[str, Any]:
            inner: Any = super()
            usual_ones: dict[str, Any] = inner._connection_arguments()
            name = {"server_hostname": self.host} if "ssl" in usual_ones else {}  # whose certificate is wanted
            return {**usual_ones, **name, "host": self.chosen}

    client.connection_pool.connection_class = Guarded
    return client


def protected_redis_now(client: Client, guard: Guard) -> Client:
    """The same for a client that blocks."""
    usual = client.connection_pool.connection_class

    class Guarded(usual):
        host: str
        name: str = ""

        def _connect(self) -> Any:
            inner: Any = super()
            self.name = self.host
            *first, last = map(str, guard.addresses_now(self.name, self.port))
            try:
                for self.host in first:
                    try:
                        return inner._connect()
                    except OSError:
                        continue
                self.host = last
                return inner._connect()
            finally:
                self.host = self.name

        def _wrap_socket_with_ssl(self, sock: Any) -> Any:
            inner: Any = super()
            self.host = self.name  # whose certificate is wanted
            return inner._wrap_socket_with_ssl(sock)

    client.connection_pool.connection_class = Guarded
    return client
