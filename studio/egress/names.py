"""Looks up where names lead."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

Resolver = Callable[[str, int], Sequence[str]]
"""Looks up the addresses of a name; may block. Raises OSError where there are none."""

AT_ONCE = 16


def system_resolver(host: str, port: int) -> Sequence[str]:
    """The addresses that this machine finds for a name."""
    return [str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


_resolver: ContextVar[Resolver] = ContextVar("resolver", default=system_resolver)


@contextmanager
def resolving(resolver: Resolver) -> Generator[None]:
    """Look names up in another way inside the block."""
    token = _resolver.set(resolver)
    try:
        yield
    finally:
        _resolver.reset(token)


async def look_up(host: str, port: int) -> Sequence[str]:
    """The addresses of a name."""
    return await asyncio.get_running_loop().run_in_executor(_threads(), _resolver.get(), host, port)


def look_up_now(host: str, port: int) -> Sequence[str]:
    """The same; blocks."""
    return _resolver.get()(host, port)


@cache
def _threads() -> ThreadPoolExecutor:
    """Threads for nothing else: a name may take half a minute, and the few that the event loop shares do all the rest.

    They end with the process, which waits for a look-up that is under way.
    """
    return ThreadPoolExecutor(AT_ONCE, thread_name_prefix="names")
