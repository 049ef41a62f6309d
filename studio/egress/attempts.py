"""Tells who is interested that a service refused a request or was not reached: SDKs try again without a word."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, int], None]
"""Given the host, and the status of its answer; 0 where there was none."""

_listener: ContextVar[Listener | None] = ContextVar("studio_attempts", default=None)


@contextmanager
def listening(listener: Listener) -> Generator[None]:
    """Have the listener told of each failed request that is sent inside the block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def failed(host: str, status: int) -> None:
    """A request failed. It may be sent again."""
    listener = _listener.get()
    if listener is not None:
        listener(host, status)
