"""Holds what must not be shared between event loops, a client with open connections, and what should be: trust."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    import ssl

T = TypeVar("T")


def trusted() -> ssl.SSLContext:
    """Whose certificates are good. To read them takes longer than most else that a client does, so that all share them.

    Meant as `verify` of a client of httpx or httpx2.
    """
    return _trusted(os.environ.get("SSL_CERT_FILE", ""), os.environ.get("SSL_CERT_DIR", ""))


@lru_cache(maxsize=4)
def _trusted(file: str, folder: str) -> ssl.SSLContext:
    del file, folder  # httpx2 looks for itself
    import httpx2

    return httpx2.create_ssl_context()


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

    def release(self) -> T | None:
        """Give the client away to be closed; None when there is none, or another loop owned it."""
        client, self._client = self._client, None
        return client if self._loop is asyncio.get_running_loop() else None
