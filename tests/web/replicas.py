"""Two web replicas and two workers on one PostgreSQL database.

Each has a loop and a store of its own, as a process has. All are in this process, so that a test may reach into them.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from contextlib import ExitStack, asynccontextmanager, contextmanager

import httpx2
from anyio.from_thread import start_blocking_portal
from fastapi import FastAPI
from fastapi.testclient import TestClient

from studio.settings import Settings
from studio.store import open_store
from studio.web.app import create_app
from studio.web.engine import ProcessRole, open_engine

WORKERS = 2


class InTurns(httpx2.BaseTransport):
    """Sends one request to each of two replicas in turns, as a proxy does."""

    def __init__(self, first: httpx2.BaseTransport, second: httpx2.BaseTransport) -> None:
        self._next, self._other = first, second

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        self._next, self._other = self._other, self._next
        return self._other.handle_request(request)


@contextmanager
def replicas(app: FastAPI, settings: Settings, base_url: str) -> Generator[TestClient]:
    """The first replica is `app`; `second_of` gives the other one."""
    with ExitStack() as stack:
        for _ in range(WORKERS):
            portal = stack.enter_context(start_blocking_portal())
            stack.enter_context(portal.wrap_async_context_manager(_worker(settings)))
        second = create_app(settings, ProcessRole.REPLICA)
        app.state.second_replica = stack.enter_context(TestClient(second, base_url=base_url))
        yield stack.enter_context(TestClient(app, base_url=base_url))


def second_of(server: TestClient) -> TestClient | None:
    """The other replica, where there is one."""
    assert isinstance(server.app, FastAPI)
    return getattr(server.app.state, "second_replica", None)


@asynccontextmanager
async def _worker(settings: Settings) -> AsyncGenerator[None]:
    async with (
        open_store(settings.data_dir, settings.database_url, migrates=False) as store,
        open_engine(settings, store),
    ):
        yield
