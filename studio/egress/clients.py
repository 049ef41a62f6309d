"""Clients of httpx, and of its successor httpx2 which the SDKs use, behind a guard."""

from __future__ import annotations

import ssl
from importlib import import_module
from types import ModuleType
from typing import Any

from studio.egress.answers import MODEL_BYTES
from studio.egress.guard import Guard


def http_client(
    guard: Guard,
    *,
    client_class: Any = None,
    limit: int = MODEL_BYTES,
    is_session: bool = False,
    verify: ssl.SSLContext | bool = True,
    trust_env: bool = True,
    **arguments: Any,
) -> Any:
    """A client that reaches only what the guard allows, redirects included.

    Args:
        guard: Where it may go.
        client_class: An asynchronous or a blocking client of httpx or httpx2, or a subclass; `httpx.AsyncClient`.
        limit: Bytes of one answer, unpacked.
        is_session: Whether a stream of events may go on for ever; the limit is then that of each event.
        verify: Whose certificates are trusted.
        trust_env: Whether the proxies of the environment are used.
        arguments: Those of the class.
    """
    import httpx

    from studio.egress.transport import guarded_transport

    kind = client_class or httpx.AsyncClient
    library = _library_of(kind)
    transport = guarded_transport(
        library,
        guard,
        limit=limit,
        is_session=is_session,
        verify=verify,
        trust_env=trust_env,
        is_blocking=issubclass(kind, library.Client),
    )
    return kind(transport=transport, trust_env=trust_env, **arguments)


def put_behind_guard(client: object, guard: Guard, *, limit: int = MODEL_BYTES) -> None:
    """Guard a blocking client that a package has made, where the package offers no way to give it one.

    Raises:
        AttributeError: The library keeps its transports elsewhere than it did; the client must not be used.
    """
    from studio.egress.transport import guarded_transport

    private: Any = client
    for transport in (private._transport, *private._mounts.values()):
        if transport is not None:
            transport.close()
    private._mounts.clear()
    private._transport = guarded_transport(_library_of(type(client)), guard, limit=limit, is_blocking=True)


def _library_of(kind: type[Any]) -> ModuleType:
    """httpx or httpx2, whichever the class comes from."""
    names = [base.__module__.partition(".")[0] for base in kind.__mro__]
    return import_module("httpx2" if "httpx2" in names else "httpx")
