"""Ways into one running studio: each client has its own cookies and headers, all share the server."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from fastapi import FastAPI
from fastapi.testclient import TestClient

from studio.store import ROLES, Role
from studio.web.app import WARMING
from studio.web.auth import NEEDS
from tests.web.replicas import InTurns, second_of

NEEDS_OF_PEOPLE: Mapping[str, tuple[Role, bool]] = {
    route: (need.role, need.is_change) for route, need in NEEDS.items() if need.role in ROLES
}
"""The routes that people use, with the role that each needs and whether it changes something."""
TOKEN = "a-token-that-only-tests-know"
BASE_URL = "http://127.0.0.1:8040"


def client_of(server: TestClient, headers: dict[str, str] | None = None) -> TestClient:
    """Another client of the application that `server` started; of two replicas in turns where there are two."""
    client = _client_of_one(server, headers)
    if other := second_of(server):
        client._transport = InTurns(client._transport, _client_of_one(other)._transport)  # pyright: ignore[reportPrivateUsage]
    return client


def _client_of_one(server: TestClient, headers: dict[str, str] | None = None) -> TestClient:
    assert isinstance(server.app, FastAPI)
    client = TestClient(
        server.app, base_url=BASE_URL, headers=headers, follow_redirects=False, raise_server_exceptions=False
    )
    client.portal = server.portal
    return client


def wait_until_warm(server: TestClient) -> None:
    """Wait until the studio has made ready what it makes ahead."""
    assert server.portal is not None
    server.portal.call(_warmed)


async def _warmed() -> None:
    await asyncio.gather(*(task for task in asyncio.all_tasks() if task.get_name() == WARMING))
