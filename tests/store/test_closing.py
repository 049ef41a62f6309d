"""Who leaves the database in the middle of something, or closes it, leaves nothing behind that would still report."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from sqlalchemy import text

from studio.store import open_store
from tests.store.stores import OpenStore

SLOW = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT max(i) FROM n"


async def test_threads_of_statements_that_were_given_up_have_ended(tmp_path: Path) -> None:
    before = {*threading.enumerate()}
    async with open_store(tmp_path) as store:
        database = store.runs._database  # pyright: ignore[reportPrivateUsage]

        async def read() -> None:
            async with database.read() as session:
                await (await session.connection()).execute(text(SLOW))

        reading = asyncio.create_task(read())
        await asyncio.sleep(0.05)
        reading.cancel()
        await asyncio.wait([reading])
    left = [each for each in {*threading.enumerate()} - before if "_connection_worker" in each.name]
    assert left == []


async def test_a_write_that_is_left_at_any_time_ends_in_silence(
    open_it: OpenStore, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_it() as store:
        for moment in range(200):
            writing = asyncio.create_task(store.teams.create({"provider": "x"}))
            await asyncio.sleep(moment / 40_000)
            writing.cancel()
            await asyncio.wait([writing])
        await store.teams.create({"provider": "the next"})
    assert caplog.messages == []
