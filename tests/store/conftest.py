from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from studio.store import Store, open_store
from tests.store.opening import OpenStore


@pytest.fixture
def open_it(tmp_path: Path) -> OpenStore:
    """Opens a store on the same folder each time."""

    @asynccontextmanager
    async def opening() -> AsyncGenerator[Store]:
        async with open_store(tmp_path) as store:
            yield store

    return opening
