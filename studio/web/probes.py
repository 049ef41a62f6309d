"""What a load balancer, an orchestrator and Prometheus ask of any process: a server answers them, and a worker does."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from studio.errors import NotFound
from studio.settings import Settings
from studio.store import Store
from studio.web.metrics import CONTENT_TYPE, Metrics
from studio.web.readiness import Readiness


@dataclass
class Probes:
    """The answers of one process.

    Args:
        settings: Hold the token of the metrics.
        store: Is asked whether it answers, and for the backlog.
        closing: Set once the process stops.

    Raises:
        SetupError: That token is so short that it could be guessed.
    """

    settings: Settings
    store: Store
    closing: asyncio.Event
    _readiness: Readiness = field(init=False)
    _metrics: Metrics = field(init=False)

    def __post_init__(self) -> None:
        self._readiness = Readiness(self.store)
        self._metrics = Metrics(self.settings, self.store)

    async def health(self, request: Request) -> Response:
        """That the process responds. Restart one that does not."""
        del request
        return JSONResponse({"ok": True})

    async def readiness(self, request: Request) -> Response:
        """Whether the process can be used: 503 while the database does not respond, and while the process stops."""
        del request
        is_ready = not self.closing.is_set() and await self._readiness.check()
        return JSONResponse({"ok": is_ready}, 200 if is_ready else 503)

    async def metrics(self, request: Request) -> Response:
        """Counts of this process and the backlog of its database, with `STUDIO_METRICS_TOKEN` alone.

        Raises:
            NotFound: There is no such token.
        """
        if not self._metrics.is_on:
            raise NotFound("This studio has no metrics token.", fix="Set `STUDIO_METRICS_TOKEN`.")
        if not self._metrics.is_token(request.headers.get("authorization", "")):
            return Response(status_code=401, headers={"WWW-Authenticate": "Bearer"})
        return Response(await self._metrics.text(), media_type=CONTENT_TYPE)
