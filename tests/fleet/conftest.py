"""A database of their own for the processes of each test."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fleet.processes import Fleet, fleet
from tests.store.postgres import PostgresServer


@pytest.fixture
def processes(postgres: PostgresServer, tmp_path: Path) -> Iterator[Fleet]:
    with asyncio.Runner() as runner:
        database = postgres.database()
        url = runner.run(database.__aenter__())
        try:
            with fleet(url, tmp_path) as made:
                yield made
        finally:
            runner.run(database.__aexit__(None, None, None))
