"""The socket of a server, and how uvicorn serves it."""

from __future__ import annotations

import socket

import uvicorn
from starlette.types import ASGIApp

from studio.errors import SetupError
from studio.settings import Settings
from studio.web.connections import MAX_PER_ADDRESS, ConnectionLimits, allow_open_files, limited_connections

GRACE_S = 5


def listen(settings: Settings, option: str = "--port") -> socket.socket:
    """The bound socket of a server; the option is what chooses its port.

    Raises:
        SetupError: The address cannot be listened on.
    """
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # By its protocol asyncio knows that it may send at once. Otherwise the end of each answer waits 40 ms for the
    # browser to confirm the beginning.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
    except OSError as error:
        listener.close()
        raise SetupError(
            f"Cannot listen on {settings.host}:{settings.port}: {error.strerror}.",
            fix=f"Choose another port with `{option}`; 0 takes a free one.",
        ) from error
    listener.set_inheritable(True)
    return listener


def server_config(app: ASGIApp, settings: Settings) -> uvicorn.Config:
    """How the application is served: over TLS where there is a certificate, and within the limits of connections."""
    limits = ConnectionLimits(
        per_address=min(MAX_PER_ADDRESS, allow_open_files() // 4), proxies=list(settings.behind_proxy)
    )
    return uvicorn.Config(
        app,
        access_log=False,  # it would hold the token of the first visit
        log_level="warning",
        server_header=False,
        loop="asyncio",  # the same whatever other packages brought along
        http=limited_connections(limits),
        ws="none",
        lifespan="off",  # the application is opened by whoever serves it
        timeout_graceful_shutdown=GRACE_S,
        ssl_certfile=settings.tls_cert,
        ssl_keyfile=settings.tls_key,
        proxy_headers=bool(settings.behind_proxy),
        forwarded_allow_ips=list(settings.behind_proxy),
    )


def url_of(settings: Settings) -> str:
    """The address of a server, as this machine reaches it."""
    host = "127.0.0.1" if settings.host in ("0.0.0.0", "::") else settings.host
    scheme = "https" if settings.tls_cert else "http"
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{settings.port}"
