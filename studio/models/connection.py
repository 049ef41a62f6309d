"""Holds what must not be shared between event loops: a client with open connections."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Connection(Generic[T]):
    """An SDK's client, made at first use and again in another event loop."""

    def __init__(self) -> None:
        self._client: T | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def get(self, make: Callable[[], T]) -> T:
        """The client of this event loop; `make` makes it when there is none yet."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._client, self._loop = make(), loop
        return self._client

    def take(self) -> T | None:
        """Give the client away to be closed; None when there is none, or another loop owned it."""
        client, self._client = self._client, None
        return client if self._loop is asyncio.get_running_loop() else None
