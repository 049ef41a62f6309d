"""Runs the application in uvicorn: one process, one socket, and an end that waits for nobody's open page."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import socket
import ssl
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from urllib.parse import urlsplit

import uvicorn

from studio.egress import keeping_out_of
from studio.errors import SetupError
from studio.settings import Settings
from studio.web.app import create_app, services_of
from studio.web.auth.access_token import access_token
from studio.web.engine import ProcessRole
from studio.web.listening import listen, server_config, url_of

GARBAGE = (10_000, 10, 10)
"""After how many new objects the youngest are looked through, and so on. A run of 300 messages makes 7000, most of
which are gone by themselves until then."""


def serve(settings: Settings, on_ready: Callable[[str], None], role: ProcessRole = ProcessRole.SERVER) -> None:
    """Serve until a signal says stop; `on_ready` is told the address to open once pages can be opened.

    While people do not sign in by name, the address has the token of the studio in it.

    Raises:
        SetupError: The address cannot be listened on, or the data folder cannot be used, such as one in use.
    """
    check_certificate(settings)
    listener = listen(settings)
    settings = settings.model_copy(update={"port": listener.getsockname()[1]})
    app = create_app(settings, role, on_warm=gc.freeze)
    config = server_config(app, settings)

    def stop_streams() -> None:
        if services := services_of(app):
            services.closing.set()

    async def tell() -> None:
        services = services_of(app)
        opens_by_name = services is not None and await services.accounts.presence.has_accounts()
        on_ready(url_of(settings) if opens_by_name else f"{url_of(settings)}/?token={access_token(settings)}")

    with listener, keeping_out_of(settings.port, own_names(settings)):
        opened = app.router.lifespan_context(app)
        StudioServer(config, opened, tell, stop_streams).run(sockets=[listener])


class StudioServer(uvicorn.Server):
    """Opens the application itself: uvicorn would print a traceback where it cannot be opened, and end the process.

    It tells event streams to end first, since uvicorn waits for open responses before the application closes.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        opened: AbstractAsyncContextManager[object],
        on_ready: Callable[[], Awaitable[None]],
        on_stop: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._opened = opened
        self._on_ready = on_ready
        self._on_stop = on_stop

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        outside = contextvars.copy_context()  # requests know nothing of what runs are surrounded with
        with self.capture_signals():
            async with self._opened:
                await asyncio.get_running_loop().create_task(self._serve(sockets), context=outside)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        # All that was imported stays. To look through it for garbage takes some 80 ms, in which no run goes on; what is
        # made ahead follows, when that is made.
        gc.freeze()
        gc.set_threshold(*GARBAGE)
        gc.enable()  # `studio serve` imports without it
        if not self.should_exit:
            await self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._on_stop()
        await super().shutdown(sockets)


def check_certificate(settings: Settings) -> None:
    """Hold that HTTPS can be spoken, if it shall.

    Raises:
        SetupError: The certificate or its key is missing, or they do not fit together.
    """
    if settings.tls_cert is None and settings.tls_key is None:
        return
    if settings.tls_cert is None or settings.tls_key is None:
        raise SetupError("HTTPS needs a certificate and its key.", fix="Pass both --tls-cert and --tls-key.")
    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(settings.tls_cert, settings.tls_key)
    except OSError as error:  # also what OpenSSL says of them
        raise SetupError(
            f"The certificate {str(settings.tls_cert)!r} does not match its key: {error.strerror or error}.",
            fix="Check both files.",
        ) from error


def own_names(settings: Settings) -> list[str]:
    """What browsers call the studio; but a proxy may serve the identity provider under the same name."""
    provider = urlsplit(settings.oidc_issuer).hostname
    return [name for name in settings.allowed_hosts if name.strip().lower().partition(":")[0] != provider]
