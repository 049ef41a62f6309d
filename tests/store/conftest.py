"""A store on SQLite and one on PostgreSQL: each test that opens one runs on both."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from studio.store import Store, open_store
from tests.store.postgres import PostgresServer
from tests.store.stores import POSTGRESQL, OpenStore


@pytest.fixture(params=["sqlite", POSTGRESQL])
async def database(request: pytest.FixtureRequest) -> AsyncGenerator[str]:
    """The URL of an empty database, as the settings have it: none for SQLite."""
    if request.param == "sqlite":
        yield ""
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    async with server.database() as url:
        yield url


@pytest.fixture
def open_it(tmp_path: Path, database: str) -> OpenStore:
    """Opens a store on the same folder and database each time."""

    @asynccontextmanager
    async def opening() -> AsyncGenerator[Store]:
        async with open_store(tmp_path, database) as store:
            yield store

    return opening
