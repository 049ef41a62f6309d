"""Serves the probes of a process that serves nothing else, such as a worker."""

from __future__ import annotations

import socket
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from studio.egress import keeping_out_of
from studio.errors import NotFound
from studio.runs import task_group
from studio.settings import Settings
from studio.web.listening import listen, server_config, url_of
from studio.web.probes import Probes


@asynccontextmanager
async def serving_probes(settings: Settings, probes: Probes) -> AsyncGenerator[str]:
    """Answer `/healthz`, `/readyz` and `/metrics` inside the block, at the host and port of the settings.

    Yields:
        Their address, without the path.

    Raises:
        SetupError: The address cannot be listened on.
    """
    with listen(settings, "--metrics-port") as listener:
        settings = settings.model_copy(update={"port": listener.getsockname()[1]})
        server = _ProbeServer(server_config(_app(probes), settings))
        with keeping_out_of(settings.port):
            async with task_group() as group:
                group.create_task(server.serve([listener]), name="serve probes")
                try:
                    yield url_of(settings)
                finally:
                    server.should_exit = True


class _ProbeServer(uvicorn.Server):
    """Leaves signals to the process, which goes on answering until it has stopped."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        if not self.should_exit:  # the block may have ended before this began
            await super().serve(sockets)


def _app(probes: Probes) -> Starlette:
    routes = [
        Route("/healthz", probes.health),
        Route("/readyz", probes.readiness),
        Route("/metrics", probes.metrics),
    ]
    return Starlette(routes=routes, exception_handlers={NotFound: _not_found})


async def _not_found(request: Request, error: Exception) -> Response:
    del request
    assert isinstance(error, NotFound)
    return JSONResponse(error.as_json(), 404)
