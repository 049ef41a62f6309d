"""What Prometheus reads at `/metrics`: this process's counts, and the backlog of its database."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from studio.errors import SetupError, StudioError
from studio.settings import Settings
from studio.store import Store
from studio.store.metrics import REGISTRY
from studio.version import VERSION
from studio.web.auth.access_token import MIN_TOKEN_LENGTH, is_same
from studio.web.auth.routes import CHECKED

CONTENT_TYPE = CONTENT_TYPE_LATEST
FRESH_S = 2.0
"""How long an answer is given again."""
ANSWERS_WITHIN_S = 2.0
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
NO_ROUTE = "none"

REQUESTS = Counter(
    "studio_http_requests", "HTTP requests that were answered.", ["method", "route", "status"], registry=REGISTRY
)
OPEN_STREAMS = Gauge("studio_open_streams", "Event streams that are open.", registry=REGISTRY)
STREAM_EVENTS = Counter("studio_stream_events", "Events sent on event streams.", registry=REGISTRY)
BUILD = Gauge("studio_build_info", "Version of the studio; always 1.", ["version"], registry=REGISTRY)
BUILD.labels(VERSION).set(1)


class CountRequests:
    """ASGI middleware that counts answers by the template of their route and the class of their status."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def count(message: Message) -> None:
            if message["type"] == "http.response.start":
                method = scope["method"] if scope["method"] in METHODS else "other"
                route = scope.get(CHECKED, "").partition(" ")[2] or NO_ROUTE
                REQUESTS.labels(method, route, f"{message['status'] // 100}xx").inc()
            await send(message)

        await self.app(scope, receive, count)


@dataclass
class Metrics:
    """The text that Prometheus reads, made at most every `FRESH_S`; while the database is silent, without its part.

    Raises:
        SetupError: The token is so short that it could be guessed.
    """

    settings: Settings
    store: Store
    _text: bytes = b""
    _fresh_until: float = 0.0
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    def __post_init__(self) -> None:
        if 0 < len(self.settings.metrics_token) < MIN_TOKEN_LENGTH:
            raise SetupError(
                f"The metrics token has fewer than {MIN_TOKEN_LENGTH} characters.",
                fix="Set a longer `STUDIO_METRICS_TOKEN`.",
            )

    @property
    def is_on(self) -> bool:
        return bool(self.settings.metrics_token)

    def is_token(self, authorization: str) -> bool:
        """Whether the header has the token of this studio's metrics."""
        return self.is_on and is_same(authorization, f"Bearer {self.settings.metrics_token}")

    async def text(self) -> bytes:
        async with self._turn:
            if time.monotonic() >= self._fresh_until:
                self._text = generate_latest(REGISTRY) + generate_latest(await self._backlog())
                self._fresh_until = time.monotonic() + FRESH_S
            return self._text

    async def _backlog(self) -> CollectorRegistry:
        registry = CollectorRegistry()
        up = Gauge("studio_database_up", "Whether the database answers.", registry=registry)
        try:
            async with asyncio.timeout(ANSWERS_WITHIN_S):
                backlog = await self.store.backlog.read()
        except (StudioError, TimeoutError):
            return registry
        up.set(1)
        runs = Gauge("studio_runs", "Runs that have not ended, by state.", ["state"], registry=registry)
        for state, count in backlog.runs.items():
            runs.labels(state).set(count)
        for name, description, value in (
            ("studio_submissions", "Runs that no worker has begun.", backlog.submissions),
            ("studio_oldest_submission_seconds", "Age of the oldest such run.", backlog.oldest_submission_s),
            ("studio_commands_waiting", "Commands that were not carried out yet.", backlog.commands),
        ):
            Gauge(name, description, registry=registry).set(value)
        return registry
