"""The key by which a service can tell that a request is the same again, and do it only once."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

_key: ContextVar[str] = ContextVar("studio_idempotency_key", default="")


def idempotency_key() -> str:
    """That of the call that is being made; empty where none is, or where nobody keeps what was done."""
    return _key.get()


@contextmanager
def idempotency_scope(key: str) -> Generator[None]:
    """What is done inside the block goes with this key; an empty one leaves the one in force."""
    if not key:
        yield
        return
    token = _key.set(key)
    try:
        yield
    finally:
        _key.reset(token)
