"""What the tests of the store share."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator
from contextlib import AbstractAsyncContextManager, closing, contextmanager
from pathlib import Path

import pytest

from studio.runs import RunState, RunStatus
from studio.store import Store

OpenStore = Callable[[], AbstractAsyncContextManager[Store]]

POSTGRESQL = pytest.param("postgresql", marks=pytest.mark.server)

sqlite_only = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
"""For a test that looks into the database's file."""
postgres_only = pytest.mark.parametrize("database", [POSTGRESQL], indirect=True)


@contextmanager
def locked(folder: Path) -> Generator[None]:
    """Another program writes to the database for long."""
    with closing(sqlite3.connect(folder / "studio.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


RUNNING = RunStatus(state=RunState.RUNNING, reason="start")
